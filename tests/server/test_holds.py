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

HOLDER = """
import asyncio, sys
from pathlib import Path
from dalenius.server.holds import Holds

async def hold():
    async with Holds(Path(sys.argv[1])).held("visits", "ann"):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "x.ledger.holds"


def waits(holds, dataset="visits", asker="ann"):
    """Whether a request would wait."""

    async def tried():
        try:
            await asyncio.wait_for(holds.wait(dataset, asker), 0.05)
        except TimeoutError:
            return True
        return False

    return asyncio.run(tried())


def test_another_process_that_works_on_a_question_is_waited_for_until_it_ends_or_is_killed(folder):
    worker = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert worker.stdout.readline() == "held\n"
        holds = Holds(folder)
        assert waits(holds)
        assert not waits(holds, asker="bob")
        assert not waits(holds, dataset="staff")
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
    assert not waits(Holds(folder))


def test_several_questions_of_one_asker_are_all_waited_for(folder):
    async def tried():
        one, other, seen = Holds(folder), Holds(folder), []
        async with one.held("visits", "ann"):
            async with other.held("visits", "ann"):
                seen.append(one._is_held("visits", "ann"))
            seen.append(other._is_held("visits", "ann"))
        seen.append(one._is_held("visits", "ann"))
        return seen

    assert asyncio.run(tried()) == [True, True, False]


def test_who_looks_keeps_no_question_from_its_work(folder):
    async def looking(holds):
        for _ in range(300):
            holds._is_held("visits", "ann")
            await asyncio.sleep(0)

    async def asking(holds):
        for _ in range(100):
            async with holds.held("visits", "ann"):
                await asyncio.sleep(0)

    async def both():
        await asyncio.wait_for(asyncio.gather(looking(Holds(folder)), asking(Holds(folder))), 60)

    asyncio.run(both())


def test_the_files_are_the_servers_alone_and_name_nobody(folder):
    async def held():
        async with Holds(folder).held("visits", "ann"):
            return [(one.name, stat.S_IMODE(one.stat().st_mode), one.stat().st_size) for one in folder.iterdir()]

    ((name, mode, size),) = asyncio.run(held())
    assert (len(name), mode, size) == (32, 0o600, 0)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_place_that_cannot_be_kept_is_refused_before_the_charge(tmp_path):
    (tmp_path / "file").write_text("")

    async def held():
        async with Holds(tmp_path / "file").held("visits", "ann"):
            raise AssertionError("not held")

    with pytest.raises(LedgerUnavailable):
        asyncio.run(held())
