"""DuckDB's SQL: each piece that a statement needs of it, and why it keeps what the proofs ask."""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dalenius.queries import Key
from dalenius.sql.engine.dialect import Dialect
from dalenius.sql.engine.duckdb.kept_rows import kept_rows
from dalenius.sql.types.engine_names import CELL
from dalenius.sql.types.kinds import Kind

_TYPES = {
    **{Kind.NUMBER: "DOUBLE", Kind.TEXT: "TEXT", Kind.BOOLEAN: "BOOLEAN"},
    **{Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP"},
}


class DuckDBDialect(Dialect):
    """The pieces in DuckDB's SQL."""

    name = "duckdb"

    def row_weight(self, full: int, most: int, rows: str) -> str:
        """`//` rounds toward zero, and neither number is ever negative."""
        return f"LEAST({full}, {most} // {rows})"

    def wide(self, value: str) -> str:
        return f"CAST({value} AS HUGEINT)"

    def narrow(self, value: str) -> str:
        return f"CAST({value} AS BIGINT)"

    def held(self, total: str) -> str:
        """A sum of 64 bits is one of 128 here, so that it is held before it is cast."""
        return self.narrow(f"GREATEST(LEAST({total}, {2**63 - 1}), {-(2**63) + 1})")

    def root_above(self, square: str) -> str:
        """√s·(2²⁰ + 10⁻⁶), rounded, is above √s·2²⁰, since 10⁻⁶/2²⁰ is more than 2⁻⁵¹."""
        return self.wide(f"FLOOR(SQRT(CAST({square} AS DOUBLE)) * 1048576.000001e0) + 1")

    def divided(self, value: str, by: str) -> str:
        return f"{value} // {by}"

    def is_nan(self, value: str) -> str:
        """There is one NaN, which equals itself and lies above every number."""
        return f"ISNAN({value})"

    def is_counted(self, value: str) -> str:
        """ISNAN of NULL is NULL, and so is its negation: the value is read once."""
        return f"NOT ISNAN({value})"

    def hash_order(self, values: Sequence[str]) -> str:
        """A function of these values alone."""
        return f"HASH({', '.join(values)})"

    def cell_set(self) -> str:
        """One bit for each cell."""
        return 'BIT_OR(CAST(1 AS BIGINT) << CAST("cell" AS BIGINT))'

    def size_of_set(self, column: str) -> str:
        """The bits that are set."""
        return f"BIT_COUNT({column})"

    def in_set(self, column: str) -> str:
        """Whether a cell's bit is set."""
        return f'({column} >> "cell") & 1 = 1'

    def numbers(self, count: int) -> str:
        """One row for each."""
        return f'SELECT UNNEST(RANGE({count})) AS "cell"'

    def short_cell(self, cells: int) -> str:
        """Two bytes, which the engine also counts by place and not by hash."""
        return 'CAST("cell" AS USMALLINT)' if cells <= 2**16 else '"cell"'

    def place(self, column: str, low: float, per: float, last: int) -> str:
        """Held before it is cast: NaN is not among the rows, and ±∞ is at an end."""
        moved = f"({column} - ({low!r})::DOUBLE) * {per!r}::DOUBLE"
        return self.narrow(f"FLOOR(LEAST(GREATEST({moved}, 0e0), {last}e0))")

    def short_place(self, column: str, low: float, per: float, last: int) -> str:
        """Two bytes, which the engine counts by place and not by hash; it compares faster than it takes a LEAST."""
        moved = f"({column} - ({low!r})::DOUBLE) * {per!r}::DOUBLE"
        held = f"CASE WHEN {moved} <= 0e0 THEN 0e0 WHEN {moved} >= {last}e0 THEN {last}e0 ELSE {moved} END"
        return f"CAST(FLOOR({held}) AS USMALLINT)"

    def key_frame(self, values: tuple[Key, ...], kind: Kind) -> exp.Select:
        """One text that the engine splits: a literal for each key would take seconds to parse."""
        written = [value if isinstance(value, str) else _plain(value) for value in values if value is not None]
        used = frozenset().union(*map(frozenset, written))
        mark = next(letter for letter in map(chr, (ord("|"), 0x1F, *range(0xE000, 0xF8FF))) if letter not in used)
        wrapped = exp.Literal.string(mark.join(written)), exp.Literal.string(mark)
        split: exp.Expr = exp.Anonymous(this="STRING_SPLIT", expressions=list(wrapped))
        if len(written) <= 1:
            split = exp.Array(expressions=[wrapped[0]] if written else [exp.cast(exp.null(), "VARCHAR")])
        # of two lists that are unnested together, the engine fills the shorter one with NULL
        count = exp.Anonymous(this="RANGE", expressions=[exp.Literal.number(len(values))])
        listed = exp.select(
            exp.alias_(exp.Anonymous(this="UNNEST", expressions=[count]), CELL, quoted=True),
            exp.alias_(exp.Anonymous(this="UNNEST", expressions=[split]), "key", quoted=True),
        )
        typed = exp.alias_(exp.cast(exp.column("key", quoted=True), _TYPES[kind]), "key", quoted=True)
        return exp.select(exp.column(CELL, quoted=True), typed).from_(listed.subquery("listed"))

    def bytes_of(self, value: exp.Expr) -> exp.Expr:
        """Bytes, where LENGTH counts letters."""
        return exp.Anonymous(this="STRLEN", expressions=[value])

    def kept_rows(self, columns: Mapping[str, str], unit: str, most: int, key: str) -> exp.Query:
        """By MD5 of the key and the row, and of how many equal rows came before."""
        return kept_rows(columns, unit, most, key)


def _plain(value: Key) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


DIALECT = DuckDBDialect()
