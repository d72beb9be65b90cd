"""Forks in the midst of a transaction, and deaths between the charge and the release."""

import os
import threading
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.sqlite import SQLiteStore
from tests.ledger.crash.crew import finished, start
from tests.ledger.crash.one_key import Watched, answer


class Slow:
    """A clock that keeps the one transaction that reads it first open for a while.

    Not until it is told: a fork may wait for the transaction, and what is told after the fork would come too late.
    """

    def __init__(self) -> None:
        self.reached = threading.Event()

    def __call__(self) -> datetime:
        if not self.reached.is_set():
            self.reached.set()
            time.sleep(0.3)
        return datetime(2025, 1, 1, tzinfo=UTC)


def fork_inside_a_transaction(path: str, leave: str) -> list[str]:
    """Heads of a charge made by a thread, and of one made by a process forked while the first was being written.

    The child ends as a script does, with all its objects destroyed, or at once.
    """
    prepared = Ledger.open(path)
    prepared.create("people", epsilon=1, unit="row")
    prepared.close()
    clock = Slow()
    ledger = Ledger(SQLiteStore(path), clock=clock)
    heads: list[str] = []
    thread = threading.Thread(target=lambda: heads.append(_charge(ledger)))
    thread.start()
    clock.reached.wait()
    hears, tells = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tells, _charge(ledger).encode() + b"\n")
        if leave == "at once":
            os._exit(0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the answer is the parent's to print
        raise SystemExit(0)
    os.close(tells)
    thread.join()
    with os.fdopen(hears) as told:
        heads.append(told.readline().strip())
    assert finished(child)
    heads.append(_charge(ledger))
    ledger.verify(head=heads[0])
    return heads


def die_before_the_commit(folder: str, stage: str) -> bool:
    """A release whose process dies at a stage; whether it came through."""
    return finished(start(partial(_doomed, Path(folder), stage)))


def _charge(ledger: Ledger) -> str:
    return ledger.reserve(PureDP("0.1"), dataset="people", unit="row").head


def _doomed(folder: Path, stage: str) -> None:
    ledger = Watched.open(folder / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.doom = stage
    answer(ledger, 0)
