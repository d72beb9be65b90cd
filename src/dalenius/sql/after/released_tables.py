"""Run SQL over released tables, in an engine that holds nothing else and can reach nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from dalenius.curator import Release
from dalenius.curator.formula import Cell
from dalenius.errors import UnsupportedQuery
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Key
from dalenius.sql.after.language import check
from dalenius.sql.after.regions.dates import moment
from dalenius.sql.engine import IdlePublicRows, language
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.types.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "released"
TRY_SECONDS = 5.0
MOST_PUBLIC = 1_000_000
_SMALL = ("memory_limit = '512MB'", "threads = 1")  # one thread: rows that ORDER BY leaves open come in one order
_ENGINES = IdlePublicRows(SCHEMA, *_SMALL)
_KINDS = {Kind.TEXT: "text", Kind.NUMBER: "real", Kind.BOOLEAN: "boolean"}
_TIMES = {Kind.DATE: "date", Kind.TIMESTAMP: "timestamp"}


@dataclass(frozen=True, slots=True)
class TableShape:
    """What is public of a released table before it is there: its columns and their types."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    public: "pa.Table | None" = field(default=None, compare=False)
    """The rows of a public table, which are there before."""

    @classmethod
    def of_public(cls, name: str, rows: "pa.Table") -> "TableShape":
        """A public table, which the statement reads beside what is released."""
        if rows.num_rows > MOST_PUBLIC:
            raise UnsupportedQuery(
                f"{name!r} has more than {MOST_PUBLIC:,} rows: above the release it is too large to be held"
            )
        return cls(tuple(rows.column_names), (), rows)

    @classmethod
    def of(cls, compiled: Compiled) -> "TableShape":
        """The columns of a private SELECT: its keys, and what is made of its parts."""
        whole = {part for group in compiled.groups if group.lattice == INTEGERS for part in group.parts}
        chosen = {mode.part: type_of(mode.values) for mode in compiled.modes}
        types = []
        for column in compiled.output.columns:
            if isinstance(column.of, int):
                types.append(_key_type(compiled, column.of))
            elif isinstance(column.of, Cell):
                types.append("whole" if column.of.name in whole else chosen.get(column.of.name, "real"))
            else:
                types.append("real")
        return cls(tuple(column.name for column in compiled.output.columns), tuple(types))

    @classmethod
    def of_release(cls, release: Release) -> "TableShape":
        """The columns of a table that was released before, a private view."""
        table = release.table_of()
        types = [type_of(column) for column in table.values()]
        return cls(tuple(table), tuple(types))

    @property
    def times(self) -> frozenset[str]:
        """The columns that are dates or times."""
        return frozenset(
            name for name, kind in zip(self.columns, self.types, strict=True) if kind in ("date", "timestamp")
        )

    def rows(self, columns: Sequence[Sequence[Any]]) -> "pa.Table":
        """An Arrow table of these columns."""
        import pyarrow as pa

        arrays = [
            pa.array([_held(value, kind) for value in values], _arrow(kind))
            for values, kind in zip(columns, self.types, strict=True)
        ]
        return pa.table(dict(zip(self.columns, arrays, strict=True)))

    def empty(self) -> "pa.Table":
        """The table without rows."""
        return self.public.slice(0, 0) if self.public is not None else self.rows([() for _ in self.columns])


def tried(outer: exp.Expr, shapes: Mapping[str, TableShape]) -> "pa.Table":
    """The answer of a statement over tables without rows: whether it can be answered at all.

    It is free, so it may take seconds only: without a row it is fast, unless its own constants multiply.
    """
    return run(outer, {name: shape.empty() for name, shape in shapes.items()}, TRY_SECONDS)


def run(outer: exp.Expr, tables: Mapping[str, "pa.Table"], seconds: float | None = None) -> "pa.Table":
    """The answer of a statement over released tables.

    What goes wrong is a function of what was released, so the engine's words may be told  [A Prop 3.1].
    """
    import pyarrow as pa

    check(outer, tables)
    with _ENGINES.one() as engine:
        for name, rows in tables.items():
            engine.keep(name, rows)
        answer = engine.select(language.written(outer), seconds)
    for name, kind in zip(answer.schema.names, answer.schema.types, strict=True):
        if pa.types.is_nested(kind):
            raise UnsupportedQuery(f"{name} is a whole row or a list: name the columns that are meant")
    return answer


def type_of(values: Sequence[Key]) -> str:
    """The type of a column that holds these, and NULL perhaps among them."""
    values = [value for value in values if value is not None]
    for kind, held in (("boolean", bool), ("whole", int), ("real", (int, float)), ("text", str)):
        if values and all(isinstance(value, held) for value in values):
            return kind
    if values and all(isinstance(value, datetime) for value in values):
        return "timestamp"
    if values and all(isinstance(value, date) for value in values):
        return "date"
    return "text"


def _key_type(compiled: Compiled, place: int) -> str:
    later = {key.place: key for key in compiled.named}
    if place in later:
        return _KINDS[later[place].kind]
    declared = [number for number in range(len(compiled.keys) + len(later)) if number not in later]
    key = compiled.keys[declared.index(place)]
    is_time = key.kind is not None and all(value is None or moment(value) is not None for value in key.values)
    return _TIMES[key.kind] if is_time and key.kind is not None else type_of(key.values)


def _arrow(kind: str) -> "pa.DataType":
    import pyarrow as pa

    types: dict[str, Any] = {"text": pa.string(), "boolean": pa.bool_(), "whole": pa.int64(), "real": pa.float64()}
    arrow: pa.DataType = (types | {"date": pa.date32(), "timestamp": pa.timestamp("us")})[kind]
    return arrow


def _held(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind in ("date", "timestamp"):
        when = moment(value)
        return when if when is None or kind == "timestamp" else when.date()
    return float(value) if kind == "real" else str(value) if kind == "text" else value
