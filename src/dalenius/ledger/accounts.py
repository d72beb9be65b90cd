"""Running totals: which of them a link of the chain moves, and whether it may.

The live ledger and `verify` both come through `follow`: a total that this file would not have written is found.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.errors import BudgetExceeded, UnknownName
from dalenius.ledger import facts as of
from dalenius.ledger.blocks import Blocks, Partition, is_text
from dalenius.ledger.charge import canonical
from dalenius.ledger.cost import Cost
from dalenius.ledger.facts import Facts
from dalenius.ledger.filters import Branches, admitted, shown_left
from dalenius.ledger.terms import Share, Terms

CREATE, SHARE, PARTITION, RESERVE, VIEW, COMMIT = "create", "share", "partition", "reserve", "view", "commit"


@dataclass(frozen=True, slots=True)
class Charge:
    """What is to be charged, to whom, and for which blocks (None: for everyone)."""

    dataset: str
    terms: Terms
    cost: Cost
    analyst: str | None = None
    blocks: Blocks | None = None


def follow(book: Facts, kind: str, dataset: str, body: Mapping[str, Any], digest: str) -> None:
    """Write what a link changes; BudgetExceeded, before anything is written, if it may not be there."""
    if kind == CREATE:
        book.put_fact(dataset, of.TERMS, "", _text(Terms.from_dict(body).to_dict() if "filter" in body else _old(body)))
    elif kind == SHARE:
        book.put_fact(dataset, of.SHARE, body["analyst"], _text(Share.from_dict(body).to_dict()))
    elif kind == PARTITION:
        book.put_fact(dataset, of.PARTITION, "", _text(Partition.from_dict(body).to_dict()))
    elif kind == RESERVE:
        charge = charge_of(book, dataset, body)
        for (what, name), total in (population_after(book, charge) | analyst_after(book, charge)).items():
            book.put_fact(dataset, what, name, _text(total.to_dict()))
        if body["fingerprint"] is not None:
            _see(book, dataset, body["analyst"], digest)
    elif kind == VIEW:
        for (what, name), total in analyst_after(book, charge_of(book, dataset, body)).items():
            book.put_fact(dataset, what, name, _text(total.to_dict()))
        _see(book, dataset, body["analyst"], body["receipt"])
    elif body.get("question") is not None and book.fact(dataset, of.ANSWER, body["question"]) is None:
        book.put_fact(dataset, of.ANSWER, body["question"], body["receipt"])


def population_after(book: Facts, charge: Charge) -> dict[tuple[str, str], Cost]:
    """The totals of everyone and of the blocks after a charge, or BudgetExceeded."""
    everyone, partition = total_of(book, charge, of.EVERYONE), partition_of(book, charge.dataset)
    if charge.blocks is None:
        moved = {(of.EVERYONE, ""): everyone + charge.cost}
        _check_units(charge, [(None, before, before + charge.cost) for before in standings(book, charge, partition)])
        return moved
    if partition is None:
        raise UnknownName(f"{charge.dataset!r} has no partition; declare it with ledger.partition first")
    labels = partition.named(charge.blocks)
    before = {label: total_of(book, charge, of.BLOCK, label) for label in labels}
    after = {label: own + charge.cost.times(partition.per_unit) for label, own in before.items()}
    moved = {(of.BLOCK, label): own for label, own in after.items()}
    if partition.per_unit == 1:
        _check_units(charge, [(label, everyone + before[label], everyone + after[label]) for label in labels])
        return moved
    worst = then = total_of(book, charge, of.WORST)
    for own in after.values():
        then = then.most(own)
    _check_units(charge, [(labels[0], everyone + worst, everyone + then)])
    return moved | {(of.WORST, ""): then}


def analyst_after(book: Facts, charge: Charge) -> dict[tuple[str, str], Cost]:
    """The total of an analyst after a charge, whatever the blocks, or BudgetExceeded beyond their share."""
    if charge.analyst is None:
        return {}
    before = total_of(book, charge, of.ANALYST, charge.analyst)
    after = before + charge.cost
    share = share_of(book, charge.dataset, charge.analyst)
    if share is not None:
        where = f"the share of {charge.analyst!r} in {charge.dataset!r}"
        _check(where, share.branches, charge.cost, before, after)
    return {(of.ANALYST, charge.analyst): after}


def standings(book: Facts, charge: Charge, partition: Partition | None) -> Iterator[Cost]:
    """What has been charged to units: one total for each case that can be the worst."""
    everyone = total_of(book, charge, of.EVERYONE)
    if partition is not None and partition.per_unit > 1:
        yield everyone + total_of(book, charge, of.WORST)
        return
    yield everyone
    if partition is not None:
        for _, kept in book.facts(charge.dataset, of.BLOCK):
            yield everyone + Cost.from_dict(json.loads(kept), charge.terms.kinds)


def charge_of(book: Facts, dataset: str, body: Mapping[str, Any]) -> Charge:
    """What an entry charges, in either version of its words."""
    terms = terms_of(book, dataset)
    sums = {"sum": [body["epsilon_units"], body["delta_units"]]} if "cost" not in body else body["cost"]
    blocks = None if body.get("blocks") is None else Blocks.from_dict(body["blocks"])
    return Charge(dataset, terms, Cost.from_dict(sums, terms.kinds), body["analyst"], blocks)


def terms_of(book: Facts, dataset: str) -> Terms:
    """The terms of a data set that exists."""
    kept = book.fact(dataset, of.TERMS) if is_text(dataset) else None
    if kept is None:
        raise UnknownName(f"the ledger has no data set {dataset!r}; create it with its budget first")
    return Terms.from_dict(json.loads(kept))


def partition_of(book: Facts, dataset: str) -> Partition | None:
    """The partition of a data set, if it has one."""
    kept = book.fact(dataset, of.PARTITION)
    return None if kept is None else Partition.from_dict(json.loads(kept))


def share_of(book: Facts, dataset: str, analyst: str) -> Share | None:
    """An analyst's share, if they have one."""
    kept = book.fact(dataset, of.SHARE, analyst)
    return None if kept is None else Share.from_dict(json.loads(kept))


def check_analyst(book: Facts, dataset: str, analyst: str | None) -> None:
    """Where there are shares, only those who have one may draw."""
    if next(book.facts(dataset, of.SHARE), None) is None:
        return
    if analyst is None:
        raise UnknownName(f"{dataset!r} is shared among analysts: name the analyst")
    if share_of(book, dataset, analyst) is None:
        raise UnknownName(f"analyst {analyst!r} has no share of {dataset!r}; declare it with ledger.share")


def total_of(book: Facts, charge: Charge, kind: str, name: str = "") -> Cost:
    """A running total."""
    kept = book.fact(charge.dataset, kind, name)
    return charge.terms.nothing if kept is None else Cost.from_dict(json.loads(kept), charge.terms.kinds)


def _check_units(charge: Charge, cases: list[tuple[str | None, Cost, Cost]]) -> None:
    for label, before, after in cases:
        where = repr(charge.dataset) if label is None else f"block {label!r} of {charge.dataset!r}"
        _check(where, charge.terms.branches, charge.cost, before, after)


def _check(where: str, branches: Branches, cost: Cost, before: Cost, after: Cost) -> None:
    if not admitted(branches, after):
        raise BudgetExceeded(f"{where} was asked for {cost}; what is left is {shown_left(branches, before)}")


def _see(book: Facts, dataset: str, analyst: str | None, receipt: str) -> None:
    if analyst is not None:
        book.put_fact(dataset, of.SEEN, f"{receipt} {analyst}", "")


def _old(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in ("unit", "relation", "epsilon_units", "delta_units")}


def _text(value: Mapping[str, Any]) -> str:
    return canonical(value).decode()
