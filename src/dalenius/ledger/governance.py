"""What follows from the owner's decisions: rules for links that say who may draw and which people are the same."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalenius.errors import BudgetExceeded
from dalenius.ledger import facts as of
from dalenius.ledger.accounts import Charge, budget_of, population_of, share_of, terms_of, total_of
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.filters import admitted
from dalenius.ledger.store import Link
from dalenius.ledger.terms import AnalystShare

Words = Mapping[str, Any]


def revoke(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """A share that admits nothing any more; what was spent stays with the name."""
    share = share_of(book, dataset, body["analyst"])
    if share is None:
        raise ValueError("a share that nobody gave cannot be revoked")
    book.put_fact(dataset, of.SHARE, body["analyst"], _text(replace(share, revoked=True).to_dict()))


def team(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """A team is one analyst: what one of its members has seen, all have.

    So the team takes over what a new member has spent and seen, and one who leaves has spent and seen what the team
    has. An answer that two of them had seen is then counted twice: more than was learned, never less.
    """
    name, members = body["team"], set(body["members"])
    nothing = Charge(dataset, terms_of(book, dataset), terms_of(book, dataset).nothing)
    before = {member for member, kept in book.facts(dataset, of.TEAM) if kept == name}
    if any(book.fact(dataset, of.TEAM, member) not in (None, "", name) for member in members):
        raise ValueError("an analyst draws with one team")
    total = total_of(book, nothing, of.ANALYST, name)
    seen = [entry for entry, _ in book.facts(dataset, of.SEEN)]
    for member in sorted(before - members):
        book.put_fact(dataset, of.ANALYST, member, _text(total.to_dict()))
        book.put_fact(dataset, of.TEAM, member, "")
        _copy_seen(book, dataset, seen, name, member)
    for member in sorted(members - before):
        total += total_of(book, nothing, of.ANALYST, member)
        book.put_fact(dataset, of.TEAM, member, name)
        _copy_seen(book, dataset, seen, member, name)
    book.put_fact(dataset, of.ANALYST, name, _text(total.to_dict()))


def rule(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """What the owner demands of every charge."""
    book.put_fact(dataset, of.RULE, "purpose", body["purpose"])


def joined(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """The last link of a chain: from now on the data set's links stand in the chain of its population."""
    book.put_fact(dataset, of.POPULATION, "", body["population"])


def join(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """Data sets of the same people have one budget: the least of theirs, less what was charged to any of them.

    A person who is in all of them pays for every charge to any, so one filter counts them all  [A Alg 5]. A sum of
    costs within the caps was within them after each of the earlier entries too: the filter would have admitted them.
    """
    budget = AnalystShare.from_dict(body)
    terms = terms_of(book, dataset)
    if book.fact(dataset, of.JOINT) is not None:
        raise ValueError("data sets are joined once")
    if any(not budget.limit.within(budget_of(book, name).limit) for name in body["datasets"]):
        raise ValueError("joined data sets have no more than the least of their budgets")
    total = terms.nothing
    for name in body["datasets"]:
        if name != dataset and book.fact(name, of.POPULATION) != dataset:
            raise ValueError("a data set was not told that it is joined")
        total += _own_total(book, name)
    if not admitted(budget.branches, total):
        raise BudgetExceeded("what was charged to the data sets is more than they may spend together")
    book.put_fact(dataset, of.JOINT, "", _text(budget.to_dict() | {"datasets": list(body["datasets"])}))
    book.put_fact(dataset, of.EVERYONE, "", _text(total.to_dict()))


def write_off(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """All that is left counts as spent."""
    book.put_fact(population_of(book, dataset), of.WRITTEN_OFF, "", body["reason"])


def members_of(book: LedgerFacts, dataset: str) -> list[str]:
    """The data sets that share a budget with this one, itself among them."""
    kept = book.fact(population_of(book, dataset), of.JOINT)
    return [dataset] if kept is None else list(json.loads(kept)["datasets"])


def least_of(book: LedgerFacts, datasets: list[str]) -> AnalystShare:
    """The budget that data sets have together: the least ε and the least δ of theirs, in their common filter."""
    limits = [budget_of(book, name).limit for name in datasets]
    least = replace(
        limits[0],
        epsilon_units=min(limit.epsilon_units for limit in limits),
        delta_units=min(limit.delta_units for limit in limits),
    )
    return terms_of(book, datasets[0]).share(least)


def is_profile(link: Link, label: str) -> bool:
    """Whether a charge told how a table is shaped, and answered nothing."""
    return bool(json.loads(link.body).get("label") == label)


def _own_total(book: LedgerFacts, dataset: str) -> Any:
    """What was charged to the people of a data set while it had a chain of its own."""
    terms = terms_of(book, dataset)
    kept = book.fact(dataset, of.EVERYONE)
    return terms.nothing if kept is None else type(terms.nothing).from_dict(json.loads(kept), terms.kinds)


def _copy_seen(book: LedgerFacts, dataset: str, seen: list[str], one: str, other: str) -> None:
    for entry in seen:
        receipt, _, who = entry.partition(" ")
        if who == one:
            book.put_fact(dataset, of.SEEN, f"{receipt} {other}", "")


def _text(value: Words) -> str:
    return canonical(value).decode()
