"""Tables beside the one that is asked: public ones, and more that hold the same people."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.sql.engine import read_public_table, source_of
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source
from dalenius.sql.policy.by_table import Declared
from dalenius.sql.policy.policy import Policy, zones_of
from dalenius.sql.tables.foreign_keys import with_references
from dalenius.sql.tables.rows_counted import with_rows_per_unit
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import is_whole
from dalenius.sql.types.engine_names import place_beside


@dataclass(frozen=True, slots=True)
class JoinableTables:
    """The tables given beside the first: where each comes from by its place in the engine, and what is known so far."""

    sources: Mapping[str, Source]
    private: tuple[str, ...] = ()
    public: tuple[QueryTable, ...] = ()

    @classmethod
    def given(
        cls,
        tables: Mapping[str, Any] | None,
        public: Mapping[str, Any] | None,
        columns: Mapping[str, str] | None = None,
        formats: Mapping[str, FileFormat] | None = None,
    ) -> "JoinableTables":
        """Read the public ones, and find the private ones, with what is declared of their `table.column`s."""
        for term, given in (("tables", tables), ("public", public)):
            if not isinstance(given, Mapping | None) or not all(isinstance(name, str) and name for name in given or {}):
                raise InvalidParameter(f"{term} must be like {{'name': file or frame}}")
        sources = {
            place_beside(name): _private_source(name, data, columns, (formats or {}).get(name, PLAIN))
            for name, data in (tables or {}).items()
        }
        read = [read_public(name, data) for name, data in (public or {}).items()]
        sources |= {other.place: source for other, source in read}
        return cls(sources, tuple(tables or ()), tuple(other for other, _ in read))

    def others(
        self,
        columns: Mapping[str, Mapping[str, str]],
        terms: Policy,
        declared: Declared | None = None,
        references: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        rows_per_unit: Mapping[str, str] | None = None,
    ) -> dict[str, QueryTable]:
        """The tables by name in lower case; private ones with the owner's terms, checked against their columns."""
        said, refers = declared or Declared({}, {}, {}), dict(references or {})
        whose = dict(units or {})
        if unknown := [name for name in whose if name not in self.private]:
            raise InvalidParameter(f"units= names {unknown[0]!r}, which is none of the tables")
        private = [
            _private(name, columns[place_beside(name)], terms, said.of(name), name_in(name, refers), whose.get(name))
            for name in self.private
        ]
        private = with_rows_per_unit(private, rows_per_unit or {})
        private = with_references(private, QueryTable.first(terms), refers)
        by_name = {other.name.lower(): other for other in (*private, *self.public)}
        if len(by_name) != len(self.private) + len(self.public) or terms.table.lower() in by_name:
            raise InvalidParameter("tables need names that differ, in more than upper and lower case")
        return by_name


def columns_beside(columns: Mapping[str, str] | None, tables: Mapping[str, Any] | None) -> dict[str, str]:
    """The declared types of other tables' columns, each named `table.column`."""
    return {name: kind for name, kind in (columns or {}).items() if name.partition(".")[0] in (tables or {})}


def _private_source(name: str, data: Any, columns: Mapping[str, str] | None, written: FileFormat) -> Source:
    declared = {
        column: kind
        for full, kind in (columns or {}).items()
        for table, _, column in [full.partition(".")]
        if table == name and column
    }
    source = source_of(data, declared or None, name, written=written)
    if source.before:
        raise InvalidParameter(f"tables={{{name!r}: …}} takes a file with one table, or a frame; not a database")
    return source


def name_in(table: str, references: Mapping[str, str]) -> bool:
    """Whether a table's rows are somebody's by what they refer to."""
    return any(column.lower().startswith(f"{table.lower()}.") for column in references)


def _private(
    name: str, columns: Mapping[str, str], terms: Policy, declared: Declared, refers: bool, unit: str | None
) -> QueryTable:
    """A table of the same people: it must have the unit's column, perhaps called otherwise, or refer to one that has.

    Not both: whoever is named in rows that refer to a thousand others would count with each of them.
    """
    if terms.unit.column is None:
        raise InvalidParameter("tables= are joined on the unit: name the column of people with unit=")
    people = unit or terms.unit.column
    if refers and (unit is not None or people.lower() in {column.lower() for column in columns}):
        raise InvalidParameter(
            f"{name!r} says whose its rows are by {people!r}, so it refers to nobody: leave its reference "
            "out, and join ON that column AND the key"
        )
    if refers and declared.attributes:
        raise InvalidParameter(f"{name!r} has no column of people: an attribute is one of a table that has")
    own = Policy.declare(
        name,
        columns,
        unit="row" if refers else Unit(people, terms.unit.relation),
        keys=declared.keys,
        bounds=declared.bounds,
        fill=declared.fill,
        contributions=None if refers else terms.contributions,
        attributes=declared.attributes,
        null_keys=declared.null_keys,
    )
    if own.unit.column is not None:
        _check_same_people(terms, name, columns[own.unit.column])
    own_terms = (own.keys, own.bounds, own.fill)
    return QueryTable(
        *(name, place_beside(name), columns, own.unit.column, *own_terms),
        attributes=frozenset(own.attributes),
        null_keys=frozenset(own.null_keys),
        owned=True,
        zones=zones_of(name, columns, terms.formats),
    )


def _check_same_people(terms: Policy, name: str, kind: str) -> None:
    """Two columns name the same people only in one type: a text that is no number would fail the join at its row."""
    assert terms.unit.column is not None
    first = terms.columns[terms.unit.column]
    if kind != first and not (is_whole(kind) and is_whole(first)):
        raise InvalidParameter(
            f"{terms.table!r} names people by a column of {first}, {name!r} by one of {kind}: declare columns= so that "
            "both have one type"
        )


def read_public(name: str, data: Any) -> tuple[QueryTable, Source]:
    """A public table as it is now; its place is named by its content, so that other content is another question."""
    read = read_public_table(name, data)
    place = f"public {read.digest}"
    table = QueryTable(name, place, read.columns, None, read.keys, read.bounds, {}, read.unique, reals=read.reals)
    held = read.source.tables["frame"]
    empty = frozenset(column for column in read.columns if held.column(column).null_count)
    return replace(table, count=held.num_rows, held=held, null_keys=empty), read.source
