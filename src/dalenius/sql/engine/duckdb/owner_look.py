"""A look at tables for their owner: exact facts of rows, none of which is private for anyone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import duckdb

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.guessed_types import GuessedTexts, guess_texts
from dalenius.sql.engine.duckdb.narrow_tables import WIDE, narrow_tables
from dalenius.sql.engine.duckdb.opening import create, in_memory, schema, set_up
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import REALS, kind_of
from dalenius.sql.types.kinds import Kind

MOST_VALUES = 500
RARE = 10
QUANTILES = (0.0, 0.001, 0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995, 0.999, 1.0)
_BATCH = 40
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What the rows of a table hold in one column."""

    name: str
    kind: str
    rows: int
    nulls: int
    distinct: int
    whole: bool = False
    """Whether every number is a whole one below 2⁵³, so that a float can name people."""
    identifier: bool = True
    """Whether texts are short and mostly without spaces, as names of people are in a table."""
    values: tuple[Any, ...] | None = None
    """All values, if there are few enough to be listed."""
    rare: int = 0
    """How many of these values stand in fewer rows than `RARE`."""
    quantiles: tuple[Any, ...] = ()

    @property
    def unique(self) -> bool:
        """Whether no value stands in two rows."""
        return self.distinct == self.rows - self.nulls and self.distinct > 0


class OwnerLook:
    """Tables under names of their own, for questions that only their owner may ask."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._connection = in_memory({})
        self._columns: dict[str, dict[str, str]] = {}
        set_up(self._connection)
        # looking for like expressions takes a time that grows with the square of the columns
        self._connection.execute("SET disabled_optimizers = 'common_subexpressions'")
        for name, source in sources.items():
            try:
                create(self._connection, name, source)
                self._columns[name] = schema(self._connection, name, source)
                if source.lines or len(self._columns[name]) > WIDE:  # read once, not for every column
                    self._connection.execute(f"CREATE TABLE held AS FROM {_quoted(name)}")
                    self._connection.execute(f"DROP {'TABLE' if source.tables else 'VIEW'} {_quoted(name)}")
                    self._connection.execute(f"ALTER TABLE held RENAME TO {_quoted(name)}")
            except duckdb.Error:
                raise InvalidParameter(f"{name} cannot be read as a table: is the file what its name says?") from None

    def __enter__(self) -> "OwnerLook":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def columns(self, table: str) -> dict[str, str]:
        """Names and types."""
        return dict(self._columns[table])

    def facts(self, table: str, columns: Sequence[str]) -> dict[str, ColumnFacts]:
        """What each of the columns holds."""
        facts: dict[str, ColumnFacts] = {}
        for place, names in narrow_tables(self._connection, _quoted(table), columns):
            counted = ", ".join(f"COUNT({_quoted(name)}), COUNT(DISTINCT {_quoted(name)})" for name in names)
            rows, *counts = self._one(f"SELECT COUNT(*), {counted} FROM {place}")
            kinds = {name: self._columns[table][name] for name in names}
            quantiles = self._quantiles(place, {name: kinds[name] for n, name in enumerate(names) if counts[2 * n]})
            for n, name in enumerate(names):
                there, distinct = counts[2 * n : 2 * n + 2]
                one = ColumnFacts(name, kinds[name], rows, rows - there, distinct, quantiles=quantiles.get(name, ()))
                facts[name] = self._column(place, one)
        return facts

    def _column(self, place: str, one: ColumnFacts) -> ColumnFacts:
        column, whole, identifier = _quoted(one.name), False, True
        if one.kind in REALS and one.distinct:
            (whole,) = self._one(
                f"SELECT BOOL_AND(ABS({column}) < {2**53} AND {column} = FLOOR({column})) FROM {place} "
                f"WHERE NOT ISNAN({column})"
            )
        if one.kind == "VARCHAR" and one.distinct:
            long, spaced = self._one(
                f"SELECT AVG(CAST(LENGTH({column}) > {_LONGEST_NAME} AS INT)), "
                f"AVG(CAST(CONTAINS(TRIM({column}), ' ') AS INT)) FROM {place} WHERE {column} IS NOT NULL"
            )
            identifier = long < 0.1 and spaced < 0.5
        values, rare = self._values(place, column) if one.distinct <= MOST_VALUES else (None, 0)
        return replace(one, whole=bool(whole), identifier=identifier, values=values, rare=rare)

    def _values(self, place: str, column: str) -> tuple[tuple[Any, ...], int]:
        counted = self._connection.execute(
            f"SELECT {column}, COUNT(*) FROM {place} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
        ).fetchall()
        return tuple(value for value, _ in counted), sum(count < RARE for _, count in counted)

    def _quantiles(self, place: str, kinds: Mapping[str, str]) -> dict[str, tuple[Any, ...]]:
        """Of the columns that hold numbers or dates."""
        told = {name: kind_of(kind) for name, kind in kinds.items()}
        names = [name for name, kind in told.items() if kind in (Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP)]
        if not names:
            return {}
        values = {
            name: f"CAST({_quoted(name)} AS {'DOUBLE' if told[name] is Kind.NUMBER else 'DATE'})" for name in names
        }
        asked = (f"QUANTILE_DISC({value}, {list(QUANTILES)}) FILTER (ISFINITE({value}))" for value in values.values())
        quantiles = self._one(f"SELECT {', '.join(asked)} FROM {place}")
        return {name: tuple(one or ()) for name, one in zip(names, quantiles, strict=True)}

    def guess(self, table: str, columns: Sequence[str]) -> GuessedTexts:
        """What columns of text seem to hold."""
        return guess_texts(self._connection, _quoted(table), columns, typed=True)

    def contained(self, table: str, column: str, other: str, key: str) -> float:
        """Which share of the values of a column stands in a key of another table."""
        here, there = _quoted(table), _quoted(other)
        texts = "CAST({} AS VARCHAR)" if self._columns[table][column] != self._columns[other][key] else "{}"
        mine, its = (_comparable(name, self._columns[at][name], texts) for at, name in ((table, column), (other, key)))
        keys = f"SELECT {its} FROM {there} WHERE {_quoted(key)} IS NOT NULL"
        values = f"SELECT DISTINCT {mine} AS v FROM {here} WHERE {_quoted(column)} IS NOT NULL"
        (share,) = self._one(f"SELECT AVG(CAST(v IN ({keys}) AS INT)) FROM ({values})")
        return float(share or 0)

    def constant(self, table: str, unit: str, columns: Sequence[str]) -> list[str]:
        """The columns of which each unit has at most one value."""
        if not columns:
            return []
        kept = []
        for start in range(0, len(columns), _BATCH):
            names = columns[start : start + _BATCH]
            ends = ", ".join(
                f"MIN({_quoted(name)}) = MAX({_quoted(name)}) AS c{place}" for place, name in enumerate(names)
            )
            every = ", ".join(f"BOOL_AND(c{place})" for place in range(len(names)))  # NULL where a column has no value
            same = self._one(
                f"SELECT COUNT(*), {every} FROM (SELECT {ends} FROM {_quoted(table)} WHERE {_quoted(unit)} IS NOT NULL "
                f"GROUP BY {_quoted(unit)})"
            )
            kept += [name for name, one in zip(names, same[1:], strict=True) if same[0] and one is not False]
        return kept

    def rows_of_units(self, table: str, unit: str) -> tuple[Any, ...]:
        """Quantiles of the number of rows that a unit owns."""
        column = _quoted(unit)
        (quantiles,) = self._one(
            f"SELECT QUANTILE_DISC(n, {list(QUANTILES)}) FROM "
            f"(SELECT COUNT(*) AS n FROM {_quoted(table)} WHERE {column} IS NOT NULL GROUP BY {column})"
        )
        return tuple(quantiles or ())

    def _one(self, statement: str) -> tuple[Any, ...]:
        row = self._connection.execute(statement).fetchone()
        assert row is not None
        return row


def _comparable(name: str, kind: str, texts: str) -> str:
    """A float that is a whole number is written as one, so that it is found among whole numbers."""
    column = f"TRY_CAST({_quoted(name)} AS HUGEINT)" if kind in REALS else _quoted(name)
    return texts.format(column)


def _quoted(name: str) -> str:
    return DIALECT.quoted(name)
