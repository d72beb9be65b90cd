"""A table that can be asked in SQL."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dalenius.curator import Curator, Plan, Release
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.numerics import Number
from dalenius.queries import Key
from dalenius.sql.asking import Asking
from dalenius.sql.declared import Declared, Ends
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.named_plan import NamedPlan
from dalenius.sql.others import Beside
from dalenius.sql.plan import QueryExplanation, QueryPlan
from dalenius.sql.policy import Policy
from dalenius.sql.prepare import Prepared, from_prepared, prepare, told_of
from dalenius.sql.settled import Asked
from dalenius.sql.statement import Statement, read_statement
from dalenius.sql.table import Table
from dalenius.sql.top_plan import TopPlan
from dalenius.sql.views import Views
from dalenius.sql.within import Wanted


def connect(
    data: Any = None,
    *,
    policy: Policy | str | Path | None = None,
    ledger: Ledger | str | Path,
    analyst: str | None = None,
    unit: Unit | str | None = None,
    budget: Mapping[str, Number] | None = None,
    bounds: Mapping[str, Ends] | None = None,
    keys: Mapping[str, Iterable[Key]] | None = None,
    contributions: int | str | None = None,
    columns: Mapping[str, str] | None = None,
    table: str | None = None,
    fill: Mapping[str, Number] | None = None,
    version: str | None = None,
    settings: Mapping[str, str | int] | None = None,
    tables: Mapping[str, Any] | None = None,
    public: Mapping[str, Any] | None = None,
    references: Mapping[str, str] | None = None,
    attributes: Iterable[str] | None = None,
    bounding_share: Number | None = None,
) -> "Session":
    """Open a table for private questions: Parquet, CSV or DuckDB by its path, or an Arrow, pandas or polars frame.

    A table given as a path is named by the file's stem; a `DuckDB` that is open already is taken as it is. The terms
    (unit, budget, bounds, keys, …) are the owner's: given here, or written in a policy file, and then not given here.
    The ledger keeps the budget from now on: opened again with another budget or unit, it refuses.

    `contributions` is how many rows of one unit count in full. Without it, or with "private", the first question
    releases a histogram of rows for each unit, for a `bounding_share` of the budget (2 %), which every later question
    uses for nothing.

    A query may JOIN `tables`, which hold the same people under the same unit and have their bounds, keys and fills
    declared as `table.column`, and `public` tables, whose rows are no secret. A table without the unit's column has it
    by `references`, such as `{"items.order_id": "orders.id"}`: its rows are those of whom they refer to. `attributes`
    are columns of which a person has one value, the least of theirs. `version` names the state of all tables that are
    private.
    """
    given = {
        **{"unit": unit, "budget": budget, "bounds": bounds, "keys": keys, "contributions": contributions},
        **{"columns": columns, "table": table, "fill": fill, "version": version, "tables": tables},
        **{"references": references, "attributes": attributes, "bounding_share": bounding_share},
    }
    if policy is not None:
        if taken := [name for name, value in given.items() if value is not None]:
            raise InvalidParameter(f"the policy says what {taken[0]} is, and only the owner changes it: leave it out")
        terms = policy if isinstance(policy, Policy) else Policy.load(policy)
        beside = _beside(terms, policy, public)
        engine = _engine(data, terms, policy, settings, beside)
        others = beside.others(engine.beside, terms, terms.beside.declared, terms.beside.references)
    else:
        if data is None or unit is None:
            raise InvalidParameter("connect needs a table and unit=, who is protected in it; or policy=")
        beside = Beside.given(tables, public)
        opened = isinstance(data, DuckDB)
        if opened and beside.sources:
            raise InvalidParameter("tables to join are opened together with the first: give a path or a frame")
        engine = (
            data
            if isinstance(data, DuckDB)
            else DuckDB(data, columns=columns, table=table, settings=settings, others=beside.sources)
        )
        declared = Declared(keys or {}, bounds or {}, fill or {}, _names(attributes))
        own = declared.without(tables or ())
        terms = Policy.declare(
            engine.name,
            engine.columns,
            unit=unit,
            keys=own.keys,
            bounds=own.bounds,
            contributions=contributions,
            fill=own.fill,
            budget=budget,
            version=version,
            attributes=own.attributes,
            **({} if bounding_share is None else {"bounding_share": bounding_share}),
        )
        others = beside.others(engine.beside, terms, declared, references)
    return Session(engine, terms, _opened(terms, ledger), analyst, others)


class Session:
    """A curator that understands SQL: every answer is private for each unit and charged before the data is read."""

    def __init__(
        self,
        engine: DuckDB,
        policy: Policy,
        ledger: Ledger,
        analyst: str | None = None,
        others: Mapping[str, Table] | None = None,
    ) -> None:
        policy.check()  # one that was not made by Policy.declare may leave a unit unbounded
        self.policy = policy
        self._others = others or {}
        self._views = Views(policy, self._others)
        self._engine = engine
        self._prepared: Prepared | None = None
        self._curator: Curator[DuckDB] = Curator(
            engine, unit=policy.unit, ledger=ledger, dataset=policy.table, analyst=analyst, version=policy.version
        )
        self._asking = Asking(policy, self._others, self._curator)

    def sql(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        key: str | None = None,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> Release:
        """The private answer; the very same question again gets the same answer, for nothing.

        Instead of `epsilon`, `within` says how far off the answer may be, with probability `confidence`: 100, or 0.05
        with `of=10_000`; or "5%" of the answer itself, which is asked for twice as much, again and again, until what
        was released is close enough, for `max_epsilon` in all.

        Keys that nobody declared are found at the price of `delta`, by default a hundredth of the budget's: each unit
        counts in at most `groups` of them, by default as many as a histogram of groups for each unit speaks for, which
        is paid once; a key of fewer than `min_units` units is never named. Over several declared keys a `delta` buys
        Gaussian noise and a bound in ℓ2: more noise, fewer rows of people with many are cut off. Elsewhere it is not
        spent. A `key` names one release for ever: another key gives another draw, and is charged. `CREATE PRIVATE VIEW
        name AS SELECT …` keeps its answer: a SELECT from that name has no price, so `epsilon` is left out. After
        `prepare()` questions without WHERE are answered from the prepared table; `prepared=True` has those with WHERE
        answered from it too, and `False` none.
        """
        said = read_statement(query)
        said.check_unit(self.policy.unit)
        self._views.check_name(said)
        release: Release | None = self._views.answer(said)
        if release is None:
            wanted = Wanted.read(said, epsilon, within, of, confidence, max_epsilon)
            asked = self._asked(said, delta, groups, min_units, prepared)
            release = self._asking.release(asked, wanted, key, lambda plan: self._views.check_plan(said, plan))
        return self._views.keep(said, release)

    @property
    def views(self) -> tuple[str, ...]:
        """The private views of this session."""
        return self._views.names

    def explain(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> QueryExplanation:
        """What the answer would cost and how far off it would be; free, from the policy and what was released before.

        Where it is not known yet how many rows of a unit count, it says what finding that will cost.
        """
        said = read_statement(query)
        wanted = Wanted.read(said, epsilon, within, of, confidence, max_epsilon)
        settled = self._asking.known(self._asked(said, delta, groups, min_units, prepared), wanted)
        told = self._asking.planned(settled.asked, settled.compiled, wanted).explain()
        kept = told_of(self._prepared, settled.compiled, said.select)
        return replace(told, notes=(*settled.told(), *wanted.told(), *kept))

    def plan(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        prepared: bool | None = None,
    ) -> QueryPlan | NamedPlan | TopPlan:
        """The query as a plan, or a refusal by name; ε and δ may stand in the text, as BigQuery writes them."""
        said = read_statement(query)
        wanted = Wanted.read(said, epsilon)
        settled = self._asking.known(self._asked(said, delta, groups, min_units, prepared), wanted)
        settled.check()
        return self._asking.planned(settled.asked, settled.compiled, wanted)

    def prepare(self, folder: str | Path | None = None) -> None:
        """Make, once, a table that holds at most `contributions` rows of each unit, and answer from it where it can.

        It is kept beside the data, or in `folder`, for its owner alone, and made anew when the data or the policy has
        changed. Rows are chosen by a secret key and each unit's own rows. Nothing is released, so nothing is charged.
        """
        made = prepare(self._engine, self.policy, folder, Bits())
        self._engine.hold(made.view, lambda: made.current)
        self._prepared = made

    def _asked(
        self, said: Statement, delta: Number | None, groups: int | str | None, min_units: int, prepared: bool | None
    ) -> Asked:
        """The SELECT on the owner's terms, from the prepared table where there is one that can answer it."""
        kept = partial(from_prepared, self._prepared, prepared)
        return self._asking.asked(said, delta, groups, min_units, kept)

    def release(self, plan: Plan[DuckDB], key: str | None = None) -> Release:
        """Release any plan over this table."""
        return self._curator.release(plan, key)

    @property
    def ledger(self) -> Ledger:
        """Where every answer is charged."""
        return self._curator.ledger

    @property
    def dataset(self) -> str:
        """The name of the table's budget in the ledger."""
        return self._curator.dataset

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self._curator.unit

    @property
    def analyst(self) -> str | None:
        """Whose share is charged, if the ledger keeps shares."""
        return self._curator.analyst

    @property
    def budget(self) -> Amount:
        """What may still be spent."""
        return self._curator.budget

    def __repr__(self) -> str:
        found = self.policy.unit.column is not None and self.policy.contributions is None
        terms = ", contributions found privately" if found else ""
        return f"Session({self.policy.table!r}, {self.policy.unit}{terms}, {self.budget} left)"


def _engine(data: Any, terms: Policy, policy: Any, settings: Mapping[str, str | int] | None, beside: Beside) -> DuckDB:
    """The table that a policy names, relative to its file, or the one given; with the columns that it declares."""
    place = data if data is not None else terms.source
    if place is None:
        raise InvalidParameter("the policy names no source: give the table")
    if data is None and isinstance(policy, str | Path) and not Path(place).is_absolute():
        place = Path(policy).parent / place
    engine = DuckDB(place, columns=terms.columns, table=terms.table, settings=settings, others=beside.sources)
    lacking = {name: kind for name, kind in terms.columns.items() if engine.columns.get(name) != kind}
    if lacking:
        name, kind = next(iter(lacking.items()))
        raise InvalidParameter(f"the table does not have the policy's column {name!r} of {kind}")
    return engine


def _names(attributes: Iterable[str] | None) -> tuple[str, ...]:
    names = () if attributes is None else tuple(attributes)
    if isinstance(attributes, str) or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(f"attributes must be a list of columns such as ['sex'], got {attributes!r}")
    return names


def _beside(terms: Policy, policy: Any, public: Mapping[str, Any] | None) -> Beside:
    """The tables that a policy names, relative to its file, and public ones that whoever asks brings along."""
    folder = Path(policy).parent if isinstance(policy, str | Path) else Path()
    told = [
        {name: place if Path(place).is_absolute() else folder / place for name, place in given.items()}
        for given in (terms.beside.tables, terms.beside.public)
    ]
    if taken := set(told[1]) & set(public or {}):
        raise InvalidParameter(f"the policy says what {taken.pop()!r} is, and only the owner changes it: leave it out")
    return Beside.given(told[0], {**told[1], **(public or {})})


def _opened(terms: Policy, ledger: Ledger | str | Path) -> Ledger:
    budget = terms.budget
    book = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
    if budget is None:
        if terms.table not in book.datasets():
            raise UnknownName(f"the ledger has no budget for {terms.table!r}: give budget=dict(epsilon=…) once")
        return book
    if not isinstance(budget, Mapping) or set(budget) - {"epsilon", "delta"} or "epsilon" not in budget:
        raise InvalidParameter("budget must be like dict(epsilon=1, delta=0)")
    book.create(terms.table, budget["epsilon"], budget.get("delta", 0), unit=terms.unit)
    return book
