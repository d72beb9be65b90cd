"""Tables beside the one that is asked: public ones, and more that hold the same people."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.numerics import Number
from dalenius.queries import Key, Keys
from dalenius.sql.columns import KEY_TYPES, REALS, kind_of
from dalenius.sql.engine.sources import Source, source_of
from dalenius.sql.kinds import Kind
from dalenius.sql.policy import Ends, Policy

MOST_KEYS = 10_000
_FARTHEST = 1e100


@dataclass(frozen=True, slots=True)
class Other:
    """A table that may be joined: what is known of its columns, each by its name there.

    `place` is the engine's name for it. A private one has the `unit`, and its terms are the owner's. A public one has
    none: its keys, bounds and which columns are `unique` come from its rows, which are no secret.
    """

    name: str
    place: str
    columns: Mapping[str, str]
    unit: str | None = None
    keys: Mapping[str, Keys] = field(default_factory=dict)
    bounds: Mapping[str, Ends] = field(default_factory=dict)
    fill: Mapping[str, Number] = field(default_factory=dict)
    unique: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Declared:
    """The owner's terms that are told by column, for the tables beside the first written `table.column`."""

    keys: Mapping[str, Iterable[Key]]
    bounds: Mapping[str, Ends]
    fill: Mapping[str, Number]

    def of(self, table: str) -> "Declared":
        """The terms of one of the tables beside the first."""
        start = (f"{table.lower()}.",)
        cut = len(start[0])
        return Declared(
            {name[cut:]: keys for name, keys in self.keys.items() if name.lower().startswith(start)},
            {name[cut:]: ends for name, ends in self.bounds.items() if name.lower().startswith(start)},
            {name[cut:]: value for name, value in self.fill.items() if name.lower().startswith(start)},
        )

    def without(self, tables: Iterable[str]) -> "Declared":
        """The terms of the first table."""
        starts = tuple(f"{table.lower()}." for table in tables)
        return Declared(
            {name: keys for name, keys in self.keys.items() if not name.lower().startswith(starts)},
            {name: ends for name, ends in self.bounds.items() if not name.lower().startswith(starts)},
            {name: value for name, value in self.fill.items() if not name.lower().startswith(starts)},
        )


@dataclass(frozen=True, slots=True)
class Beside:
    """The tables given beside the first: where each comes from by its place in the engine, and what is known so far."""

    sources: Mapping[str, Source]
    private: tuple[str, ...] = ()
    public: tuple[Other, ...] = ()

    @classmethod
    def given(cls, tables: Mapping[str, Any] | None, public: Mapping[str, Any] | None) -> "Beside":
        """Read the public ones, and find the private ones."""
        for term, given in (("tables", tables), ("public", public)):
            if not isinstance(given, Mapping | None) or not all(isinstance(name, str) and name for name in given or {}):
                raise InvalidParameter(f"{term} must be like {{'name': file or frame}}")
        sources = {_place(name): _private_source(name, data) for name, data in (tables or {}).items()}
        read = [read_public(name, data) for name, data in (public or {}).items()]
        sources |= {other.place: source for other, source in read}
        return cls(sources, tuple(tables or ()), tuple(other for other, _ in read))

    def others(
        self, columns: Mapping[str, Mapping[str, str]], terms: Policy, declared: "Declared | None" = None
    ) -> dict[str, Other]:
        """The tables by name in lower case; private ones with the owner's terms, checked against their columns."""
        said = declared or Declared({}, {}, {})
        private = [_private(name, columns[_place(name)], terms, said.of(name)) for name in self.private]
        found = {other.name.lower(): other for other in (*private, *self.public)}
        if len(found) != len(self.private) + len(self.public) or terms.table.lower() in found:
            raise InvalidParameter("tables need names that differ, in more than upper and lower case")
        return found


def _private_source(name: str, data: Any) -> Source:
    if isinstance(data, str | Path) and Path(data).suffix.lower() != ".parquet":
        raise InvalidParameter(f"tables={{{name!r}: …}} takes a Parquet file or a frame")
    return source_of(data, None, name)


def _place(name: str) -> str:
    return f"table {name}"


def _private(name: str, columns: Mapping[str, str], terms: Policy, declared: Declared) -> Other:
    """A table of the same people: it must have the unit's column."""
    if terms.unit.column is None:
        raise InvalidParameter("tables= are joined on the unit: name the column of people with unit=")
    own = Policy.declare(
        name,
        columns,
        unit=terms.unit,
        keys=declared.keys,
        bounds=declared.bounds,
        fill=declared.fill,
        contributions=terms.contributions,
    )
    return Other(name, _place(name), columns, own.unit.column, own.keys, own.bounds, own.fill)


def read_public(name: str, data: Any) -> tuple[Other, Source]:
    """A public table as it is now; its place is named by its content, so that other content is another question."""
    try:
        with duckdb.connect(":memory:") as connection:
            held = _read(connection, name, data)
            connection.register("held", held)
            columns = {column: kind for column, kind, *_ in connection.execute("DESCRIBE held").fetchall()}
            known = _known(connection, columns)
    except duckdb.Error:
        failed = InvalidParameter(f"public={{{name!r}: …}} cannot be read as a table")
    else:
        # names in the order of the bytes: two tables with their columns swapped are not the same table
        digest = hashlib.sha256(repr(list(columns.items())).encode())
        for batch in held.combine_chunks().to_batches():
            digest.update(batch.serialize())
        place = f"public {digest.hexdigest()[:32]}"
        return Other(name, place, columns, None, *known), Source("SELECT * FROM frame", name, tables={"frame": held})
    raise failed


def _read(connection: duckdb.DuckDBPyConnection, name: str, data: Any) -> Any:
    if isinstance(data, str | Path) and Path(data).suffix.lower() in (".csv", ".tsv"):
        if not Path(data).is_file():
            raise InvalidParameter(f"there is no file {str(data)!r}")
        return connection.sql("SELECT * FROM read_csv(?)", params=[str(data)]).to_arrow_table()
    source = source_of(data, None, name)
    if source.before:
        raise InvalidParameter(f"public={{{name!r}: …}} takes a Parquet or CSV file, or a frame")
    for view, table in source.tables.items():
        connection.register(view, table)
    return connection.sql(source.select).to_arrow_table()


def _known(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, str]) -> tuple[Any, ...]:
    """Keys, bounds, no fills, and the columns that hold no value twice."""
    keys: dict[str, Keys] = {}
    bounds: dict[str, Ends] = {}
    unique: set[str] = set()
    for name, kind in columns.items():
        column = exp.to_identifier(name, quoted=True).sql(dialect="duckdb")
        values, rows = _one(connection, f"SELECT COUNT(DISTINCT {column}), COUNT({column}) FROM held")
        if values == rows:
            unique.add(name)
        if kind in KEY_TYPES and kind not in REALS and 1 <= values <= MOST_KEYS:
            found = connection.execute(f"SELECT DISTINCT {column} FROM held WHERE {column} IS NOT NULL ORDER BY 1")
            listed = [value for (value,) in found.fetchall() if not (isinstance(value, str) and "\0" in value)]
            keys |= {name: Keys(name, listed)} if listed else {}
        if kind_of(kind) is Kind.NUMBER:
            number = f"CAST({column} AS DOUBLE)"
            ends = _one(connection, f"SELECT MIN({number}), MAX({number}) FROM held WHERE ABS({number}) <= {_FARTHEST}")
            bounds |= {name: ends} if ends[0] is not None else {}
    return keys, bounds, {}, frozenset(unique)


def _one(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return row
