import asyncio

import pytest

from dalenius.server import limits
from dalenius.server.limits import Guard, Rate
from tests.server.hospital import StillClock


def test_a_bucket_lets_a_burst_through_and_then_as_many_as_are_refilled():
    clock = StillClock()
    rate = Rate(2.0, 3, clock)
    assert [rate.allows("a") for _ in range(5)] == [True, True, True, False, False]
    assert rate.allows("b")
    clock.time = 1.0
    assert [rate.allows("a") for _ in range(3)] == [True, True, False]


def test_buckets_of_callers_who_came_long_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(limits, "MOST_CALLERS", 10)
    rate = Rate(0.0, 1, StillClock())
    for number in range(100):
        rate.allows(str(number))
    assert len(rate._left) == 10


def sent_through(most, parts):
    """The status and headers of an app that echoes how long the body was."""
    heard = []

    async def echo(scope, receive, send):
        message = await receive()
        heard.append(len(message["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    said = [{"type": "http.request", "body": part, "more_body": part is not parts[-1]} for part in parts]
    answers = []

    async def receive():
        return said.pop(0)

    async def send(message):
        answers.append(message)

    asyncio.run(Guard(echo, most)({"type": "http"}, receive, send))
    return answers[0]["status"], dict(answers[0]["headers"]), heard


def test_a_body_in_parts_is_put_together_and_one_that_is_too_long_never_reaches_the_app():
    assert sent_through(10, [b"12345", b"67890"])[::2] == (200, [10])
    assert sent_through(9, [b"12345", b"67890", b"more"])[::2] == (413, [])


@pytest.mark.parametrize("most", [10, 1])
def test_every_answer_tells_a_browser_to_run_nothing_of_others(most):
    _, headers, _ = sent_through(most, [b"12345"])
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert b"unsafe" not in headers[b"content-security-policy"]
    assert headers[b"cache-control"] == b"no-store"


def test_a_body_that_is_said_to_be_too_long_is_refused_before_it_is_read():
    answers = []

    async def unread():
        raise AssertionError("the body was read")

    async def send(message):
        answers.append(message)

    scope = {"type": "http", "headers": [(b"content-length", b"11")]}
    asyncio.run(Guard(None, 10)(scope, unread, send))
    assert answers[0]["status"] == 413


def test_a_body_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.05)
    answers = []

    async def stuck():
        await asyncio.sleep(600)

    async def send(message):
        answers.append(message)

    asyncio.run(asyncio.wait_for(Guard(None, 10)({"type": "http", "headers": []}, stuck, send), 60))
    assert answers[0]["status"] == 408
