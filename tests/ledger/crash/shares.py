"""Many processes that spend one budget by shares that others raise, lower and revoke, while they are killed."""

import os
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random

from dalenius.errors import BudgetExceeded
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger import accounts as accounts_of_the_ledger
from tests.ledger.crash.crew import besiege
from tests.ledger.crash.storm import acknowledge, acknowledged

ANALYSTS = ("ana", "bo", "cy", "di")
BUDGET = Fraction(1)


def work(folder: Path, who: int, each: int, fineness: int, seed: str) -> None:
    """Charges and decisions by turns; what was granted goes into a file before the next step.

    A life that ended between a charge and its acknowledgement is followed by one that asks the same under the same key.
    """
    path = folder / f"{who}.told"
    before = acknowledged(path)
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.ftruncate(file, sum(len(line) + 1 for line in before))
    ledger = Ledger.open(folder / "x.ledger")
    for place in range(len(before), each):
        key = f"{who}-{place}"
        acknowledge(file, step(ledger, Random(f"{seed} {key}"), key, fineness))


def step(ledger: Ledger, chance: Random, key: str, fineness: int) -> str:
    """One charge, or one decision of the owner; the finer the prices, the longer it takes until the caps are met."""
    analyst = chance.choice(ANALYSTS)
    if chance.random() < 0.2:
        if chance.random() < 0.3:
            ledger.revoke("people", analyst)
            return "revoked"
        ledger.share("people", analyst, Fraction(chance.randrange(1, 50), 100))
        return "shared"
    price = Fraction(chance.randrange(1, 20), fineness)
    try:
        return ledger.reserve(PureDP(price), dataset="people", unit="row", analyst=analyst, key=key).head
    except BudgetExceeded:
        return "refused"


def rage(folder: str, processes: int, each: int, kills: int, unbounded: bool = False) -> int:
    """All workers to their end, with so many kills on the way; how many died."""
    if unbounded:  # a mutant: shares are not looked at
        real = accounts_of_the_ledger._check
        accounts_of_the_ledger._check = lambda where, *more: (
            None if where.startswith("the share") else real(where, *more)
        )
    place, chance, seed = Path(folder), Random(os.urandom(8)), os.urandom(8).hex()
    ledger = Ledger.open(place / "x.ledger")
    ledger.create("people", epsilon=BUDGET, unit="row")
    for analyst in ANALYSTS:
        ledger.share("people", analyst, Fraction(1, 4))
    ledger.close()
    works = [partial(work, place, who, each, 5 * processes * each, seed) for who in range(processes)]
    sizes = [place / f"{who}.told" for who in range(processes)]
    total = processes * each * 8
    when = [chance.randrange(total) for _ in range(kills)]
    return besiege(works, lambda: sum(path.stat().st_size for path in sizes if path.exists()), when)


def wrongs(ledger: Ledger, heard: list[str]) -> list[str]:
    """Every promise that was broken: replayed from the log, by hand."""
    spent = dict.fromkeys(ANALYSTS, Fraction())
    largest = dict.fromkeys(ANALYSTS, Fraction())
    share: dict[str, Fraction | None] = {}
    broken = []
    for entry in ledger.log("people"):
        who = str(entry.analyst)
        if entry.kind == "share":
            share[who] = Fraction(int(entry.words["epsilon_units"]), 10**12)
            largest[who] = max(largest[who], share[who] or 0)
        elif entry.kind == "revoke":
            share[who] = None
        elif entry.kind == "reserve":
            spent[who] += Fraction(int(entry.words["cost"]["sum"][0]), 10**12)
            if share[who] is None or spent[who] > (share[who] or 0):
                broken.append(f"entry {entry.number} is beyond the share of that moment")
    heads = {entry.hash for entry in ledger.entries("people")}
    if sum(spent.values()) > BUDGET:
        broken.append("the budget was overspent")
    if any(spent[who] > largest[who] for who in ANALYSTS):
        broken.append("a share was overspent")
    if not {line for line in heard if len(line) == 64} <= heads:
        broken.append("an acknowledged charge is missing")
    ledger.verify()
    return broken
