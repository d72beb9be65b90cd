"""Charges: written before data is read, answered once, and free for those who ask the same again."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName
from dalenius.guarantees import Guarantee
from dalenius.ledger import accounts, allowances, facts, kinds, requests
from dalenius.ledger.accounts import Charge
from dalenius.ledger.alerts import Alert, alerts, tell, used
from dalenius.ledger.asked_charge import AskedCharge, check_blocks
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.books import Books
from dalenius.ledger.charge import canonical
from dalenius.ledger.filters import cost_of
from dalenius.ledger.questions import question_of, question_words
from dalenius.ledger.receipt import Receipt, decoded, receipt_of
from dalenius.ledger.store import Records, WorkKind
from dalenius.ledger.terms import Terms
from dalenius.neighbors import Unit


class ChargeOutcome(Protocol):
    """What a plan's run leaves to be stored."""

    def to_dict(self) -> dict[str, Any]:
        """Released values and public facts, as JSON holds them."""


@dataclass(frozen=True, slots=True)
class _Charged:
    """A receipt; the number of the entry that was written for it, if any, and the levels that a budget passed by it."""

    receipt: Receipt
    number: int | None = None
    passed: list[Alert] = field(default_factory=list)


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
            purpose: what the answer is for, by default as `acting` says; the owner may require it.
        """
        asked = AskedCharge(
            *(guarantee, dataset, Unit.of(unit), analyst, blocks, key, fingerprint, label, interactive, fresh, text),
            self._purpose if purpose is None else purpose,
        )
        charged = self._store.write(lambda records: self._charged(records, asked), WorkKind.CHARGE, dataset)
        if charged.number is not None:
            self._bind(charged.number)
        if self._hook is not None:
            tell(self._hook, charged.passed)
        return charged.receipt

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
            answer = _answer(records, dataset, asked)
            account = accounts.account_of(records, dataset, analyst)
            if answer is None or not _seen(records, dataset, answer, account):
                return None
            return self._receipt(records, answer).release

    def seen(self, dataset: str, receipt: str, analyst: str | None = None) -> Receipt | None:
        """A receipt with what was committed under it, if the analyst has seen it; the owner has seen everything."""
        with self._store.reading() as records:
            link = records.link_of_hash(receipt)
            account = accounts.account_of(records, dataset, analyst)
            if link is None or (link.kind, link.dataset) != (kinds.RESERVE, dataset):
                return None
            own = json.loads(link.body)["analyst"] == analyst
            if not own and not _seen(records, dataset, receipt, account):
                return None
            kept = self._receipt(records, receipt)
        return None if kept.release is None else kept

    def labelled(self, dataset: str, label: str) -> list[tuple[str, dict[str, Any]]]:
        """What was released under surcharges of one kind, with the time of each charge, in order.

        Whoever may ask is told: a surcharge buys facts about a table that every asker's terms are made from, so its
        answer is no analyst's own. The population has paid for it whoever bought it.
        """
        with self._store.reading() as records:
            accounts.terms_of(records, dataset)
            charges = self._labelled.of(records, dataset, label)
            releases = [(one.time, self._release(records, dataset, one.receipt)) for one in charges]
        return [(time, release) for time, release in releases if release is not None]

    def admits(
        self, guarantee: Guarantee, *, dataset: str, analyst: str | None = None, blocks: Blocks | None = None
    ) -> bool:
        """Whether a charge would fit now; nothing is written, and another may come first."""
        check_blocks(blocks)
        with self._store.reading() as records:
            terms, time = accounts.terms_of(records, dataset), self._time(records, dataset)
            try:
                charge = _charge(records, terms, guarantee, dataset, terms.unit, analyst, blocks, time=time)
                accounts.population_after(records, charge)
                accounts.analyst_after(records, charge)
                allowances.today_after(records, charge)
            except BudgetExceeded:
                return False
        return True

    def commit(self, receipt: Receipt, outcome: ChargeOutcome) -> None:
        """Store the release of a charge; if one is there already it stays, and this one is dropped unseen."""
        payload = canonical(outcome.to_dict())
        self._store.write(lambda records: self._stored(records, receipt, payload), WorkKind.ANSWER, receipt.dataset)

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        """What was committed under a receipt: the only thing that may leave."""
        with self._store.reading() as records:
            release = self._release(records, receipt.dataset, receipt.head)
        if release is None:
            raise UnknownName("nothing was committed under this receipt")
        return release

    def _charged(self, records: Records, asked: AskedCharge) -> _Charged:
        """Everything that is decided about a charge, inside of one transaction."""
        dataset, question = asked.dataset, question_of(asked.question)
        terms = accounts.terms_of(records, dataset)
        self._answers.check(records, dataset)  # before a charge whose answer could not be stored
        paid = _paid(records, asked, question)
        if paid is not None:
            return _Charged(replace(self._receipt(records, paid), repeated=True))
        granted = requests.grant_of(records, dataset, question, asked.analyst)
        charge = _charge(
            *(records, terms, asked.guarantee, dataset, asked.unit, asked.analyst, asked.blocks),
            *(asked.interactive, granted),
        )
        _check_purpose(records, dataset, asked.purpose)
        answer = None if asked.fresh else _answer(records, dataset, question)
        before = {} if self._hook is None else used(records, charge)
        words = asked.words | {"cost": charge.cost.to_dict()} | ({} if granted is None else {"request": granted})
        if answer is not None:  # others have paid for it: only the asker's share is charged
            number, _ = self._append(records, kinds.VIEW, dataset, words | {"receipt": answer, "question": question})
        else:
            number, answer = self._append(records, kinds.RESERVE, dataset, words | asked.form, asked.key)
        passed = [] if self._hook is None else alerts(dataset, before, used(records, charge))
        return _Charged(self._receipt(records, answer), number, passed)

    def _stored(self, records: Records, receipt: Receipt, payload: bytes) -> None:
        """Store a release under its charge, unless one is there."""
        link = records.link_of_hash(receipt.head)
        if link is None or (link.kind, link.dataset) != (kinds.RESERVE, receipt.dataset):
            raise LedgerMismatch("this receipt was not written by this ledger")
        if records.release(receipt.head) is None:
            stored, digest = self._answers.close(records, receipt.dataset, receipt.head, payload)
            records.add_release(receipt.head, stored)
            question = question_of(json.loads(link.body))
            body = {"receipt": receipt.head, "release": digest, "question": question}
            self._append(records, kinds.COMMIT, receipt.dataset, body)

    def _receipt(self, records: Records, digest: str) -> Receipt:
        """The receipt of a charge, with its answer if one is stored."""
        link = records.link_of_hash(digest)
        if link is None:
            raise LedgerMismatch("the entry of a stored answer is missing; run verify")
        release = self._release(records, link.dataset, digest)
        return receipt_of(link.dataset, json.loads(link.body), link.number, digest, release)

    def _release(self, records: Records, dataset: str, receipt: str) -> dict[str, Any] | None:
        """The answer that is stored under a receipt, if any."""
        stored = records.release(receipt)
        return None if stored is None else decoded(self._answers.open(records, dataset, receipt, stored))


def _check_purpose(records: Records, dataset: str, purpose: str | None) -> None:
    if records.fact(dataset, facts.RULE, "purpose") == "required" and not (purpose and purpose.strip()):
        raise InvalidParameter(
            f"the owner of {dataset!r} asks what every answer is for: give purpose=, "
            "or use the ledger that ledger.acting(purpose=…) gives"
        )


def _charge(
    records: Records,
    terms: Terms,
    guarantee: Guarantee,
    dataset: str,
    unit: Unit,
    analyst: str | None,
    blocks: Blocks | None,
    interactive: bool = False,
    granted: str | None = None,
    time: str | None = None,
) -> Charge:
    cost = cost_of(guarantee, terms.branches, interactive)
    terms.check_charge(dataset, unit, guarantee.relation)
    if granted is None:
        accounts.check_analyst(records, dataset, analyst)
    account = accounts.account_of(records, dataset, analyst)
    return Charge(dataset, terms, cost, account, blocks, time, granted is not None)


def _answer(records: Records, dataset: str, asked: str | None) -> str | None:
    """The charge under which the answer to a question is stored."""
    return None if asked is None else records.fact(dataset, facts.ANSWER, asked) or None


def _seen(records: Records, dataset: str, answer: str, account: str | None) -> bool:
    return account is None or records.fact(dataset, facts.SEEN, f"{answer} {account}") is not None


def _paid(records: Records, asked: AskedCharge, question: str | None) -> str | None:
    """The charge by which who asks has paid already: under the same key, or for an answer that they have seen.

    It is theirs even if their share has ended since, or if they had none and the owner approved this question.
    """
    link = None if asked.key is None else records.link_of_key(asked.dataset, asked.key)
    if link is not None:
        before = json.loads(link.body)
        if any(before.get(name) != value for name, value in (asked.question | {"analyst": asked.analyst}).items()):
            raise LedgerMismatch(f"key {asked.key!r} was used for another question; a key names one question for ever")
        return link.hash
    answer = None if asked.fresh else _answer(records, asked.dataset, question)
    account = accounts.account_of(records, asked.dataset, asked.analyst)
    return answer if answer is not None and _seen(records, asked.dataset, answer, account) else None
