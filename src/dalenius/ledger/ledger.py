"""Durable privacy budgets."""

import contextlib
import copy
import warnings
from collections.abc import Iterable
from pathlib import Path

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, LedgerError
from dalenius.escape import escaped
from dalenius.ledger import accounts, chain, facts, kinds, tables
from dalenius.ledger.amount import Amount
from dalenius.ledger.blocks import Partition, is_text
from dalenius.ledger.books import LONGEST, check_texts
from dalenius.ledger.charging import Charging
from dalenius.ledger.encrypting import Encrypting
from dalenius.ledger.encryption_keys import EncryptionKeys, read_keys
from dalenius.ledger.governing import Governing
from dalenius.ledger.heads import chains_at
from dalenius.ledger.keyring import Keyring
from dalenius.ledger.logins import Logins
from dalenius.ledger.place import open_store
from dalenius.ledger.publishing import Publishing
from dalenius.ledger.reading import LedgerReading
from dalenius.ledger.requesting import Requesting
from dalenius.ledger.secret_sample import SecretSample
from dalenius.ledger.store import COMMON, Records
from dalenius.ledger.tables import TableIdentity
from dalenius.ledger.terms import Terms
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number


class SamePeople(UserWarning):
    """Two data sets of one ledger name the same unit: if they hold the same people, each budget is spent on them."""


class Ledger(Charging, Governing, Requesting, Keyring, Logins, Publishing, Encrypting, LedgerReading):
    """Who may still learn how much: a budget for each data set, kept in one file that survives a crash.

    A charge is durable before data is read and is never refunded: a failure may depend on the data.
    Every method is one transaction.
    """

    @classmethod
    def open(cls, path: str | Path, encryption_key: EncryptionKeys = None) -> "Ledger":
        """The ledger in this file (a path, or sqlite:///path), made if there is none.

        Args:
            path: where it is.
            encryption_key: if its answers are encrypted at rest, the key or its file, or several, the newest first: see
                `encrypt`.
        """
        keys = read_keys(encryption_key)
        return cls(open_store(path), encryption_key=keys or None)

    @property
    def place(self) -> str:
        """Where it is, as a person names it."""
        return self._store.place

    def close(self) -> None:
        """Bind what was written to the chain of heads, and let go of the file."""
        if self._unbound:
            with contextlib.suppress(LedgerError):  # the next opening does it
                self._checkpoint()
        self._store.close()

    def acting(self, by: str | None = None, origin: str = "python", purpose: str | None = None) -> "Ledger":
        """The same ledger, whose entries say by whom, from where and what for they were written.

        Args:
            by: who acts: an owner or an analyst.
            origin: from where: "python", "command line", "http" or "wire".
            purpose: what charges are for that do not say so themselves.
        """
        check_texts(by=by, origin=origin, purpose=purpose)
        other = copy.copy(self)
        other._by, other._origin, other._purpose = by, origin, purpose
        return other

    @named_arguments
    def create(
        self,
        name: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        unit: Unit | str,
        relation: Relation | None = None,
        filter: str = "auto",
        sample: Number | None = None,
    ) -> None:
        """Give a data set its budget, for ever: the same call again changes nothing, another budget is refused.

        The relation is that of the unit, ADD_REMOVE if the unit is only named. `ledger.filters` says what each filter
        admits. `sample` says that the rows are a secret random sample of a population, each person of which was drawn
        with that probability: the budget is the population's then, and what the rows may spend is more.
        """
        if not is_text(name) or not name or len(name) > LONGEST["name"]:
            raise InvalidParameter(f"a data set needs a name of at most {LONGEST['name']} characters, got {name!r:.50}")
        who = Unit.of(unit, relation)
        drawn = None if sample is None else SecretSample.declared(sample, epsilon, delta, who.relation)
        terms = Terms.of(who, Amount.limit(epsilon, delta) if drawn is None else drawn.cap, filter, drawn)
        with self._store.transaction(name) as records:
            if records.fact(name, facts.TERMS) is not None:
                accounts.terms_of(records, name).check_same(name, terms)
                return
            same = _same_unit(records, terms)
            self._append(records, kinds.CREATE, name, terms.to_dict())
            key = self._common_key(records)
            if key is not None:
                self._say_encrypted(records, name, key, [])
        if same is not None:
            warnings.warn(
                f"{same!r} and {name!r} of this ledger both protect each {terms.unit.name}: if they hold the same "
                f"people, put them under one budget with ledger.join({same!r}, {name!r}) before the first charge",
                SamePeople,
                stacklevel=2,
            )

    def partition(
        self, dataset: str, name: str, blocks: Iterable[str], *, kind: str | None = None, per_unit: int = 1
    ) -> None:
        """Declare, for ever, how the units of a data set fall into blocks: see `ledger.blocks`."""
        check_texts(name=name)
        with self._store.transaction(dataset) as records:
            terms = accounts.terms_of(records, dataset)
            if terms.sample is not None:
                raise InvalidParameter(f"{dataset!r} is a secret sample, which has no rule for blocks")
            if records.fact(accounts.population_of(records, dataset), facts.JOINT) is not None:
                raise InvalidParameter(f"{dataset!r} is joined to others, which know nothing of its blocks")
            declared = Partition.declare(terms.unit, name, blocks, kind, per_unit)
            before = accounts.partition_of(records, dataset)
            if before is not None:
                before.same_as(declared)
                return
            self._append(records, kinds.PARTITION, dataset, declared.to_dict())

    def check_tables(
        self, dataset: str, private: Iterable[TableIdentity], public: Iterable[TableIdentity] = ()
    ) -> None:
        """LedgerMismatch for a table that another data set pays for, or a public one that any does; nothing is written.

        The data set need not exist yet: so its owner learns of it before a budget is granted for ever.
        """
        with self._store.reading() as records:
            tables.check(records, dataset, private, public)

    def own_tables(self, dataset: str, private: Iterable[TableIdentity], public: Iterable[TableIdentity] = ()) -> None:
        """Record, for ever, that these tables draw on the data set's budget; refused as by `check_tables`.

        Args:
            dataset: the population whose budget pays.
            private: its tables, each by its declared name and its files.
            public: tables that are read beside them for nothing, which no data set may have for its own.
        """
        private, public = tuple(private), tuple(public)
        with self._store.transaction() as records:
            terms = accounts.terms_of(records, dataset)
            tables.check(records, dataset, private, public)
            if terms.sample is not None:
                tables.check_alone(records, dataset, private)
            if added := tables.not_recorded(records, dataset, private):
                self._append(records, kinds.TABLES, dataset, {"tables": added})

    def tables(self, dataset: str) -> list[str]:
        """The names, in lower case, of the tables that draw on a data set's budget."""
        with self._store.reading() as records:
            accounts.terms_of(records, dataset)
            return [name for name, _ in records.facts(dataset, facts.TABLE)]

    def verify(self, head: str | None = None) -> tuple[int, str]:
        """How many entries there are, and a head to keep elsewhere; LedgerCorrupted if anything was changed.

        `head` is one that was kept: of an earlier `verify`, or of a receipt. If the ledger lacks it, the ledger was cut
        short or put back from an old copy. The head returned is that of the only chain or, where there are several, of
        the chain of heads, which all chains are bound to. Of answers that are encrypted under a key that was not given
        only that is checked; who reads them with the key finds a changed one.
        """
        self._checkpoint()
        with self._store.reading() as records:
            return chain.verify(records, head, self._answers)

    def bound_by(self, head: str) -> list[str]:
        """The data sets whose chains a head speaks for: that of a receipt for its own, that of `verify` for all.

        A data set that was made after a checkpoint is not bound by it. Nothing is verified here.
        """
        with self._store.reading() as records:
            link = records.link_of_hash(head)
            bound = chains_at(records, head) if link is None else {link.chain}
            common = {link.dataset for link in records.links(chain=COMMON)} if COMMON in bound else set()
            names = records.datasets()
            return [name for name in names if name in common or accounts.population_of(records, name) in bound]

    @escaped
    def __repr__(self) -> str:
        return f"Ledger({self._store.place!r})"


def _same_unit(records: Records, terms: Terms) -> str | None:
    """A data set that names the same unit; rows are nobody's name."""
    if terms.unit.column is None:
        return None
    wanted = terms.unit.column.casefold()  # SQL's names ignore case
    units = ((name, accounts.terms_of(records, name).unit.column) for name in records.datasets())
    return next((name for name, unit in units if unit is not None and unit.casefold() == wanted), None)
