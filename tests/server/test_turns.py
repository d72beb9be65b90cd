"""Turns of one asker: looking and asking never overlap, and neither waits for ever."""

import asyncio
from collections import Counter

import pytest

from dalenius.server.turns import Turn, Turns


@pytest.mark.parametrize("seed", range(20))
def test_looks_draws_and_questions_never_overlap_whatever_the_order(seed):
    inside, done = Counter(), Counter()
    turns = Turns()

    async def one(number):
        turn = list(Turn)[(number * (seed + 3) + number // 5) % 3]
        await asyncio.sleep((number * 7919 * (seed + 1) % 13) / 5000)
        async with turns.taken("visits", "ann", turn):
            inside[turn] += 1
            try:
                assert [kind for kind in Turn if inside[kind]] == [turn]
                assert inside[Turn.ASK] <= 1
                await asyncio.sleep((number % 4) / 5000)
            finally:
                inside[turn] -= 1
        done[turn] += 1

    async def every():
        tasks = [asyncio.create_task(one(number)) for number in range(40)]
        for gone in tasks[:: seed + 5]:  # callers who go away, waiting or inside
            await asyncio.sleep(0.0004)
            gone.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [end for end in ends if isinstance(end, AssertionError)]
        return sum(end is None for end in ends)

    ended = asyncio.run(asyncio.wait_for(every(), 60))
    assert sum(done.values()) == ended >= 20
    assert turns._askers == {}  # nothing is kept of who is gone


def test_a_look_waits_for_one_question_and_a_question_for_the_looks_before_it():
    order, turns = [], Turns()

    async def one(turn, name):
        async with turns.taken("visits", "ann", turn):
            order.append(name)
            await asyncio.sleep(0.001)

    async def every():
        tasks = [one(Turn.ASK, "first"), one(Turn.ASK, "second"), one(Turn.LOOK, "look"), one(Turn.LOOK, "another")]
        await asyncio.gather(*tasks)

    asyncio.run(every())
    assert order == ["first", "look", "another", "second"]


def test_askers_and_data_sets_do_not_wait_for_one_another():
    turns = Turns()

    async def every():
        one, other = turns.taken("visits", "ann", Turn.ASK), turns.taken("visits", "bob", Turn.ASK)
        async with one, other, turns.taken("staff", "ann", Turn.ASK):
            return "all at once"

    assert asyncio.run(asyncio.wait_for(every(), 60)) == "all at once"
