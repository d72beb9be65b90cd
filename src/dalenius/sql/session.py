"""A table that can be asked in SQL."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.curator import Curator, Plan, Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, rational
from dalenius.queries import Key
from dalenius.sql.compile import compile_query
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.named import Unknown
from dalenius.sql.named_plan import NamedPlan
from dalenius.sql.others import Beside, Declared, Other
from dalenius.sql.plan import QueryExplanation, QueryPlan
from dalenius.sql.policy import Ends, Policy
from dalenius.sql.prepare import Prepared, from_prepared, prepare, told_of
from dalenius.sql.statement import read_statement
from dalenius.sql.views import Views


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
    contributions: int | None = None,
    columns: Mapping[str, str] | None = None,
    table: str | None = None,
    fill: Mapping[str, Number] | None = None,
    version: str | None = None,
    settings: Mapping[str, str | int] | None = None,
    tables: Mapping[str, Any] | None = None,
    public: Mapping[str, Any] | None = None,
) -> "Session":
    """Open a table for private questions: Parquet, CSV or DuckDB by its path, or an Arrow, pandas or polars frame.

    A table given as a path is named by the file's stem; a `DuckDB` that is open already is taken as it is. The terms
    (unit, budget, bounds, keys, …) are the owner's: given here, or written in a policy file, and then not given here.
    The ledger keeps the budget from now on: opened again with another budget or unit, it refuses.

    A query may JOIN `tables`, which hold the same people under the same unit and have their bounds, keys and fills
    declared as `table.column`, and `public` tables, whose rows are no secret. `version` names the state of all tables
    that are private.
    """
    beside = Beside.given(tables, public)
    given = {
        **{"unit": unit, "budget": budget, "bounds": bounds, "keys": keys, "contributions": contributions},
        **{"columns": columns, "table": table, "fill": fill, "version": version, "tables": tables},
    }
    if policy is not None:
        if taken := [name for name, value in given.items() if value is not None]:
            raise InvalidParameter(f"the policy says what {taken[0]} is, and only the owner changes it: leave it out")
        terms = policy if isinstance(policy, Policy) else Policy.load(policy)
        engine = _engine(data, terms, policy, settings, beside)
        others = beside.others(engine.beside, terms)
    else:
        if data is None or unit is None:
            raise InvalidParameter("connect needs a table and unit=, who is protected in it; or policy=")
        opened = isinstance(data, DuckDB)
        if opened and beside.sources:
            raise InvalidParameter("tables to join are opened together with the first: give a path or a frame")
        engine = (
            data
            if isinstance(data, DuckDB)
            else DuckDB(data, columns=columns, table=table, settings=settings, others=beside.sources)
        )
        declared = Declared(keys or {}, bounds or {}, fill or {})
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
        )
        others = beside.others(engine.beside, terms, declared)
    return Session(engine, terms, _opened(terms, ledger), analyst, others)


class Session:
    """A curator that understands SQL: every answer is private for each unit and charged before the data is read."""

    def __init__(
        self,
        engine: DuckDB,
        policy: Policy,
        ledger: Ledger,
        analyst: str | None = None,
        others: Mapping[str, Other] | None = None,
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

    def sql(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int = 1,
        min_units: int = 1,
        key: str | None = None,
        prepared: bool | None = None,
    ) -> Release:
        """The private answer; the very same question again gets the same answer, for nothing.

        Keys that nobody declared are found at the price of `delta`, by default a hundredth of the budget's: each unit
        counts in at most `groups` of them, and a key of fewer than `min_units` units is never named. A `key` names one
        release for ever: another key gives another draw, and is charged. `CREATE PRIVATE VIEW name AS SELECT …` keeps
        its answer: a SELECT from that name has no price, so `epsilon` is left out. After `prepare()` questions without
        WHERE are answered from the prepared table; `prepared=True` has those with WHERE answered from it too, and
        `False` none.
        """
        asked = read_statement(query)
        asked.check_unit(self.policy.unit)
        self._views.check_name(asked)
        release: Release | None = self._views.answer(asked)
        if release is None:
            plan = self.plan(query, epsilon=epsilon, delta=delta, groups=groups, min_units=min_units, prepared=prepared)
            self._views.check_plan(asked, plan)
            release = self.release(plan, key)
        return self._views.keep(asked, release)

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
        groups: int = 1,
        min_units: int = 1,
        prepared: bool | None = None,
    ) -> QueryExplanation:
        """What the answer would cost and how far off it would be; free, and from the policy alone."""
        terms: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "groups": groups, "min_units": min_units}
        plan = self.plan(query, prepared=prepared, **terms)
        text = read_statement(query).select
        return replace(plan.explain(), prepared=told_of(self._prepared, plan.compiled, text))

    def plan(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int = 1,
        min_units: int = 1,
        prepared: bool | None = None,
    ) -> QueryPlan | NamedPlan:
        """The query as a plan, or a refusal by name; ε and δ may stand in the text, as BigQuery writes them."""
        asked = read_statement(query)
        asked.check_unit(self.policy.unit)
        asked.check_delta()
        allowed = asked.delta if delta is None else delta
        slack = self._default_delta if allowed is None else rational(allowed, "delta")
        unknown = Unknown(groups, min_units)
        keys = unknown if slack else None
        compiled = from_prepared(self._prepared, asked.select, keys, prepared)
        if compiled is None:
            compiled = compile_query(asked.select, self.policy, keys, self._others)
        if compiled.named:
            return NamedPlan(compiled, asked.price(epsilon), slack)
        if delta is not None and slack != 0:
            raise UnprovenClaim(f"answers over public keys are purely private: delta must be 0, got {delta}")
        if (groups, min_units) != (1, 1):
            raise InvalidParameter("groups and min_units are for keys that nobody declared: leave them out")
        return QueryPlan(compiled, asked.price(epsilon))

    def prepare(self, folder: str | Path | None = None) -> None:
        """Make, once, a table that holds at most `contributions` rows of each unit, and answer from it where it can.

        It is kept beside the data, or in `folder`, for its owner alone, and made anew when the data or the policy has
        changed. Rows are chosen by a secret key and each unit's own rows. Nothing is released, so nothing is charged.
        """
        made = prepare(self._engine, self.policy, folder, Bits())
        self._engine.hold(made.view, lambda: made.current)
        self._prepared = made

    @property
    def _default_delta(self) -> Fraction:
        """A hundredth of what the ledger lets be spent in all."""
        return self._curator.ledger.limit(self.policy.table).delta / 100

    def release(self, plan: Plan[DuckDB], key: str | None = None) -> Release:
        """Release any plan over this table."""
        return self._curator.release(plan, key)

    @property
    def budget(self) -> Amount:
        """What may still be spent."""
        return self._curator.budget

    def __repr__(self) -> str:
        return f"Session({self.policy.table!r}, {self.policy.unit}, {self.budget} left)"


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


def _opened(terms: Policy, ledger: Ledger | str | Path) -> Ledger:
    budget = terms.budget
    book = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
    if budget is None:
        book.remaining(terms.table)  # which the owner must have created
        return book
    if not isinstance(budget, Mapping) or set(budget) - {"epsilon", "delta"} or "epsilon" not in budget:
        raise InvalidParameter("budget must be like dict(epsilon=1, delta=0)")
    book.create(terms.table, budget["epsilon"], budget.get("delta", 0), unit=terms.unit)
    return book
