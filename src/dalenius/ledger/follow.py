"""What follows from a link: one rule for each kind, for the live ledger and for `verify` alike.

A rule writes the facts that a link changes. It raises before it writes anything if the link may not be there; so a
total that these rules would not have written is found by `verify`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dalenius.errors import LedgerCorrupted
from dalenius.ledger import allowances, governance, keys, kinds, publications, requests, tables
from dalenius.ledger import facts as of
from dalenius.ledger.accounts import analyst_after, charge_of, population_after, population_of
from dalenius.ledger.blocks import Partition
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.moments import not_before
from dalenius.ledger.questions import question_of
from dalenius.ledger.terms import AnalystShare, Terms

Words = Mapping[str, Any]


def follow(book: LedgerFacts, kind: str, dataset: str, body: Words, digest: str) -> None:
    """Write what a link changes; BudgetExceeded, before anything is written, if it may not be there."""
    rule = RULES.get(kind)
    if rule is None:
        raise LedgerCorrupted(f"an entry is of the kind {kind!r}, which this version does not know")
    chain = population_of(book, dataset)
    latest = not_before(book.fact(chain, of.TIME), body)
    rule(book, dataset, body, digest)
    if latest is not None:
        book.put_fact(chain, of.TIME, "", latest)
    if kind not in kinds.FIRST and book.fact(dataset, of.NEEDS, kind) is None:
        book.put_fact(dataset, of.NEEDS, kind, "")


def _create(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    if book.fact(dataset, of.TERMS) is not None:
        raise ValueError("a data set has one budget, for ever")
    terms = Terms.from_dict(body).to_dict() if "filter" in body else _old(body)
    book.put_fact(dataset, of.TERMS, "", _text(terms))


def _share(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    book.put_fact(dataset, of.SHARE, body["analyst"], _text(AnalystShare.from_dict(body).to_dict()))


def _partition(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    if book.fact(dataset, of.PARTITION) is not None:
        raise ValueError("a data set has one partition, for ever")
    book.put_fact(dataset, of.PARTITION, "", _text(Partition.from_dict(body).to_dict()))


def _reserve(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    charge = charge_of(book, dataset, body)
    own = analyst_after(book, charge)  # first, so that who asks for more than their share leaves is told of that
    moved = population_after(book, charge) | own
    today = allowances.today_after(book, charge)
    if charge.approved:
        requests.use_grant(book, dataset, question_of(dict(body)), body)
    for (whose, what, name), total in moved.items():
        book.put_fact(whose, what, name, _text(total.to_dict()))
    allowances.put_today(book, charge, today)
    if body["fingerprint"] is not None:
        _see(book, dataset, charge.account, digest)


def _view(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    charge = charge_of(book, dataset, body)
    moved = analyst_after(book, charge)
    today = allowances.today_after(book, charge)
    if charge.approved:
        requests.use_grant(book, dataset, body["question"], body)
    for (whose, what, name), total in moved.items():
        book.put_fact(whose, what, name, _text(total.to_dict()))
    allowances.put_today(book, charge, today)
    _see(book, dataset, charge.account, body["receipt"])


def _commit(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    if body.get("question") is not None and not book.fact(dataset, of.ANSWER, body["question"]):
        book.put_fact(dataset, of.ANSWER, body["question"], body["receipt"])


def _tables(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    tables.follow(book, dataset, body)


def _encrypt(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """Answers under lost keys are answers no more: all that were given so far are under them."""
    book.put_fact(dataset, of.ENCRYPTED, "", body["encrypted_under"])
    for key in body["lost_keys"]:
        book.put_fact(dataset, of.LOST_KEY, key, "")
    if body["lost_keys"]:
        for question, _ in list(book.facts(dataset, of.ANSWER)):
            book.put_fact(dataset, of.ANSWER, question, "")


def _nothing(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """It says something and changes no total."""


RULES: Mapping[str, Callable[[LedgerFacts, str, Words, str], None]] = {
    kinds.CREATE: _create,
    kinds.CONTINUE: _nothing,
    kinds.SHARE: _share,
    kinds.PARTITION: _partition,
    kinds.RESERVE: _reserve,
    kinds.VIEW: _view,
    kinds.COMMIT: _commit,
    kinds.TABLES: _tables,
    kinds.REVOKE: governance.revoke,
    kinds.TEAM: governance.team,
    kinds.RULE: governance.rule,
    kinds.JOINED: governance.joined,
    kinds.JOIN: governance.join,
    kinds.WRITE_OFF: governance.write_off,
    kinds.REQUEST: requests.request,
    kinds.APPROVE: requests.decide,
    kinds.DECLINE: requests.decide,
    kinds.ENCRYPT: _encrypt,
    kinds.KEY: keys.grant,
    kinds.REVOKE_KEY: keys.revoke,
    kinds.LOGIN: keys.grant_login,
    kinds.ALLOW: allowances.allow,
    kinds.PUBLISH: publications.publish,
    kinds.WITHDRAW: publications.withdraw,
}
"""What was written keeps its meaning: a rule is added to for a new version of a link's words, never changed."""


def _see(book: LedgerFacts, dataset: str, analyst: str | None, receipt: str) -> None:
    if analyst is not None:
        book.put_fact(dataset, of.SEEN, f"{receipt} {analyst}", "")


def _old(body: Words) -> dict[str, Any]:
    return {name: body[name] for name in ("unit", "relation", "epsilon_units", "delta_units")}


def _text(value: Words) -> str:
    return canonical(value).decode()
