"""Statements of aggregates that no sum over rows answers: distinct values, ranks, modes, the largest cells.

In each of them the final rows of a query stand in the place of a table `final`.
"""

from dataclasses import dataclass

from sqlglot import exp

from dalenius.sql.engine.dialect import Dialect
from dalenius.sql.engine.statements import UnknownGroups, placed

_PLAIN = frozenset({"expressions", "from_", "joins", "where", "with_"})
"""Clauses of a SELECT that read none of its own columns, and give the same rows whichever of these there are."""


@dataclass(frozen=True, slots=True)
class ScannedValue:
    """A value of the final rows that one aggregate is about: its column, the part it answers, and its kind."""

    column: str
    part: str
    is_number: bool

    def present(self, to: Dialect) -> str:
        """Whether a row has one."""
        column = f'"{self.column}"'
        return f"{column} IS NOT NULL" + (f" AND NOT {to.is_nan(column)}" if self.is_number else "")


def rows_of_found_keys(
    to: Dialect, rows: exp.Query, unknown: UnknownGroups, value: str, cells: int, named: str, *, by_unit: bool
) -> exp.Query:
    """Each row with the place of its key among those found; of a unit those of its first groups."""
    keys, cell = unknown.listed(), f'"place" * {cells} + "cell" AS "cell"'
    if by_unit:
        text = f"""SELECT "unit", "{value}", {cell} FROM "rows"
        JOIN (SELECT "unit", {keys} FROM (SELECT "unit", {keys} FROM "rows" GROUP BY "unit", {keys}) AS "pairs"
              QUALIFY {unknown.first(to, "ROW_NUMBER")}) AS "owned" USING ("unit", {keys})
        JOIN "{named}" USING ({keys})"""
    else:
        text = f'SELECT "{value}", {cell} FROM "rows" JOIN "{named}" USING ({keys})'
    tree = placed(to.parse(text), "rows", rows)
    assert isinstance(tree, exp.Query)
    return tree


def distinct_values(to: Dialect, final: exp.Query, value: ScannedValue, most: int | None) -> exp.Expr:
    """How many values there are in each cell: of rows that are units, or of each unit's first `most` pairs."""
    column = f'"{value.column}"'
    if most is None:
        counted = to.narrow(f"COUNT(DISTINCT {column})")
        text = f'SELECT "cell", {counted} AS "{value.part}" FROM "final" WHERE {value.present(to)} GROUP BY "cell"'
        return placed(to.parse(text), "final", final)
    order = to.hash_order(['"unit"', '"cell"', column])
    text = f"""WITH "pairs" AS (SELECT "unit", "cell", {column} FROM "final" WHERE {value.present(to)}
                         GROUP BY "unit", "cell", {column}),
             "kept" AS (SELECT * FROM "pairs" QUALIFY ROW_NUMBER() OVER (
                        PARTITION BY "unit" ORDER BY {order}, "cell", {column}) <= {most})
        SELECT "cell", {to.narrow("COUNT(*)")} AS "{value.part}"
        FROM (SELECT "cell", {column} FROM "kept" GROUP BY "cell", {column}) AS "values" GROUP BY "cell" """
    return placed(to.parse(text), "final", final)


@dataclass(frozen=True, slots=True)
class PlaceGrid:
    """A public grid of places: from `low` on, `per` places a unit, the last one `last`."""

    low: float
    per: float
    last: int


def weights_by_place(
    to: Dialect, final: exp.Query, value: ScannedValue, grid: PlaceGrid, weights: tuple[int, int] | None
) -> exp.Expr:
    """The weight at each place of a grid in each cell; `weights` are a full row's and a unit's, None if rows count."""
    place, present = to.place(f'"{value.column}"', grid.low, grid.per, grid.last), value.present(to)
    if weights is None:
        text = f"""SELECT "cell", {place} AS "place", COUNT(*) AS "weight" FROM "final" WHERE {present}
            GROUP BY "cell", "place" """
        return placed(to.parse(text), "final", final)
    rows = f'SELECT "cell", "unit", {place} AS "place" FROM "final" WHERE {present}'
    return placed(to.parse(_weighted(to, rows, weights)), "final", final)


def weights_by_place_alone(
    to: Dialect, final: exp.Query, value: ScannedValue, grid: PlaceGrid, weights: tuple[int, int]
) -> exp.Expr:
    """The same table as `weights_by_place` gives where there is one cell: less to plan, and to tell apart."""
    full, most = weights
    column = f'"{value.column}"'
    place = to.short_place(column, grid.low, grid.per, grid.last)
    present = to.is_counted(column) if value.is_number else value.present(to)
    text = f"""WITH "rows" AS (SELECT "unit", {place} AS "place" FROM "final" WHERE {present}),
             "units" AS (SELECT "unit", {to.row_weight(full, most, "COUNT(*)")} AS "w" FROM "rows" GROUP BY "unit")
        SELECT 0 AS "cell", "place", {to.narrow('SUM("w")')} AS "weight" FROM "rows" JOIN "units" USING ("unit")
        GROUP BY "place" """
    return placed(to.parse(text), "final", _only(final, ("unit", value.column)))


def _only(final: exp.Query, names: tuple[str, ...]) -> exp.Query:
    """The rows with these columns alone, where they are a plain SELECT: other values are not written out."""
    listed = [term for term in final.selects if term.alias_or_name in names]
    clauses = {name for name, value in final.args.items() if value}
    if not isinstance(final, exp.Select) or len(listed) != len(names) or not clauses <= _PLAIN:
        return final
    narrow = final.copy()
    narrow.set("expressions", [term.copy() for term in listed])
    return narrow


def weights_by_key(
    to: Dialect, final: exp.Query, value: ScannedValue, listed: exp.Query, weights: tuple[int, int] | None
) -> exp.Expr:
    """The weight of each listed key in each cell."""
    joined = f'FROM "final" JOIN "listed" ON "final"."{value.column}" = "listed"."key"'
    if weights is None:
        text = f"""SELECT "final"."cell" AS "cell", "listed"."cell" AS "place", COUNT(*) AS "weight"
            {joined} GROUP BY "final"."cell", "listed"."cell" """
    else:
        rows = f'SELECT "final"."cell" AS "cell", "unit", "listed"."cell" AS "place" {joined}'
        text = _weighted(to, rows, weights)
    # the keys first: what is placed later may have tables of any name inside
    return placed(placed(to.parse(text), "listed", listed), "final", final)


def _weighted(to: Dialect, rows: str, weights: tuple[int, int]) -> str:
    """Each unit's rows weigh as much as its number of them leaves to each."""
    weight = to.row_weight(*weights, "COUNT(*)")
    return f"""WITH "rows" AS ({rows}),
             "units" AS (SELECT "unit", {weight} AS "w" FROM "rows" GROUP BY "unit")
        SELECT "cell", "place", {to.narrow('SUM("w")')} AS "weight" FROM "rows" JOIN "units" USING ("unit")
        GROUP BY "cell", "place" """


def people_by_cell(to: Dialect, final: exp.Query, part: str) -> exp.Expr:
    """The units of each cell, each counted in full in every cell that it is in."""
    text = f'SELECT "cell", COUNT(DISTINCT "unit") AS "{part}" FROM "final" GROUP BY "cell"'
    return placed(to.parse(text), "final", final)


def units_by_size(to: Dialect, owned: exp.Expr, octaves: int) -> str:
    """How many units have 1 of the owned rows, 2, 3–4, 5–8, …: the bin is the number of powers of two below."""
    return _units_by(to, owned, "COUNT(*)", octaves)


def units_by_sum(to: Dialect, owned: exp.Expr, parts: int, whole: int, octaves: int) -> str:
    """How many units own rows whose values "a" add up to 1 in absolute value, 2, 3–4, …, in so many parts of `whole`.

    A part is counted as soon as it is begun.
    """
    total = to.wide('COALESCE(SUM(ABS("a")), 0)')
    return _units_by(to, owned, to.divided(f"({parts} * {total} + {whole - 1})", str(whole)), octaves)


def _units_by(to: Dialect, owned: exp.Expr, size: str, octaves: int) -> str:
    bins = " + ".join(f'CAST("n" > {2**power} AS INTEGER)' for power in range(octaves + 1))
    return (
        f'SELECT {bins} AS "cell", COUNT(*) AS "units" '
        f'FROM (SELECT {size} AS "n" FROM {to.text(owned)} GROUP BY "unit") AS "owned" GROUP BY 1'
    )
