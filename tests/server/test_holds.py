"""While a question is worked on, its asker waits at every server of the ledger."""

import asyncio
import os
import signal
import stat
import subprocess
import sys

import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.server.holds import Holds
from dalenius.server.turns import Turn

HOLDER = """
import asyncio, sys
from pathlib import Path
from dalenius.server.holds import Holds
from dalenius.server.turns import Turn

async def hold():
    async with Holds(Path(sys.argv[1])).taken("visits", "ann", Turn(sys.argv[2])):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "x.ledger.holds"


SOON, LONG = 0.05, 60
"""Seconds after which a request is taken to wait, and those that a busy machine may need for one that does not."""


def waits(holds, dataset="visits", asker="ann", turn=Turn.LOOK, seconds=LONG):
    """Whether a request would wait, for so many seconds."""

    async def taken():
        async with holds.taken(dataset, asker, turn):
            pass

    async def tried():
        try:
            await asyncio.wait_for(taken(), seconds)
        except TimeoutError:
            return True
        return False

    return asyncio.run(tried())


@pytest.mark.parametrize(
    ("held", "others"),
    [("ask", {"look", "draw", "ask"}), ("draw", {"look", "ask"}), ("look", {"draw", "ask"})],
)
def test_what_another_process_does_for_an_asker_is_waited_for_until_it_ends_or_is_killed(folder, held, others):
    worker = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder), held], stdout=subprocess.PIPE, text=True)
    try:
        assert worker.stdout.readline() == "held\n"
        holds = Holds(folder)
        assert all(waits(holds, turn=Turn(turn), seconds=SOON) for turn in others)
        assert not any(waits(holds, turn=turn) for turn in Turn if turn.value not in others)
        assert not any(waits(holds, asker="bob", turn=turn) for turn in Turn)
        assert not waits(holds, dataset="staff")
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
    assert not any(waits(Holds(folder), turn=turn) for turn in Turn)


def test_several_draws_of_one_asker_are_all_waited_for(folder):
    async def tried():
        one, other, seen = Holds(folder), Holds(folder), []
        async with one.taken("visits", "ann", Turn.DRAW):
            async with other.taken("visits", "ann", Turn.DRAW):
                seen.append(one._is_held("visits", "ann", "asks"))
            seen.append(other._is_held("visits", "ann", "asks"))
        seen.append(one._is_held("visits", "ann", "asks"))
        return seen

    assert asyncio.run(tried()) == [True, True, False]


def test_who_looks_keeps_no_question_from_its_work(folder):
    async def looking(holds):
        for _ in range(30):
            async with holds.taken("visits", "ann", Turn.LOOK):
                await asyncio.sleep(0)

    async def asking(holds):
        for _ in range(10):
            async with holds.taken("visits", "ann", Turn.ASK):
                await asyncio.sleep(0)

    async def both():
        await asyncio.wait_for(asyncio.gather(looking(Holds(folder)), asking(Holds(folder))), 60)

    asyncio.run(both())


def test_the_files_are_the_servers_alone_and_name_nobody(folder):
    async def held():
        async with Holds(folder).taken("visits", "ann", Turn.ASK):
            return [(one.name, stat.S_IMODE(one.stat().st_mode), one.stat().st_size) for one in folder.iterdir()]

    for name, mode, size in asyncio.run(held()):
        assert (len(name), mode, size) == (32, 0o600, 0)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_place_that_cannot_be_kept_is_refused_before_the_charge(tmp_path):
    (tmp_path / "file").write_text("")

    async def held():
        async with Holds(tmp_path / "file").taken("visits", "ann", Turn.ASK):
            raise AssertionError("not held")

    with pytest.raises(LedgerUnavailable):
        asyncio.run(held())
