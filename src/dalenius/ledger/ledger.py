"""Durable privacy budgets."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName, UnprovenClaim
from dalenius.guarantees import Guarantee
from dalenius.ledger import chain, store
from dalenius.ledger.amount import Amount
from dalenius.ledger.charge import canonical, charge, from_form, to_form
from dalenius.ledger.receipt import Entry, Receipt
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

    def __init__(self, kept_in: store.Store, clock: Callable[[], datetime] | None = None) -> None:
        self._store = kept_in
        self._clock = clock or (lambda: datetime.now(UTC))

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """The ledger in this file, made if there is none."""
        return cls(store.Store(path))

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
    ) -> None:
        """Give a data set its budget, for ever: the same call again changes nothing, another budget is refused.

        The relation is that of the unit, ADD_REMOVE if the unit is only named.
        """
        if not _is_text(name) or not name:
            raise InvalidParameter(f"a data set needs a name, got {name!r}")
        who = Unit.of(unit, relation)
        limit = Amount.limit(epsilon, delta)
        row = (who.column, who.relation.value, str(limit.epsilon_units), str(limit.delta_units))
        with self._store.transaction() as connection:
            existing = store.dataset_row(connection, name)
            if existing is not None:
                if existing[:4] != row:
                    raise LedgerMismatch(_other_terms(name, existing, who, limit))
                return
            store.add_dataset(connection, name, row)
            terms = dict(zip(("unit", "relation", "epsilon_units", "delta_units"), row, strict=True))
            chain.append(connection, chain.CREATE, name, terms | {"time": self._now()})

    def reserve(
        self,
        guarantee: Guarantee,
        *,
        dataset: str,
        unit: Unit | str,
        analyst: str | None = None,
        blocks: None = None,
        key: str | None = None,
        fingerprint: str | None = None,
    ) -> Receipt:
        """Charge a release that has not happened yet; BudgetExceeded if it does not fit, and then nothing is written.

        The same key with the same fingerprint is the same charge, paid once; with another one it is refused.
        """
        if blocks is not None:
            raise UnprovenClaim(
                "blocks are not supported: every charge counts for the whole data set; pass blocks=None"
            )
        for word, value in {"key": key, "analyst": analyst, "fingerprint": fingerprint}.items():
            if value is not None and not _is_text(value):  # another type would not come back as it was hashed
                raise InvalidParameter(f"{word} must be text or None, got {value!r}")
        cost = charge(guarantee)
        body = {
            "guarantee": to_form(guarantee),
            "epsilon_units": str(cost.epsilon_units),
            "delta_units": str(cost.delta_units),
            "unit": Unit.of(unit).column,
            "analyst": analyst,
            "fingerprint": fingerprint,
        }
        with self._store.transaction() as connection:
            row = _dataset(connection, dataset)
            _check_terms(dataset, row, Unit.of(unit), guarantee.relation)
            earlier = None if key is None else store.link_of_key(connection, dataset, key)
            if earlier is not None:
                return _again(connection, earlier, body, key)
            spent = _spent(row) + cost
            if not spent.within(_limit(row)):
                raise BudgetExceeded(f"{dataset!r} was asked for {cost}; what is left is {_limit(row) - _spent(row)}")
            number, digest = chain.append(connection, chain.RESERVE, dataset, body | {"time": self._now()}, key)
            store.set_spent(connection, dataset, spent.epsilon_units, spent.delta_units)
        return _receipt(dataset, body, number, digest, None)

    def commit(self, receipt: Receipt, outcome: Outcome) -> None:
        """Store the release of a charge; if one is there already it stays, and this one is dropped unseen."""
        payload = canonical(outcome.to_dict())
        with self._store.transaction() as connection:
            if store.dataset_of(connection, receipt.head, chain.RESERVE) != receipt.dataset:
                raise LedgerMismatch("this receipt was not written by this ledger")
            if store.payload_of(connection, receipt.head) is None:
                store.add_payload(connection, receipt.head, payload)
                digest = hashlib.sha256(payload).hexdigest()
                chain.append(connection, chain.COMMIT, receipt.dataset, {"receipt": receipt.head, "release": digest})

    def release_of(self, receipt: Receipt) -> dict[str, Any]:
        """What was committed under a receipt: the only thing that may leave."""
        with self._store.reading() as connection:
            payload = store.payload_of(connection, receipt.head)
        if payload is None:
            raise UnknownName("nothing was committed under this receipt")
        return _decoded(payload)

    def entries(self, name: str) -> list[Entry]:
        """Every charge of a data set, in order."""
        with self._store.reading() as connection:
            relation = Relation.of(_dataset(connection, name)[1])
            return [_entry(link, relation) for link in store.links(connection, name, chain.RESERVE)]

    def remaining(self, name: str) -> Amount:
        """What may still be spent."""
        with self._store.reading() as connection:
            row = _dataset(connection, name)
        return _limit(row) - _spent(row)

    def limit(self, name: str) -> Amount:
        """What may be spent in all."""
        with self._store.reading() as connection:
            return _limit(_dataset(connection, name))

    def unit(self, name: str) -> Unit:
        """Who is protected."""
        with self._store.reading() as connection:
            row = _dataset(connection, name)
        return Unit(row[0], Relation.of(row[1]))

    def verify(self, head: str | None = None) -> tuple[int, str]:
        """Length and head of the chain, or LedgerCorrupted; an old receipt's head shows a ledger cut or put back."""
        with self._store.reading() as connection:
            return chain.verify(connection, head)

    def __repr__(self) -> str:
        return f"Ledger({str(self._store.path)!r})"

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")


def _is_text(value: Any) -> bool:
    """Whether SQLite and a hash hold the same of it: text without surrogates."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _dataset(connection: sqlite3.Connection, name: str) -> tuple[Any, ...]:
    row = store.dataset_row(connection, name) if _is_text(name) else None
    if row is None:
        raise UnknownName(f"the ledger has no data set {name!r}; create it with its budget first")
    return row


def _limit(row: tuple[Any, ...]) -> Amount:
    return Amount(int(row[2]), int(row[3]))


def _spent(row: tuple[Any, ...]) -> Amount:
    return Amount(int(row[4]), int(row[5]))


def _check_terms(name: str, row: tuple[Any, ...], unit: Unit, relation: Relation) -> None:
    kept = Unit(row[0], Relation.of(row[1]))
    if unit.column != kept.column:
        raise LedgerMismatch(f"{name!r} protects {kept}; a charge for each {unit.name} does not count there")
    if relation is not kept.relation:
        raise LedgerMismatch(f"{name!r} protects {kept}; a {relation.value} guarantee does not count there")


def _other_terms(name: str, row: tuple[Any, ...], unit: Unit, limit: Amount) -> str:
    kept = Unit(row[0], Relation.of(row[1]))
    return f"{name!r} exists with {_limit(row)} for {kept}; it cannot be opened with {limit} for {unit}"


def _again(connection: sqlite3.Connection, link: tuple[Any, ...], body: dict[str, Any], key: str | None) -> Receipt:
    number, _, dataset, _, words, digest = link
    before = json.loads(words)
    if any(before[name] != value for name, value in body.items()):
        raise LedgerMismatch(f"key {key!r} was used for another question; a key names one question for ever")
    return _receipt(dataset, body, number, digest, store.payload_of(connection, digest))


def _receipt(dataset: str, body: dict[str, Any], number: int, digest: str, payload: bytes | None) -> Receipt:
    guarantee = from_form(body["guarantee"])
    release = None if payload is None else _decoded(payload)
    return Receipt(dataset, guarantee, Unit(body["unit"], guarantee.relation), digest, number, release)


def _entry(link: tuple[Any, ...], relation: Relation) -> Entry:
    number, _, dataset, key, words, digest = link
    body = json.loads(words)
    return Entry(
        number=number,
        dataset=dataset,
        guarantee=from_form(body["guarantee"]),
        charged=Amount(int(body["epsilon_units"]), int(body["delta_units"])),
        unit=Unit(body["unit"], relation),
        analyst=body["analyst"],
        key=key,
        fingerprint=body["fingerprint"],
        time=body["time"],
        hash=digest,
    )


def _decoded(payload: bytes) -> dict[str, Any]:
    return json.loads(payload)  # type: ignore[no-any-return]
