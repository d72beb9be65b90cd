"""Alerts: told once, by the charge that takes a budget or a share past 50, 80 or 100 % of it."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from dalenius.ledger import accounts, facts
from dalenius.ledger.accounts import Charge
from dalenius.ledger.standing import standing
from dalenius.ledger.store import Records

LEVELS = (50, 80, 100)
"""Per cent of a budget."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A budget has been spent up to a level: a data set's, or the share of an analyst or a team."""

    dataset: str
    analyst: str | None
    percent: int


Hook = Callable[[Alert], None]
Used = Mapping[str | None, Fraction]


def used(records: Records, charge: Charge) -> Used:
    """The part that is spent of the data set's budget, and of the share that a charge draws on."""
    name, terms, budget = charge.dataset, charge.terms, accounts.budget_of(records, charge.dataset)
    totals = list(accounts.standings(records, charge, accounts.partition_of(records, name)))
    shares_used: dict[str | None, Fraction] = {None: standing(budget.limit, terms.filter, budget.branches, totals).used}
    share = None if charge.account is None else accounts.share_of(records, name, charge.account)
    if share is not None and charge.account is not None:
        total = accounts.total_of(records, charge, facts.ANALYST, charge.account)
        shares_used[charge.account] = standing(share.limit, terms.filter, share.branches, [total]).used
    return shares_used


def alerts(dataset: str, before: Used, after: Used) -> list[Alert]:
    """The highest level that each budget has passed between two states."""
    raised = []
    for who, part in after.items():
        passed = [level for level in LEVELS if before.get(who, Fraction(0)) * 100 < level <= part * 100]
        if passed:
            raised.append(Alert(dataset, who, passed[-1]))
    return raised


def tell(hook: Hook, raised: list[Alert]) -> None:
    """Call the hook; its failure is logged, for the charge is written and its receipt must not be lost."""
    for alert in raised:
        try:
            hook(alert)
        except Exception:
            logging.getLogger("dalenius.ledger").exception("a hook for alerts failed")
