"""Open a table for private questions: the data, the owner's terms and the ledger, as a session."""

import warnings
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from dalenius.calls import named_arguments, shown
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Key
from dalenius.sql.after.without_ledger import explain_statement
from dalenius.sql.engine import Default, Engine, column_names
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.by_table import Declared, DeclaredBounds
from dalenius.sql.policy.doubts import PolicyWarning, doubts_at_connect
from dalenius.sql.policy.forms import check_forms
from dalenius.sql.policy.null_keys import split_nulls
from dalenius.sql.policy.policy import BOUNDING_SHARE, Policy
from dalenius.sql.policy.rows_by_table import split_rows_per_unit
from dalenius.sql.session import Session
from dalenius.sql.tables.joinable import JoinableTables, columns_beside
from dalenius.sql.tables.population import identities
from dalenius.sql.tables.table import QueryTable


@named_arguments
def connect(
    data: Any = None,
    *,
    policy: Policy | str | Path | None = None,
    ledger: Ledger | str | Path,
    analyst: str | None = None,
    unit: Unit | str | None = None,
    budget: Mapping[str, Number] | None = None,
    bounds: Mapping[str, DeclaredBounds] | None = None,
    keys: Mapping[str, Iterable[Key]] | None = None,
    null_keys: Iterable[str] | None = None,
    contributions: int | str | None = None,
    columns: Mapping[str, str] | None = None,
    table: str | None = None,
    fill: Mapping[str, Number] | None = None,
    version: str | None = None,
    dataset: str | None = None,
    settings: Mapping[str, str | int] | None = None,
    tables: Mapping[str, Any] | None = None,
    public: Mapping[str, Any] | None = None,
    references: Mapping[str, str] | None = None,
    attributes: Iterable[str] | None = None,
    bounding_share: Number | None = None,
    rowwise_view: bool | None = None,
    rows_per_unit: str | Mapping[str, str] | None = None,
    formats: Mapping[str, Any] | None = None,
    most_rows: int | None = None,
    limits: Mapping[str, DeclaredBounds] | None = None,
    units: Mapping[str, str] | None = None,
    sample: Number | None = None,
    as_of: str | date | None = None,
    weight: Mapping[str, Any] | None = None,
) -> Session:
    """Open a table for private questions: a file by its path, a frame, or several of them by name.

    A file is Parquet, CSV (also .csv.gz and .csv.zst), JSON lines, Arrow, Excel or DuckDB, or a folder or pattern of
    such files of one kind; a frame is one of Arrow, pandas or polars. `{"visits": …, "patients": …}` are tables that
    hold the same people: the first of them that has the unit's column is asked first, the others may be joined.

    A table given as a path is named by the file's stem; a `DuckDB` that is open already is taken as it is. The terms
    (unit, budget, bounds, keys, …) are the owner's: given here, or written in a policy file, and then not given here.
    The ledger keeps the budget from now on: opened again with another budget or unit, it refuses.

    A query may JOIN tables that hold the same people under the same unit, and public tables. All tables of a data set
    draw on its one budget, in this session and in every other one: a table that another data set of the ledger has is
    refused, by its declared name and by its file, under whatever alias it is given. A CSV is checked line by line when
    the ledger first hears of its data set, which is when the owner opens it, and never again.

    Args:
        data: the table, or several by name; left out if the policy names it. A policy alone may stand here too.
        policy: the owner's terms, or the file that holds them; the terms below are then not given.
        ledger: the ledger, or its file, which is made if there is none.
        analyst: whose share pays; the owner if left out.
        unit: who is protected: a column that names people, or "row".
        budget: what all answers may cost, for ever: `{"epsilon": 1, "delta": 1e-6}`; given once.
        bounds: the lowest and highest value of columns, which rows are clamped to: `{"amount": (0, 200)}`. Under
            `"SUM(amount)"` they are those of what one person's rows add up to, or "private" to have them found.
        keys: public values of columns, each of which gets a row in GROUP BY: `{"category": ["food", "toys"]}`. None
            among them is the group of rows without a value.
        null_keys: columns whose NULL is a group of its own, also of dates and numbers that have no keys: `["left_on"]`.
        contributions: how many rows of one unit count in full. Without it, or with "private", the first question
            releases a histogram of rows for each unit, which every later question uses for nothing.
        columns: types of a CSV's columns, and of a frame's that has none of its own or is to be read in another; a
            value that is not of its type is NULL. Those of a frame among `tables` are declared as `table.column`.
        table: the table of a DuckDB file, or another name for a file's.
        fill: what NULL counts as in a column: `{"amount": 0}`.
        version: names the state of all private tables; a new one makes old questions new.
        dataset: the population whose people the rows belong to, by default as the table is called.
        settings: settings of the engine, such as `{"memory_limit": "2GB"}`.
        tables: more tables of the same people, to join; their terms are declared as `table.column`.
        public: tables whose rows are no secret, to join.
        references: for tables without the unit's column, whose rows theirs are: `{"items.order_id": "orders.id"}`.
        attributes: columns of which a person has one value, the least of theirs.
        bounding_share: the part of the budget that the histogram of rows costs; 2 % by default.
        rowwise_view: the owner's statement that `table` may be a view of a DuckDB file, each row of which is made of
            one row of one table; without it a view is refused.
        rows_per_unit: "one" says that each person owns one row: a second one of theirs does not count, and nothing is
            counted to check that. Of several tables it is said by name, `{"patients": "one", "visits": "many"}`.
        formats: how files are written: `{"visits": {"delimiter": ";", "decimal": ","}}`, see `FileFormat`.
        most_rows: a ceiling: nobody owns more rows of the first table. With it, and `limits`, answers have an interval
            of the whole answer, in which whoever owns more counts as that many.
        limits: ceilings of columns with bounds: no value lies outside, `{"amount": (0, 5000)}`.
        units: the column of people in tables that call it otherwise: `{"patients": "id"}`.
        sample: the owner's statement that the table is a secret random sample: each person of a population was drawn
            with this probability, independently, and who was drawn is told to nobody. The budget is the population's.
        as_of: the day that CURRENT_DATE is and that dates as keys end at, `"2026-03-01"`; today in UTC if left out.
        weight: the column of survey weights of the first table and the largest that counts, `{"column": "w", "most":
            50}`: COUNT, SUM and AVG are then of the population that the rows stand for.

    An example: `connect("purchases.parquet", unit="user_id", budget={"epsilon": 1}, ledger="purchases.ledger")`.

    Warns, by `PolicyWarning`, of terms that were taken from rows and that no owner has confirmed, and of a unit that is
    named like the number of a row while another column is named like a person.
    """
    given = {
        **{"unit": unit, "budget": budget, "bounds": bounds, "keys": keys, "contributions": contributions},
        **{"columns": columns, "table": table, "fill": fill, "version": version, "tables": tables},
        **{"references": references, "attributes": attributes, "bounding_share": bounding_share},
        **{"dataset": dataset, "rowwise_view": rowwise_view, "rows_per_unit": rows_per_unit},
        **{"formats": formats, "units": units, "as_of": as_of, "sample": sample},
        **{"weight": weight, "null_keys": null_keys},
        **{"most_rows": most_rows, "limits": limits},
    }
    check_forms(given | {"public": public, "settings": settings})
    if policy is None and _is_policy(data):
        data, policy = None, data
    if policy is not None:
        engine, terms, others = _by_policy(data, policy, given, settings, public)
    else:
        engine, terms, others = _by_terms(data, given, settings, public)
    for doubt in doubts_at_connect(terms):
        warnings.warn(doubt, PolicyWarning, stacklevel=4)
    book = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
    if terms.sample is not None and any(one.private for one in others.values()):
        raise UnprovenClaim("tables beside a secret sample were not drawn by the same coins: leave them out")
    book.check_tables(terms.population, *identities(engine, terms, others))  # before a budget is granted for ever
    _grant(terms, book, engine)
    return Session(engine, terms, book, analyst, others)


def _is_policy(data: Any) -> bool:
    """Whether terms stand where the table would: no table is a TOML file."""
    return isinstance(data, Policy) or (isinstance(data, str | Path) and Path(data).suffix.lower() == ".toml")


Opened = tuple[Engine, Policy, Mapping[str, QueryTable]]
"""A table in its engine, the owner's terms, and the tables that may be joined."""


def _by_policy(
    data: Any,
    policy: Policy | str | Path,
    given: Mapping[str, Any],
    settings: Mapping[str, str | int] | None,
    public: Mapping[str, Any] | None,
) -> Opened:
    """A table by the terms of a policy, which nobody but the owner changes."""
    if taken := [name for name, value in given.items() if value is not None]:
        raise InvalidParameter(f"the policy says what {taken[0]} is, and only the owner changes it: leave it out")
    terms = policy if isinstance(policy, Policy) else Policy.load(policy)
    beside = _beside(terms, policy, public)
    engine = _engine(data, terms, policy, settings, beside)
    others = _others(beside, engine, terms)
    return engine, terms, others


def _by_terms(
    data: Any, given: Mapping[str, Any], settings: Mapping[str, str | int] | None, public: Mapping[str, Any] | None
) -> Opened:
    """A table by the terms that its owner gives beside it."""
    if data is None or given["unit"] is None:
        raise InvalidParameter("connect needs a table and unit=, who is protected in it; or policy=")
    data, table, tables = _split(data, given["unit"], given["table"], given["tables"])
    apart = columns_beside(given["columns"], tables)
    written = {name: FileFormat.declared(name, one) for name, one in (given["formats"] or {}).items()}
    beside = JoinableTables.given(tables, public, apart, written)
    opened = isinstance(data, Engine)
    if opened and beside.sources:
        raise InvalidParameter("tables to join are opened together with the first: give a path or a frame")
    engine = (
        data
        if isinstance(data, Engine)
        else Default(
            data,
            columns=None
            if given["columns"] is None
            else {name: given["columns"][name] for name in given["columns"] if name not in apart},
            table=table,
            settings=settings,
            others=beside.sources,
            rowwise_view=given["rowwise_view"] or False,
            written=_format_of_first(written, table, tables),
        )
    )
    keys, null_keys = split_nulls(given["keys"], given["null_keys"])
    by_column = (keys, given["bounds"] or {}, given["fill"] or {}, _names(given["attributes"]))
    declared = Declared(*by_column, null_keys)
    own = declared.without(tables or ())
    rows_of_first, rows_beside = split_rows_per_unit(given["rows_per_unit"], engine.name)
    terms = Policy.declare(
        engine.name,
        engine.columns,
        unit=given["unit"],
        keys=own.keys,
        bounds=own.bounds,
        contributions=given["contributions"],
        fill=own.fill,
        budget=given["budget"],
        version=given["version"],
        attributes=own.attributes,
        null_keys=own.null_keys,
        dataset=given["dataset"],
        rowwise_view=given["rowwise_view"] or False,
        rows_per_unit=rows_of_first,
        sample=given["sample"],
        formats=written,
        most_rows=given["most_rows"],
        limits=given["limits"],
        as_of=given["as_of"],
        weight=given["weight"],
        bounding_share=BOUNDING_SHARE if given["bounding_share"] is None else given["bounding_share"],
    )
    others = beside.others(engine.beside, terms, declared, given["references"], given["units"], rows_beside)
    return engine, terms, others


@named_arguments
def explain(
    query: str,
    *,
    policy: Policy | str | Path,
    epsilon: Number | None = None,
    delta: Number | None = None,
    groups: int | None = None,
    min_units: int = 1,
    data: Any = None,
) -> QueryExplanation:
    """What an answer would cost and how far off it would be, from a policy alone: no ledger is opened, nothing is paid.

    `query` is the question; `epsilon`, `delta`, `groups` and `min_units` are as in `Session.sql`. `policy` holds the
    owner's terms, or is the path of the file that does. No private row is read, and no file is opened unless the policy
    names tables to join, whose columns are needed then; `data` takes the place of the policy's own source.
    """
    terms = policy if isinstance(policy, Policy) else Policy.load(policy)
    tables: Mapping[str, QueryTable] = {}
    if terms.beside.tables or terms.beside.public:
        beside = _beside(terms, policy, None)
        engine = _engine(data, terms, policy, None, beside)
        tables = _others(beside, engine, terms)
    return explain_statement(query, terms, tables, epsilon=epsilon, delta=delta, groups=groups, min_units=min_units)


def open_table(data: Any, *, columns: Mapping[str, str] | None = None, table: str | None = None) -> Engine:
    """A table in the engine that asks it, before there are terms for it: its name and columns are public."""
    return Default(data, columns=columns, table=table)


def check_source(policy: Policy | str | Path, *, data: Any = None) -> None:
    """Check a policy's table for its owner: that it has the declared columns, and that a CSV is properly quoted.

    `policy` holds the owner's terms, or is the path of the file that does; `data` takes the place of the policy's own
    source. A CSV is checked by itself only when the ledger first hears of its data set, so its owner does it again
    after each change of the file, and before analysts ask. Raises `InvalidParameter`, in one sentence that names no
    line. Whether it is raised depends on rows, so this is for the owner alone.

    An example: `check_source("policy.toml")`.
    """
    terms = policy if isinstance(policy, Policy) else Policy.load(policy)
    _engine(data, terms, policy, None, _beside(terms, policy, None)).check_lines()


def _engine(
    data: Any, terms: Policy, policy: Any, settings: Mapping[str, str | int] | None, beside: JoinableTables
) -> Engine:
    """The table that a policy names, relative to its file, or the one given; with the columns that it declares."""
    place = data if data is not None else terms.source
    if place is None:
        raise InvalidParameter("the policy names no source: give the table")
    if data is None and isinstance(policy, str | Path) and not Path(place).is_absolute():
        place = Path(policy).parent / place
    engine = Default(
        place,
        columns=terms.columns,
        table=terms.table,
        settings=settings,
        others=beside.sources,
        rowwise_view=terms.rowwise_view,
        written=terms.written(terms.table),
    )
    lacking = {name: kind for name, kind in terms.columns.items() if engine.columns.get(name) != kind}
    if lacking:
        name, kind = next(iter(lacking.items()))
        held = engine.columns.get(name)
        held_columns = f"; it has one of {held}" if held is not None else f"; it has {', '.join(engine.columns)}"
        raise InvalidParameter(f"the table does not have the policy's column {name!r} of {kind}{held_columns}")
    return engine


def _names(attributes: Iterable[str] | None) -> tuple[str, ...]:
    names = tuple(attributes) if isinstance(attributes, Iterable) else ()
    wrong = isinstance(attributes, str) or not isinstance(attributes, Iterable | None)
    if wrong or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(f"attributes must be a list of columns such as ['sex'], got {shown(attributes)}")
    return names


def _beside(terms: Policy, policy: Any, public: Mapping[str, Any] | None) -> JoinableTables:
    """The tables that a policy names, relative to its file, and public ones that whoever asks brings along."""
    folder = Path(policy).parent if isinstance(policy, str | Path) else Path()
    places = [
        {name: place if Path(place).is_absolute() else folder / place for name, place in given.items()}
        for given in (terms.beside.tables, terms.beside.public)
    ]
    if taken := set(places[1]) & set(public or {}):
        raise InvalidParameter(f"the policy says what {taken.pop()!r} is, and only the owner changes it: leave it out")
    return JoinableTables.given(places[0], {**places[1], **(public or {})}, terms.beside.columns, terms.formats)


def _others(beside: JoinableTables, engine: Engine, terms: Policy) -> dict[str, QueryTable]:
    said = terms.beside
    return beside.others(engine.beside, terms, said.declared, said.references, said.units, said.rows_per_unit)


def _split(
    data: Any, unit: Unit | str, table: str | None, tables: Mapping[str, Any] | None
) -> tuple[Any, str | None, Mapping[str, Any] | None]:
    """Of tables given by name, the first that has the unit's column, and the others; one table stays as it is."""
    if not isinstance(data, Mapping):
        return data, table, tables
    if not data or not all(isinstance(name, str) and name for name in data) or tables or table is not None:
        raise InvalidParameter("tables are given by name, {'visits': file or frame, …}, without table= and tables=")
    people = Unit.of(unit).column
    having = [name for name, one in data.items() if people is None or people.lower() in column_names(one)]
    first = next(iter(having or data))
    return data[first], first, {name: one for name, one in data.items() if name != first} or None


def _format_of_first(
    written: Mapping[str, FileFormat], table: str | None, tables: Mapping[str, Any] | None
) -> FileFormat:
    """How the first table's file is written; without a name of its own it is the one format that is left."""
    if table is not None:
        return written.get(table, PLAIN)
    own = [one for name, one in written.items() if name not in (tables or {})]
    return own[0] if len(own) == 1 else PLAIN


def _grant(terms: Policy, book: Ledger, engine: Engine) -> None:
    """Give the population its budget, if one is given; else it must have one."""
    name, budget = terms.population, terms.budget
    if budget is None:
        if name not in book.datasets():
            raise UnknownName(f"the ledger has no budget for {name!r}: give budget=dict(epsilon=…) once")
        return
    if not isinstance(budget, Mapping) or set(budget) - {"epsilon", "delta"} or "epsilon" not in budget:
        raise InvalidParameter("budget must be like dict(epsilon=1, delta=0)")
    if name not in book.datasets():  # the owner's first opening; whoever comes later learns nothing of lines
        engine.check_lines()
    book.create(name, budget["epsilon"], budget.get("delta", 0), unit=terms.unit, sample=terms.sample)
