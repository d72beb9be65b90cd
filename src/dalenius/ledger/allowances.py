"""What an analyst may draw in a day: a cap beside their share, for doors that strangers stand before.

A day is one of UTC, and is read off the time of the entry, which never goes back: so a clock that is put back opens no
day again. The share and the population's cap hold whatever an allowance says; it only refuses more.
"""

import json
from collections.abc import Mapping
from typing import Any

from dalenius.errors import BudgetExceeded
from dalenius.ledger import facts as of
from dalenius.ledger.accounts import Charge
from dalenius.ledger.amount import EPSILON_UNIT, Amount
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts


def allow(book: LedgerFacts, dataset: str, body: Mapping[str, Any], digest: str) -> None:
    """Cap the days of an analyst, or lift the cap."""
    units = body["epsilon_units_a_day"]
    if units and int(units) <= 0:
        raise ValueError("an allowance is positive, or none")
    book.put_fact(dataset, of.ALLOWANCE, body["analyst"], units)


def today_after(book: LedgerFacts, charge: Charge) -> int | None:
    """Units of ε that an analyst has drawn on the day of a charge, after it; None where no day is capped.

    BudgetExceeded if that is more than the allowance. A question that the owner approved is beside it, as it is beside
    the share.
    """
    if charge.account is None or charge.approved or charge.time is None:
        return None
    cap = book.fact(charge.dataset, of.ALLOWANCE, charge.account)
    if not cap:
        return None
    epsilon = charge.cost.epsilon
    where = f"the allowance of {charge.account!r} in {charge.dataset!r}"
    if epsilon is None:
        raise BudgetExceeded(f"{where} is counted in plain ε, and this question has none")
    after = _drawn(book, charge.dataset, charge.account, charge.time) + int(epsilon / EPSILON_UNIT)
    if after > int(cap):
        left = left_today(book, charge.dataset, charge.account, charge.time)
        raise BudgetExceeded(f"{where} is {Amount(int(cap), 0)} a day; what is left of today is {Amount(left or 0, 0)}")
    return after


def put_today(book: LedgerFacts, charge: Charge, after: int | None) -> None:
    """Keep what was drawn on the day of a charge."""
    if after is not None and charge.account is not None and charge.time is not None:
        kept = canonical({"day": charge.time[:10], "epsilon_units": str(after)}).decode()
        book.put_fact(charge.dataset, of.SPENT_TODAY, charge.account, kept)


def left_today(book: LedgerFacts, dataset: str, account: str, time: str) -> int | None:
    """Units of ε that are left of a day; None where no day is capped."""
    cap = book.fact(dataset, of.ALLOWANCE, account)
    return max(0, int(cap) - _drawn(book, dataset, account, time)) if cap else None


def _drawn(book: LedgerFacts, dataset: str, account: str, time: str) -> int:
    kept = book.fact(dataset, of.SPENT_TODAY, account)
    words = {} if kept is None else json.loads(kept)
    return int(words["epsilon_units"]) if words.get("day") == time[:10] else 0
