"""Answers and explanations as a server sends them, made into those that an embedded session gives."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from dalenius.curator import Release
from dalenius.errors import DaleniusError, ServerUnavailable
from dalenius.escape import escaped
from dalenius.ledger import Amount, from_form
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import rational
from dalenius.sql import Description, PricedQuestion, QueryExplanation


def read_release(answer: Mapping[str, Any]) -> Release:
    """The release of an answer: what is computed from it, here as there, is a function of what was released."""
    with as_documented():
        release = _release(str(answer["form"]), answer["release"])
        receipt = replace(release.receipt, repeated=answer.get("repeated") is True)
        object.__setattr__(release, "receipt", receipt)  # made above; replace() would lose the rows of a copy's answer
        return release


@contextmanager
def as_documented() -> Iterator[None]:
    """Refuse in one sentence whatever a server sends that cannot be read: a server is no part of this program."""
    try:
        yield
    except (DaleniusError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        failed = ServerUnavailable("the server's answer is not of a form that this version of dalenius reads")
    else:
        return
    raise failed


def _release(form: str, stored: dict[str, Any]) -> Release:
    if form == "description":
        return Description.from_dict(stored)
    if form == "synthetic answer":
        from dalenius.remote.synthetic import RemoteSyntheticAnswer

        return RemoteSyntheticAnswer.read(stored)
    release = Release.from_dict(stored)
    if form == "answer":
        return release
    from dalenius import synthesis

    made = {"synthetic copy": synthesis.Copy, "linked synthetic copy": synthesis.LinkedCopy}[form]
    return made(release.outcome, release.receipt)


def read_amount(stored: Mapping[str, str]) -> Amount:
    """What may still be spent."""
    with as_documented():
        return Amount.limit(stored["epsilon"], stored["delta"])


@dataclass(frozen=True, slots=True)
class RemoteExplanation(QueryExplanation):
    """A question's price and error as a server tells them, in its words.

    `guarantee` is what the ledger would charge; `known` says whether the answer would be free.
    """

    text: str
    facts: dict[str, Any]
    known: bool

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> "RemoteExplanation":
        """The explanation of a reply."""
        with as_documented():
            return cls._read(answer)

    @classmethod
    def _read(cls, answer: Mapping[str, Any]) -> "RemoteExplanation":
        facts = dict(answer["facts"])
        return cls(
            tuple(_line(one) for one in answer["lines"]),
            from_form(answer["form"]),
            Unit.stored(answer["unit_column"], Relation(facts["relation"])),
            facts["cells"],
            tuple(facts["answer"]),
            facts["errors"],
            answer["text"],
            facts,
            answer["known"],
            notes=tuple(facts.get("notes", ())),
            profile=rational(facts.get("profile", 0), "profile"),
        )

    @escaped
    @escaped
    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return self.facts


def _line(stored: Mapping[str, Any]) -> PricedQuestion:
    prices = {name: None if stored[name] is None else rational(stored[name], name) for name in ("epsilon", "rho")}
    return PricedQuestion(**{**stored, **prices, "sensitivity": rational(stored["sensitivity"], "sensitivity")})
