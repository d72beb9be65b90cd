import asyncio

from dalenius.server.clock import Clock


def test_nobody_is_woken_before_the_moment():
    clock = Clock()
    moment = clock.now() + 0.02
    asyncio.run(clock.sleep_until(moment))
    assert clock.now() >= moment
    asyncio.run(clock.sleep_until(moment - 1))
