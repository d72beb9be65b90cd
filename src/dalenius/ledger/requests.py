"""What analysts ask the owner for, and what the owner answered: rules for their links, and what they add up to.

A request is for more budget, or for one question. An approved question may be run once, by who asked for it: the
population pays, and the price is counted beside the analyst's share and not against it. So what the share promises
holds for all but the questions that the owner approved one by one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.errors import LedgerMismatch, UnknownName
from dalenius.ledger import facts as of
from dalenius.ledger.accounts import account_of
from dalenius.ledger.amount import Amount
from dalenius.ledger.blocks import is_text
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.questions import question_of

Words = Mapping[str, Any]
OPEN, APPROVED, DECLINED = "open", "approved", "declined"


@dataclass(frozen=True, slots=True)
class BudgetRequest:
    """A request, and where it stands: "open", "approved" or "declined".

    `price` is what was asked for; `text` is the question, None where more budget is asked for; `error` is how far off
    its answer would be, in words.
    """

    id: str
    dataset: str
    analyst: str
    price: Amount
    purpose: str | None
    text: str | None
    error: str | None
    state: str
    time: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: numbers are decimals."""
        price = {"epsilon": self.price.to_dict()["epsilon"], "delta": self.price.to_dict()["delta"]}
        words = {"id": self.id, "dataset": self.dataset, "analyst": self.analyst, "state": self.state}
        return words | price | {"purpose": self.purpose, "text": self.text, "error": self.error, "time": self.time}


def request(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """An open request, named by the hash of its link."""
    words = ("analyst", "epsilon_units", "delta_units", "purpose", "text", "error", "time")
    kept = {word: body[word] for word in words} | {"state": OPEN}
    if body["question"] is not None:
        kept |= {"question": question_of(body["question"])}
    book.put_fact(dataset, of.REQUEST, digest, canonical(kept).decode())


def decide(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """The owner's answer, once; an approved question may be run."""
    kept = _kept(book, dataset, body["request"])
    if kept["state"] != OPEN:
        raise ValueError("a request is answered once")
    approved = body["kind_of_answer"] == APPROVED
    if approved and kept.get("question") is not None:
        book.put_fact(dataset, of.GRANT, grant_name(book, dataset, kept["question"], kept["analyst"]), body["request"])
    words = canonical(kept | {"state": APPROVED if approved else DECLINED}).decode()
    book.put_fact(dataset, of.REQUEST, body["request"], words)


def use_grant(book: LedgerFacts, dataset: str, question: str | None, body: Words) -> None:
    """An approval is used up by one charge, or by one look at an answer that others have paid for."""
    for name in _grant_names(book, dataset, str(question), body["analyst"]):
        if book.fact(dataset, of.GRANT, name) == body["request"]:
            book.put_fact(dataset, of.GRANT, name, "")
            return
    raise ValueError("nobody approved this question, or it was run already")


def grant_of(book: LedgerFacts, dataset: str, question: str | None, analyst: str | None) -> str | None:
    """The request under which a question may be run, if the owner approved one that was not run yet."""
    if question is None or analyst is None:
        return None
    grants = (book.fact(dataset, of.GRANT, name) for name in _grant_names(book, dataset, question, analyst))
    return next(filter(None, grants), None)


def grant_name(book: LedgerFacts, dataset: str, question: str, analyst: str) -> str:
    """A question and whom it was approved for: the team that the analyst draws with, or they themselves."""
    return f"{question} {account_of(book, dataset, analyst)}"


def _grant_names(book: LedgerFacts, dataset: str, question: str, analyst: str) -> tuple[str, str]:
    """What an approval may be kept under: the analyst may have come to a team, or left it, since."""
    return grant_name(book, dataset, question, analyst), f"{question} {analyst}"


def open_request(book: LedgerFacts, dataset: str, id_: str) -> dict[str, Any]:
    """The words of a request that waits for an answer."""
    kept = _kept(book, dataset, id_)
    if kept["state"] != OPEN:
        raise LedgerMismatch(f"request {id_[:12]} was {kept['state']} already")
    return kept


def all_requests(book: LedgerFacts, dataset: str) -> list[BudgetRequest]:
    """Every request of a data set, the oldest first."""
    requests = [(id_, json.loads(kept)) for id_, kept in book.facts(dataset, of.REQUEST)]
    return [
        BudgetRequest(
            id=id_,
            dataset=dataset,
            analyst=kept["analyst"],
            price=Amount(int(kept["epsilon_units"]), int(kept["delta_units"])),
            purpose=kept["purpose"],
            text=kept["text"],
            error=kept["error"],
            state=kept["state"],
            time=kept["time"],
        )
        for id_, kept in sorted(requests, key=lambda one: (one[1]["time"], one[0]))
    ]


def _kept(book: LedgerFacts, dataset: str, id_: str) -> dict[str, Any]:
    kept = book.fact(dataset, of.REQUEST, id_) if is_text(id_) else None
    if kept is None:
        raise UnknownName(f"{dataset!r} has no request {id_!r:.14}")
    return json.loads(kept)  # type: ignore[no-any-return]
