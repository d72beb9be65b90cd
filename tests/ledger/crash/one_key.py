"""Many threads and processes that ask one question with one key while they are killed."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from dalenius.curator import Curator, Measure
from dalenius.ledger import Ledger, Receipt
from dalenius.statistics import count
from tests.ledger.crash.crew import finished, start
from tests.ledger.crash.storm import acknowledge, acknowledged

STAGES = ("before reserve", "after reserve", "before commit", "after commit", "before the answer")
BUDGET = 1


class Watched(Ledger):
    """A ledger whose threads all charge before one of them commits, and whose process may die at any stage."""

    doom: str | None = None
    gathering: threading.Barrier | None = None

    def reserve(self, *arguments: Any, **named: Any) -> Receipt:
        self._die("before reserve")
        receipt = super().reserve(*arguments, **named)
        self._die("after reserve")
        if self.gathering is not None:
            self.gathering.wait()
        return receipt

    def commit(self, *arguments: Any) -> None:
        self._die("before commit")
        super().commit(*arguments)
        self._die("after commit")

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        self._die("before the answer")
        return super().release_of(receipt)

    def _die(self, stage: str) -> None:
        if self.doom == stage:
            os.kill(os.getpid(), signal.SIGKILL)


class OwnDraw(Watched):
    """A mutant: each thread hands out what it drew, not what is stored."""

    def commit(self, receipt: Receipt, outcome: Any) -> None:
        super().commit(receipt, outcome)
        self._drawn.release = outcome.to_dict()

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        return getattr(self._drawn, "release", None) or super().release_of(receipt)

    _drawn = threading.local()


class Overwriting(Watched):
    """A mutant: the last commit wins, so a retry draws again."""

    def reserve(self, *arguments: Any, **named: Any) -> Receipt:
        return replace(super().reserve(*arguments, **named), release=None)

    def commit(self, receipt: Receipt, outcome: Any) -> None:
        super().commit(receipt, outcome)
        self._latest[receipt.head] = outcome.to_dict()

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        return self._latest[receipt.head]

    _latest: ClassVar[dict[str, dict[str, Any]]] = {}


class Keyless(Watched):
    """A mutant: the key is lost on the way, so every retry is charged and drawn."""

    def reserve(self, *arguments: Any, **named: Any) -> Receipt:
        return super().reserve(*arguments, **named | {"key": None})


LEDGERS: dict[str, type[Watched]] = {kind.__name__: kind for kind in (Watched, OwnDraw, Overwriting, Keyless)}


def plan(turn: int) -> Measure[Any]:
    """A count with noise of some ten thousand: two draws are hardly ever equal. Each turn asks another question."""
    return count(epsilon=Fraction(100 + turn, 10**6))


def answer(ledger: Ledger, turn: int) -> str:
    """A whole release under the key of this turn, as bytes would leave."""
    curator = Curator({"age": np.arange(10)}, unit="row", ledger=ledger, dataset="people")
    return json.dumps(curator.release(plan(turn), key=f"key {turn}").to_dict(), sort_keys=True)


def ask(folder: Path, kind: str, turn: int, threads: int, doom: str | None, gate: int) -> None:
    """All threads of a process ask at once; what each was answered goes into a file of its own.

    A kill can end a write at a page's end, and what another process appended to it would be read as one answer.
    """
    ledger = LEDGERS[kind].open(folder / "x.ledger")
    ledger.doom, ledger.gathering = doom, threading.Barrier(threads)
    failed: list[BaseException] = []

    def one() -> None:
        try:
            said = answer(ledger, turn)
            file = os.open(folder / f"{turn}.{os.urandom(8).hex()}.seen", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            acknowledge(file, said)
            os.close(file)
        except BaseException as fault:
            failed.append(fault)
            ledger.gathering.abort()

    os.read(gate, 1)
    crowd = [threading.Thread(target=one) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    if failed:
        raise failed[0]


def siege(folder: str, processes: int, threads: int, turns: int, kind: str = "Watched", kill: bool = True) -> int:
    """For each turn a key, asked for by all processes until each has its answers, then once more; how many died."""
    place, deaths, chance = Path(folder), 0, Random(os.urandom(8))
    ledger = Ledger.open(place / "x.ledger")
    ledger.create("people", epsilon=BUDGET, unit="row")
    ledger.close()
    for turn in range(turns):
        asking = partial(ask, place, kind, turn, threads)
        fates = (*STAGES, None) if kill else (None,)
        dooms = [fates[(turn + who) % len(fates)] for who in range(processes)]
        deaths += sum(_lives(asking, dooms, chance, kill))
        with Path(os.devnull).open() as gate:
            finished(start(partial(asking, None, gate.fileno())))
    return deaths


def _lives(asking: Callable[..., None], dooms: list[str | None], chance: Random, kill: bool) -> list[int]:
    """Life after life: the first ends at its doom, the second at random, the third with the answers."""
    deaths = [0] * len(dooms)
    waiting = list(range(len(dooms)))
    for life in range(3):
        gate, opened = os.pipe()
        pids = {who: start(partial(asking, dooms[who] if life == 0 else None, gate)) for who in waiting}
        os.write(opened, b"." * len(pids))
        if life == 1 and kill:
            time.sleep(chance.uniform(0, 0.04))
            for pid in pids.values():
                os.kill(pid, signal.SIGKILL)
        waiting = [who for who, pid in pids.items() if not finished(pid)]
        os.close(gate)
        os.close(opened)
        for who in waiting:
            deaths[who] += 1
    return deaths


def wrongs(folder: Path, turns: int, least: int) -> list[str]:
    """Every key of which two answers were seen, or that was not charged just once."""
    ledger = Ledger.open(folder / "x.ledger")
    charged = [entry.key for entry in ledger.entries("people")]
    spent = BUDGET - ledger.remaining("people").epsilon
    broken = []
    for turn in range(turns):
        files = folder.glob(f"{turn}.*.seen")
        seen = [*(line for path in files for line in acknowledged(path)), answer(ledger, turn)]
        if len(seen) <= least:
            broken.append(f"key {turn}: too few answers")
        if len(set(seen)) != 1:
            broken.append(f"key {turn}: {len(set(seen))} answers")
        if charged.count(f"key {turn}") != 1:
            broken.append(f"key {turn}: charged {charged.count(f'key {turn}')} times")
    if spent != sum(Fraction(100 + turn, 10**6) for turn in range(turns)):
        broken.append("spent something else than one charge for each key")
    ledger.verify()
    return broken
