"""Charges: written before data is read, answered once, and free for those who ask the same again."""

import hashlib
import json
from typing import Any, Protocol

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName
from dalenius.guarantees import Guarantee
from dalenius.ledger import accounts, facts, kinds, requests
from dalenius.ledger.accounts import Charge
from dalenius.ledger.alerts import alerts, tell, used
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.charge import canonical, to_form
from dalenius.ledger.filters import cost_of
from dalenius.ledger.questions import question_of
from dalenius.ledger.receipt import Receipt, decoded, receipt_of
from dalenius.ledger.store import Link, Records
from dalenius.neighbors import Unit


class Outcome(Protocol):
    """What a plan's run leaves to be stored."""

    def to_dict(self) -> dict[str, Any]:
        """Released values and public facts, as JSON holds them."""


class Charging(Books):
    """Charges and their answers; every method is one transaction."""

    def reserve(
        self,
        guarantee: Guarantee,
        *,
        dataset: str,
        unit: Unit | str,
        analyst: str | None = None,
        blocks: Blocks | None = None,
        key: str | None = None,
        fingerprint: str | None = None,
        label: str | None = None,
        interactive: bool = False,
        fresh: bool = False,
        text: str | None = None,
        purpose: str | None = None,
    ) -> Receipt:
        """Charge a release that has not happened yet; BudgetExceeded if it does not fit, and then nothing is written.

        A question whose answer is committed already costs the data set nothing, with any key: the receipt carries that
        release, and the analyst's share is charged when they see it first.

        Args:
            guarantee: what the release promises, which is its price.
            dataset: whose budget pays.
            unit: who is protected; it must be the data set's.
            analyst: whose share pays too; None is the owner.
            blocks: the part of the people that is read; None is everyone.
            key: makes a retry safe: the same key with the same question is the same charge, paid once; with another
                question it is refused. It never forces a new draw.
            fingerprint: names the question.
            label: what kind of surcharge this is, if it is one.
            interactive: whether the release is a run that may be interleaved with other questions.
            fresh: draw again, and pay again, though the answer is known.
            text: the question as it was asked.
            purpose: what the answer is for; the owner may require it.
        """
        check_texts(key=key, analyst=analyst, fingerprint=fingerprint, label=label, text=text, purpose=purpose)
        _check_blocks(blocks)
        question = question_words(guarantee, Unit.of(unit), fingerprint, blocks)
        with self._store.transaction(dataset) as records:
            asked = question_of(question)
            granted = requests.grant_of(records, dataset, asked, analyst)
            charge = _charge(records, guarantee, dataset, Unit.of(unit), analyst, blocks, interactive, granted)
            earlier = None if key is None else records.link_of_key(dataset, key)
            if earlier is not None:
                return _again(records, earlier, question | {"analyst": analyst}, key)
            answer = None if fresh or asked is None else records.fact(dataset, facts.ANSWER, asked)
            if answer is not None:
                return self._view(records, charge, answer, analyst)
            _check_purpose(records, dataset, purpose)
            body: dict[str, Any] = question | {"cost": charge.cost.to_dict(), "analyst": analyst, "label": label}
            body |= {"text": text, "purpose": purpose}
            if interactive:
                body["interactive"] = True
            if granted is not None:
                body["request"] = granted
            before = {} if self._hook is None else used(records, charge)
            number, digest = self._append(records, kinds.RESERVE, dataset, body, key)
            passed = [] if self._hook is None else alerts(dataset, before, used(records, charge))
        self._bind(number)
        if self._hook is not None:
            tell(self._hook, passed)
        return receipt_of(dataset, body, number, digest, None)

    def earlier(
        self,
        guarantee: Guarantee,
        *,
        dataset: str,
        unit: Unit | str,
        fingerprint: str,
        analyst: str | None = None,
        blocks: Blocks | None = None,
    ) -> dict[str, Any] | None:
        """What `reserve` would find committed for the same question, if the analyst has seen it; nothing is written."""
        asked = question_of(question_words(guarantee, Unit.of(unit), fingerprint, blocks))
        with self._store.reading() as records:
            answer = None if asked is None else records.fact(dataset, facts.ANSWER, asked)
            account = accounts.account_of(records, dataset, analyst)
            if answer is None or not _seen(records, dataset, answer, account):
                return None
            payload = records.release(answer)
        return None if payload is None else decoded(payload)

    def seen(self, dataset: str, receipt: str, analyst: str | None = None) -> dict[str, Any] | None:
        """What was committed under a receipt, if the analyst has seen it; the owner has seen everything."""
        with self._store.reading() as records:
            link = records.link_of_hash(receipt)
            account = accounts.account_of(records, dataset, analyst)
            if link is None or (link.kind, link.dataset) != (kinds.RESERVE, dataset):
                return None
            own = json.loads(link.body)["analyst"] == analyst
            if not own and not _seen(records, dataset, receipt, account):
                return None
            payload = records.release(receipt)
        return None if payload is None else decoded(payload)

    def admits(
        self, guarantee: Guarantee, *, dataset: str, analyst: str | None = None, blocks: Blocks | None = None
    ) -> bool:
        """Whether a charge would fit now; nothing is written, and another may come first."""
        _check_blocks(blocks)
        with self._store.reading() as records:
            unit = accounts.terms_of(records, dataset).unit
            try:
                charge = _charge(records, guarantee, dataset, unit, analyst, blocks, time=self._time(records, dataset))
                accounts.population_after(records, charge)
                accounts.analyst_after(records, charge)
            except BudgetExceeded:
                return False
        return True

    def commit(self, receipt: Receipt, outcome: Outcome) -> None:
        """Store the release of a charge; if one is there already it stays, and this one is dropped unseen."""
        payload = canonical(outcome.to_dict())
        with self._store.transaction(receipt.dataset) as records:
            link = records.link_of_hash(receipt.head)
            if link is None or (link.kind, link.dataset) != (kinds.RESERVE, receipt.dataset):
                raise LedgerMismatch("this receipt was not written by this ledger")
            if records.release(receipt.head) is None:
                records.add_release(receipt.head, payload)
                body = {
                    "receipt": receipt.head,
                    "release": hashlib.sha256(payload).hexdigest(),
                    "question": question_of(json.loads(link.body)),
                }
                self._append(records, kinds.COMMIT, receipt.dataset, body)

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        """What was committed under a receipt: the only thing that may leave."""
        with self._store.reading() as records:
            payload = records.release(receipt.head)
        if payload is None:
            raise UnknownName("nothing was committed under this receipt")
        return decoded(payload)

    def _view(self, records: Records, charge: Charge, answer: str, analyst: str | None) -> Receipt:
        """A committed answer, charged to its asker's share unless they have seen it."""
        if not _seen(records, charge.dataset, answer, charge.account):
            body = {"receipt": answer, "analyst": analyst, "cost": charge.cost.to_dict()}
            self._append(records, kinds.VIEW, charge.dataset, body)
        link = records.link_of_hash(answer)
        if link is None:
            raise LedgerMismatch("the entry of a stored answer is missing; run verify")
        return receipt_of(charge.dataset, json.loads(link.body), link.number, link.hash, records.release(answer))


def question_words(guarantee: Guarantee, unit: Unit, fingerprint: str | None, blocks: Blocks | None) -> dict[str, Any]:
    """The words that two charges for the same answer share."""
    words = {"guarantee": to_form(guarantee), "unit": unit.column, "fingerprint": fingerprint}
    return words | {"blocks": None if blocks is None else blocks.to_dict()}


def _check_blocks(blocks: Blocks | None) -> None:
    if blocks is not None and not isinstance(blocks, Blocks):
        raise InvalidParameter(f"blocks must be Blocks(partition, labels) or None, got {type(blocks).__name__}")


def _check_purpose(records: Records, dataset: str, purpose: str | None) -> None:
    if records.fact(dataset, facts.RULE, "purpose") == "required" and not (purpose and purpose.strip()):
        raise InvalidParameter(f"the owner of {dataset!r} asks what every answer is for: give purpose=")


def _charge(
    records: Records,
    guarantee: Guarantee,
    dataset: str,
    unit: Unit,
    analyst: str | None,
    blocks: Blocks | None,
    interactive: bool = False,
    granted: str | None = None,
    time: str | None = None,
) -> Charge:
    terms = accounts.terms_of(records, dataset)
    cost = cost_of(guarantee, terms.branches, interactive)
    terms.check_charge(dataset, unit, guarantee.relation)
    if granted is None:
        accounts.check_analyst(records, dataset, analyst)
    account = accounts.account_of(records, dataset, analyst)
    return Charge(dataset, terms, cost, account, blocks, time, granted is not None)


def _seen(records: Records, dataset: str, answer: str, account: str | None) -> bool:
    return account is None or records.fact(dataset, facts.SEEN, f"{answer} {account}") is not None


def _again(records: Records, link: Link, asked: dict[str, Any], key: str | None) -> Receipt:
    before = json.loads(link.body)
    if any(before.get(name) != value for name, value in asked.items()):
        raise LedgerMismatch(f"key {key!r} was used for another question; a key names one question for ever")
    return receipt_of(link.dataset, before, link.number, link.hash, records.release(link.hash))
