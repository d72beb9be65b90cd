"""Durable privacy budgets."""

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName
from dalenius.guarantees import Guarantee
from dalenius.ledger import accounts, chain, facts
from dalenius.ledger.accounts import Charge
from dalenius.ledger.amount import Amount
from dalenius.ledger.blocks import Blocks, Partition, is_text
from dalenius.ledger.charge import canonical, to_form
from dalenius.ledger.cost import Cost
from dalenius.ledger.filters import cost_of
from dalenius.ledger.place import open_store
from dalenius.ledger.receipt import Entry, Receipt, decoded, entry_of, question_of, receipt_of
from dalenius.ledger.standing import Standing, plain_left, standing, worst_of
from dalenius.ledger.store import Link, Records, Store
from dalenius.ledger.terms import Share, Terms
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number


class Outcome(Protocol):
    """What a plan's run leaves to be stored."""

    def to_dict(self) -> dict[str, Any]:
        """Released values and public facts, as JSON holds them."""


class Ledger:
    """Who may still learn how much: a budget for each data set, kept in one file that survives a crash.

    A charge is durable before data is read and is never refunded: a failure may depend on the data.
    Every method is one transaction.
    """

    def __init__(self, kept_in: Store, clock: Callable[[], datetime] | None = None) -> None:
        self._store = kept_in
        self._clock = clock or (lambda: datetime.now(UTC))

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """The ledger in this file (a path, or sqlite:///path), made if there is none."""
        return cls(open_store(path))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def create(
        self,
        name: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        unit: Unit | str,
        relation: Relation | None = None,
        filter: str = "auto",
    ) -> None:
        """Give a data set its budget, for ever: the same call again changes nothing, another budget is refused.

        The relation is that of the unit, ADD_REMOVE if the unit is only named. `ledger.filters` says what each filter
        admits.
        """
        if not is_text(name) or not name:
            raise InvalidParameter(f"a data set needs a name, got {name!r}")
        terms = Terms.of(Unit.of(unit, relation), Amount.limit(epsilon, delta), filter)
        with self._store.transaction() as records:
            if records.fact(name, facts.TERMS) is not None:
                accounts.terms_of(records, name).check_same(name, terms)
                return
            chain.append(records, accounts.CREATE, name, terms.to_dict() | {"time": self._now()})

    def share(self, dataset: str, analyst: str, epsilon: Number, delta: Number = 0) -> None:
        """Let an analyst draw so much of a data set, for ever; once there are shares, nobody else may draw.

        The share is kept by the data set's filter, sized to it, over all that the analyst has been charged, earlier
        charges included. Shares may add up to more than the data set has: its own cap holds anyway.
        """
        _check_texts(analyst=analyst)
        limit = Amount.limit(epsilon, delta)
        with self._store.transaction() as records:
            terms = accounts.terms_of(records, dataset)
            if not limit.within(terms.limit):
                raise InvalidParameter(f"a share of {limit} is more than {dataset!r} has: {terms.limit}")
            before = accounts.share_of(records, dataset, analyst)
            if before is None:
                body = terms.share(limit).to_dict() | {"analyst": analyst, "time": self._now()}
                chain.append(records, accounts.SHARE, dataset, body)
            elif before.limit != limit:
                raise LedgerMismatch(f"{analyst!r} has a share of {before.limit} in {dataset!r}; not {limit}")

    def partition(
        self, dataset: str, name: str, blocks: Iterable[str], *, kind: str | None = None, per_unit: int = 1
    ) -> None:
        """Declare, for ever, how the units of a data set fall into blocks: see `ledger.blocks`."""
        _check_texts(name=name)
        with self._store.transaction() as records:
            terms = accounts.terms_of(records, dataset)
            declared = Partition.declare(terms.unit, name, blocks, kind, per_unit)
            before = accounts.partition_of(records, dataset)
            if before is not None:
                before.same_as(declared)
                return
            chain.append(records, accounts.PARTITION, dataset, declared.to_dict() | {"time": self._now()})

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
    ) -> Receipt:
        """Charge a release that has not happened yet; BudgetExceeded if it does not fit, and then nothing is written.

        The same key with the same fingerprint is the same charge, paid once; with another one it is refused. Without a
        key, a question whose answer is committed already costs the data set nothing: the receipt carries that release,
        and the analyst's share is charged when they see it first.
        """
        _check_texts(key=key, analyst=analyst, fingerprint=fingerprint, label=label)
        _check_blocks(blocks)
        with self._store.transaction() as records:
            charge = _charge(records, guarantee, dataset, Unit.of(unit), analyst, blocks)
            question = {
                "guarantee": to_form(guarantee),
                "unit": Unit.of(unit).column,
                "blocks": None if blocks is None else blocks.to_dict(),
                "fingerprint": fingerprint,
            }
            earlier = None if key is None else records.link_of_key(dataset, key)
            if earlier is not None:
                return _again(records, earlier, question | {"analyst": analyst}, key)
            asked = question_of(question)
            answer = None if key is not None or asked is None else records.fact(dataset, facts.ANSWER, asked)
            if answer is not None:
                return self._view(records, charge, answer)
            body = question | {
                "version": 2,
                "cost": charge.cost.to_dict(),
                "analyst": analyst,
                "label": label,
                "time": self._now(),
            }
            number, digest = chain.append(records, accounts.RESERVE, dataset, body, key)
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
        question = {"guarantee": to_form(guarantee), "unit": Unit.of(unit).column, "fingerprint": fingerprint}
        asked = question_of(question | {"blocks": None if blocks is None else blocks.to_dict()})
        with self._store.reading() as records:
            answer = None if asked is None else records.fact(dataset, facts.ANSWER, asked)
            stranger = analyst is None and next(records.facts(dataset, facts.SHARE), None) is not None
            if answer is None or stranger or not _seen(records, dataset, answer, analyst):
                return None
            payload = records.release(answer)
        return None if payload is None else decoded(payload)

    def admits(
        self, guarantee: Guarantee, *, dataset: str, analyst: str | None = None, blocks: Blocks | None = None
    ) -> bool:
        """Whether a charge would fit now; nothing is written, and another may come first."""
        _check_blocks(blocks)
        with self._store.reading() as records:
            unit = accounts.terms_of(records, dataset).unit
            charge = _charge(records, guarantee, dataset, unit, analyst, blocks)
            try:
                accounts.population_after(records, charge)
                accounts.analyst_after(records, charge)
            except BudgetExceeded:
                return False
        return True

    def commit(self, receipt: Receipt, outcome: Outcome) -> None:
        """Store the release of a charge; if one is there already it stays, and this one is dropped unseen."""
        payload = canonical(outcome.to_dict())
        with self._store.transaction() as records:
            link = records.link_of_hash(receipt.head)
            if link is None or (link.kind, link.dataset) != (accounts.RESERVE, receipt.dataset):
                raise LedgerMismatch("this receipt was not written by this ledger")
            if records.release(receipt.head) is None:
                records.add_release(receipt.head, payload)
                body = {
                    "receipt": receipt.head,
                    "release": hashlib.sha256(payload).hexdigest(),
                    "question": question_of(json.loads(link.body)),
                }
                chain.append(records, accounts.COMMIT, receipt.dataset, body)

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        """What was committed under a receipt: the only thing that may leave."""
        with self._store.reading() as records:
            payload = records.release(receipt.head)
        if payload is None:
            raise UnknownName("nothing was committed under this receipt")
        return decoded(payload)

    def datasets(self) -> list[str]:
        """The names of all data sets."""
        with self._store.reading() as records:
            return records.datasets()

    def entries(self, name: str) -> list[Entry]:
        """Every charge of a data set, in order."""
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            return [
                entry_of(link, terms.unit, accounts.charge_of(records, name, json.loads(link.body)).cost)
                for link in records.links(name, accounts.RESERVE)
            ]

    def remaining(self, name: str) -> Amount:
        """What may still be spent on everyone: ε and δ under plain sums, or the largest pure ε where none are kept."""
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            return plain_left(terms.branches, _totals(records, name, terms))

    def spent(self, name: str) -> Cost:
        """What has been charged to the unit that was charged most, in each branch of the filter."""
        with self._store.reading() as records:
            return worst_of(_totals(records, name, accounts.terms_of(records, name)))

    def budget(self, name: str, *, analyst: str | None = None, block: str | None = None) -> Standing:
        """Where a data set stands, or one of its blocks, or an analyst's share of it."""
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            nothing = Charge(name, terms, terms.nothing)
            if analyst is not None:
                share = accounts.share_of(records, name, analyst)
                if share is None:
                    raise UnknownName(f"analyst {analyst!r} has no share of {name!r}")
                total = accounts.total_of(records, nothing, facts.ANALYST, analyst)
                return standing(share.limit, terms.filter, share.branches, [total])
            totals = _totals(records, name, terms)
            if block is not None:
                partition = accounts.partition_of(records, name)
                if partition is None or block not in partition.labels:
                    raise UnknownName(f"{name!r} has no block {block!r}")
                everyone = accounts.total_of(records, nothing, facts.EVERYONE)
                totals = [everyone + accounts.total_of(records, nothing, facts.BLOCK, block)]
            return standing(terms.limit, terms.filter, terms.branches, totals)

    def shares(self, name: str) -> dict[str, Amount]:
        """The analysts who have a share, and how much."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            kept = list(records.facts(name, facts.SHARE))
        return {analyst: Share.from_dict(json.loads(share)).limit for analyst, share in kept}

    def limit(self, name: str) -> Amount:
        """What may be spent in all."""
        with self._store.reading() as records:
            return accounts.terms_of(records, name).limit

    def unit(self, name: str) -> Unit:
        """Who is protected."""
        with self._store.reading() as records:
            return accounts.terms_of(records, name).unit

    def verify(self, head: str | None = None) -> tuple[int, str]:
        """Length and head of the chain, or LedgerCorrupted; an old receipt's head shows a ledger cut or put back."""
        with self._store.reading() as records:
            return chain.verify(records, head)

    def __repr__(self) -> str:
        return f"Ledger({self._store.place!r})"

    def _view(self, records: Records, charge: Charge, answer: str) -> Receipt:
        """A committed answer, charged to its asker's share unless they have seen it."""
        if not _seen(records, charge.dataset, answer, charge.analyst):
            body = {"receipt": answer, "analyst": charge.analyst, "cost": charge.cost.to_dict(), "time": self._now()}
            chain.append(records, accounts.VIEW, charge.dataset, body)
        link = records.link_of_hash(answer)
        if link is None:
            raise LedgerMismatch("the entry of a stored answer is missing; run verify")
        return receipt_of(charge.dataset, json.loads(link.body), link.number, link.hash, records.release(answer))

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")


def _check_texts(**words: str | None) -> None:
    for word, value in words.items():
        if value is not None and not is_text(value):  # another type would not come back as it was hashed
            raise InvalidParameter(f"{word} must be text or None, got {value!r}")


def _check_blocks(blocks: Blocks | None) -> None:
    if blocks is not None and not isinstance(blocks, Blocks):
        raise InvalidParameter(f"blocks must be Blocks(partition, labels) or None, got {type(blocks).__name__}")


def _charge(
    records: Records, guarantee: Guarantee, dataset: str, unit: Unit, analyst: str | None, blocks: Blocks | None
) -> Charge:
    terms = accounts.terms_of(records, dataset)
    cost = cost_of(guarantee, terms.branches)
    terms.check_charge(dataset, unit, guarantee.relation)
    accounts.check_analyst(records, dataset, analyst)
    return Charge(dataset, terms, cost, analyst, blocks)


def _seen(records: Records, dataset: str, answer: str, analyst: str | None) -> bool:
    return analyst is None or records.fact(dataset, facts.SEEN, f"{answer} {analyst}") is not None


def _totals(records: Records, name: str, terms: Terms) -> list[Cost]:
    nothing = Charge(name, terms, terms.nothing)
    return list(accounts.standings(records, nothing, accounts.partition_of(records, name)))


def _again(records: Records, link: Link, asked: dict[str, Any], key: str | None) -> Receipt:
    before = json.loads(link.body)
    if any(before.get(name) != value for name, value in asked.items()):
        raise LedgerMismatch(f"key {key!r} was used for another question; a key names one question for ever")
    return receipt_of(link.dataset, before, link.number, link.hash, records.release(link.hash))
