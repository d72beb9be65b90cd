"""Tables beside the one that is asked: public ones, and more that hold the same people."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.queries import Keys
from dalenius.queries.view import EXACT
from dalenius.sql.columns import KEY_TYPES, REALS, kind_of
from dalenius.sql.declared import Declared, Ends
from dalenius.sql.engine.sources import Source, source_of
from dalenius.sql.kinds import Kind
from dalenius.sql.policy import Policy
from dalenius.sql.references import with_references
from dalenius.sql.table import Table

MOST_KEYS = 10_000
_FARTHEST = 1e100


@dataclass(frozen=True, slots=True)
class Beside:
    """The tables given beside the first: where each comes from by its place in the engine, and what is known so far."""

    sources: Mapping[str, Source]
    private: tuple[str, ...] = ()
    public: tuple[Table, ...] = ()

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
        self,
        columns: Mapping[str, Mapping[str, str]],
        terms: Policy,
        declared: Declared | None = None,
        references: Mapping[str, str] | None = None,
    ) -> dict[str, Table]:
        """The tables by name in lower case; private ones with the owner's terms, checked against their columns."""
        said, refers = declared or Declared({}, {}, {}), dict(references or {})
        private = [
            _private(name, columns[_place(name)], terms, said.of(name), name_in(name, refers)) for name in self.private
        ]
        private = with_references(private, Table.first(terms), refers)
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


def name_in(table: str, references: Mapping[str, str]) -> bool:
    """Whether a table's rows are somebody's by what they refer to."""
    return any(column.lower().startswith(f"{table.lower()}.") for column in references)


def _private(name: str, columns: Mapping[str, str], terms: Policy, declared: Declared, refers: bool) -> Table:
    """A table of the same people: it must have the unit's column, or refer to one that has.

    Not both: whoever is named in rows that refer to a thousand others would count with each of them.
    """
    if terms.unit.column is None:
        raise InvalidParameter("tables= are joined on the unit: name the column of people with unit=")
    if refers and terms.unit.column.lower() in {column.lower() for column in columns}:
        raise InvalidParameter(
            f"{name!r} says whose its rows are by {terms.unit.column!r}, so it refers to nobody: leave its reference "
            "out, and join ON that column AND the key"
        )
    if refers and declared.attributes:
        raise InvalidParameter(f"{name!r} has no column of people: an attribute is one of a table that has")
    own = Policy.declare(
        name,
        columns,
        unit="row" if refers else terms.unit,
        keys=declared.keys,
        bounds=declared.bounds,
        fill=declared.fill,
        contributions=None if refers else terms.contributions,
        attributes=declared.attributes,
    )
    told = (own.keys, own.bounds, own.fill)
    return Table(name, _place(name), columns, own.unit.column, *told, attributes=frozenset(own.attributes), owned=True)


def read_public(name: str, data: Any) -> tuple[Table, Source]:
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
        return Table(name, place, columns, None, *known), Source("SELECT * FROM frame", name, tables={"frame": held})
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
            far = any(isinstance(value, int) and abs(value) >= EXACT for value in listed)
            keys |= {name: Keys(name, listed)} if listed and not far else {}
        if kind_of(kind) is Kind.NUMBER:
            number = f"CAST({column} AS DOUBLE)"
            ends = _one(connection, f"SELECT MIN({number}), MAX({number}) FROM held WHERE ABS({number}) <= {_FARTHEST}")
            bounds |= {name: ends} if ends[0] is not None else {}
    return keys, bounds, {}, frozenset(unique)


def _one(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return row
