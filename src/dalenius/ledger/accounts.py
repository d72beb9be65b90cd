"""Running totals: which of them a charge moves, and whether it may."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dalenius.errors import BudgetExceeded, UnknownName
from dalenius.ledger import facts as of
from dalenius.ledger.blocks import Blocks, Partition, is_text
from dalenius.ledger.cost import Cost
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.filters import Branches, admitted, shown_left
from dalenius.ledger.terms import AnalystShare, Terms


@dataclass(frozen=True, slots=True)
class Charge:
    """What is to be charged, to whom, and for which blocks (None: for everyone).

    `account` is the analyst, or the team that they draw with; None is the owner. `time` is what an end is judged by. A
    question that the owner `approved` is kept beside the share.
    """

    dataset: str
    terms: Terms
    cost: Cost
    account: str | None = None
    blocks: Blocks | None = None
    time: str | None = None
    approved: bool = False


Totals = dict[tuple[str, str, str], Cost]
"""Whose total (the name of a population, or of a data set), which kind of total, and its name."""


def population_of(book: LedgerFacts, dataset: str) -> str:
    """The name under which a data set's chain and the totals of its people are kept: its own, until it is joined."""
    return book.fact(dataset, of.POPULATION) or dataset


def budget_of(book: LedgerFacts, dataset: str) -> AnalystShare:
    """What may be spent on the people of a data set, alone or with those that it is joined to."""
    kept = book.fact(population_of(book, dataset), of.JOINT)
    if kept is not None:
        return AnalystShare.from_dict(json.loads(kept))
    terms = terms_of(book, dataset)
    return AnalystShare(terms.limit, terms.branches)


def population_after(book: LedgerFacts, charge: Charge) -> Totals:
    """The totals of everyone and of the blocks after a charge, or BudgetExceeded."""
    people, branches = population_of(book, charge.dataset), budget_of(book, charge.dataset).branches
    if (reason := book.fact(people, of.WRITTEN_OFF)) is not None:
        raise BudgetExceeded(f"the budget of {charge.dataset!r} counts as spent: {reason}")
    everyone, partition = total_of(book, charge, of.EVERYONE), partition_of(book, charge.dataset)
    if charge.blocks is None:
        moved = {(people, of.EVERYONE, ""): everyone + charge.cost}
        _check_units(
            charge, branches, [(None, before, before + charge.cost) for before in standings(book, charge, partition)]
        )
        return moved
    if partition is None:
        raise UnknownName(f"{charge.dataset!r} has no partition; declare it with ledger.partition first")
    labels = partition.named(charge.blocks)
    before = {label: total_of(book, charge, of.BLOCK, label) for label in labels}
    after = {label: own + charge.cost.times(partition.per_unit) for label, own in before.items()}
    moved = {(people, of.BLOCK, label): own for label, own in after.items()}
    if partition.per_unit == 1:
        _check_units(charge, branches, [(label, everyone + before[label], everyone + after[label]) for label in labels])
        return moved
    worst = then = total_of(book, charge, of.WORST)
    for own in after.values():
        then = then.most(own)
    _check_units(charge, branches, [(labels[0], everyone + worst, everyone + then)])
    return moved | {(people, of.WORST, ""): then}


def analyst_after(book: LedgerFacts, charge: Charge) -> Totals:
    """The total of an analyst or a team after a charge, whatever the blocks, or BudgetExceeded beyond their share.

    A share may be raised, lowered, given an end, revoked and given again, by a rule that sees all answers. The
    population's filter does not look at shares, so its cap holds whatever they say. For the analyst: totals stay with
    the name and only grow, and each entry was admitted by branches that were within the caps of the share at that
    time. Caps grow with ε and with δ, so they were within those of the largest ε and the largest δ that the share ever
    had: every entry is one that the filter of that budget admits, and its proof holds for what this analyst has seen.
    """
    if charge.account is None:
        return {}
    if charge.approved:
        before = total_of(book, charge, of.APPROVED, charge.account)
        return {(charge.dataset, of.APPROVED, charge.account): before + charge.cost}
    before = total_of(book, charge, of.ANALYST, charge.account)
    after = before + charge.cost
    share = share_of(book, charge.dataset, charge.account)
    if share is not None:
        where = f"the share of {charge.account!r} in {charge.dataset!r}"
        if not share.open_at(charge.time):
            raise BudgetExceeded(f"{where} {'was revoked' if share.revoked else f'ended at {share.until}'}")
        _check(where, share.branches, charge.cost, before, after)
    return {(charge.dataset, of.ANALYST, charge.account): after}


def standings(book: LedgerFacts, charge: Charge, partition: Partition | None) -> Iterator[Cost]:
    """What has been charged to units: one total for each case that can be the worst."""
    everyone = total_of(book, charge, of.EVERYONE)
    if partition is not None and partition.per_unit > 1:
        yield everyone + total_of(book, charge, of.WORST)
        return
    yield everyone
    if partition is not None:
        for _, kept in book.facts(population_of(book, charge.dataset), of.BLOCK):
            yield everyone + Cost.from_dict(json.loads(kept), charge.terms.kinds)


def charge_of(book: LedgerFacts, dataset: str, body: Mapping[str, Any]) -> Charge:
    """What an entry charges, in either version of its words."""
    terms = terms_of(book, dataset)
    sums = {"sum": [body["epsilon_units"], body["delta_units"]]} if "cost" not in body else body["cost"]
    blocks = None if body.get("blocks") is None else Blocks.from_dict(body["blocks"])
    cost, account = Cost.from_dict(sums, terms.kinds), account_of(book, dataset, body["analyst"])
    return Charge(dataset, terms, cost, account, blocks, body.get("time"), body.get("request") is not None)


def terms_of(book: LedgerFacts, dataset: str) -> Terms:
    """The terms of a data set that exists."""
    kept = book.fact(dataset, of.TERMS) if is_text(dataset) else None
    if kept is None:
        raise UnknownName(f"the ledger has no data set {dataset!r}; create it with its budget first")
    return _terms(kept)


@lru_cache(maxsize=256)
def _terms(kept: str) -> Terms:
    return Terms.from_dict(json.loads(kept))


def partition_of(book: LedgerFacts, dataset: str) -> Partition | None:
    """The partition of a data set, if it has one."""
    kept = book.fact(dataset, of.PARTITION)
    return None if kept is None else Partition.from_dict(json.loads(kept))


def share_of(book: LedgerFacts, dataset: str, analyst: str) -> AnalystShare | None:
    """An analyst's share, if they have one."""
    kept = book.fact(dataset, of.SHARE, analyst)
    return None if kept is None else AnalystShare.from_dict(json.loads(kept))


def account_of(book: LedgerFacts, dataset: str, analyst: str | None) -> str | None:
    """Who is charged for an analyst: the team that they draw with, or they themselves."""
    return analyst if analyst is None else book.fact(dataset, of.TEAM, analyst) or analyst


def check_analyst(book: LedgerFacts, dataset: str, analyst: str | None) -> None:
    """Where there are shares, only the owner and those who have one may draw."""
    if analyst is None or next(book.facts(dataset, of.SHARE), None) is None:
        return
    account = account_of(book, dataset, analyst)
    share = share_of(book, dataset, str(account))
    if share is None:
        raise UnknownName(f"analyst {analyst!r} has no share of {dataset!r}; declare it with ledger.share")
    if share.revoked:
        raise BudgetExceeded(f"the share of {account!r} in {dataset!r} was revoked")


_OF_THE_POPULATION = (of.EVERYONE, of.BLOCK, of.WORST)


def total_of(book: LedgerFacts, charge: Charge, kind: str, name: str = "") -> Cost:
    """A running total: of the population, or of an analyst in a data set."""
    whose = population_of(book, charge.dataset) if kind in _OF_THE_POPULATION else charge.dataset
    kept = book.fact(whose, kind, name)
    return charge.terms.nothing if kept is None else Cost.from_dict(json.loads(kept), charge.terms.kinds)


def _check_units(charge: Charge, branches: Branches, cases: list[tuple[str | None, Cost, Cost]]) -> None:
    for label, before, after in cases:
        where = repr(charge.dataset) if label is None else f"block {label!r} of {charge.dataset!r}"
        _check(where, branches, charge.cost, before, after)


def _check(where: str, branches: Branches, cost: Cost, before: Cost, after: Cost) -> None:
    if not admitted(branches, after):
        raise BudgetExceeded(f"{where} was asked for {cost}; what is left is {shown_left(branches, before)}")
