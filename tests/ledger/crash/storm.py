"""Many processes that spend one budget while they are killed and their clocks jump."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random

from dalenius.errors import BudgetExceeded, LedgerCorrupted
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.filters import Branch
from dalenius.ledger.sqlite import SQLiteStore
from tests.ledger.crash.crew import besiege

REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Question:
    """What one worker asks at one place of its list."""

    epsilon: Fraction
    key: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """What a worker was told: the head of a charge, or a refusal."""

    question: Question
    head: str


def question(who: int, place: int) -> Question:
    """ε from 1/1000 to 9/1000; every other question has a key, and is then charged once however often it is asked."""
    return Question(Fraction(1 + (5 * who + 7 * place) % 9, 1000), f"{who}-{place}" if place % 2 else None)


def budget(processes: int, each: int) -> Fraction:
    """Four fifths of what is asked for in all: some of it must be refused."""
    return sum((question(who, place).epsilon for who in range(processes) for place in range(each)), Fraction()) * 4 / 5


def told(folder: Path, who: int) -> list[Told]:
    """All that one worker was told, in order."""
    lines = acknowledged(folder / f"{who}.told")
    return [Told(question(who, place), line) for place, line in enumerate(lines)]


def acknowledged(path: Path) -> list[str]:
    """The whole lines of a file of acknowledgements; half a line was never finished, so nobody was told."""
    return path.read_text().split("\n")[:-1] if path.exists() else []


def acknowledge(file: int, words: str) -> None:
    """Write a line and wait until it is on the disk."""
    os.write(file, f"{words}\n".encode())
    os.fsync(file)


def jumping(chance: Random) -> Callable[[], datetime]:
    """A clock that goes back and forth by decades."""
    return lambda: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(-9000, 9000))


def ask(folder: Path, who: int, each: int) -> None:
    """Go on where the last life of this worker ended."""
    path = folder / f"{who}.told"
    before = acknowledged(path)
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.ftruncate(file, sum(len(line) + 1 for line in before))
    ledger = Ledger(SQLiteStore(folder / "x.ledger"), clock=jumping(Random(os.urandom(8))))
    for place in range(len(before), each):
        now = question(who, place)
        try:
            head = charge(ledger, now)
        except BudgetExceeded:
            head = REFUSED
        acknowledge(file, head)


def charge(ledger: Ledger, asked: Question) -> str:
    """The head of the charge."""
    return ledger.reserve(PureDP(asked.epsilon), dataset="people", unit="row", key=asked.key).head


def rage(folder: str, processes: int, each: int, kills: int, unlimited: bool = False) -> int:
    """All workers to their end, with so many kills on the way; how many died."""
    if unlimited:  # a mutant: a ledger that finds every charge to fit
        Branch.within = lambda self, total: True  # type: ignore[method-assign]
    place, chance = Path(folder), Random(os.urandom(8))
    ledger = Ledger.open(place / "x.ledger")
    ledger.create("people", epsilon=budget(processes, each), unit="row")
    ledger.close()
    works = [partial(ask, place, who, each) for who in range(processes)]
    sizes = [place / f"{who}.told" for who in range(processes)]
    line = len("0" * 64) + 1
    total = processes * each * line * 3 // 4  # refusals are shorter: no later than this all kills have fallen
    when = [chance.randrange(total) for _ in range(kills)]
    return besiege(works, lambda: sum(path.stat().st_size for path in sizes if path.exists()), when)


def wrongs(ledger: Ledger, heard: list[Told], deaths: int, limit: Fraction) -> list[str]:
    """Every promise that the ledger broke to those who heard from it."""
    entries = ledger.entries("people")
    spent = sum((Fraction(entry.guarantee.budget) for entry in entries), Fraction())
    by_head = {entry.hash: entry for entry in entries}
    granted = [one for one in heard if one.head != REFUSED]
    kept = [one for one in granted if one.head in by_head]
    keys = [entry.key for entry in entries if entry.key is not None]
    left = ledger.remaining("people").epsilon
    broken = {
        "an acknowledged charge is missing": len(kept) < len(granted),
        "an entry is not what was asked": any(_other(one, by_head[one.head]) for one in kept),
        "two answers share a charge": len({one.head for one in granted}) < len(granted),
        "a key was charged twice": len(set(keys)) < len(keys),
        "more was charged than asked and lost": len(entries) > len(granted) + deaths,
        "the budget was overspent": spent > limit,
        "what is left is not what the entries leave": left != limit - spent,
        "a charge that fits was refused": any(one.question.epsilon <= left for one in heard if one.head == REFUSED),
        "the chain is broken": not _whole(ledger),
    }
    return [name for name, found in broken.items() if found]


def _other(one: Told, entry: object) -> bool:
    return (entry.guarantee, entry.key) != (PureDP(one.question.epsilon), one.question.key)  # type: ignore[attr-defined]


def _whole(ledger: Ledger) -> bool:
    try:
        ledger.verify()
    except LedgerCorrupted:
        return False
    return True
