"""Sums over cells as statements, made of an engine's pieces: the planner hands in trees and takes trees.

In each of them the final rows of a query, with the terms of their sums, stand in the place of a table `terms`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dalenius.sql.engine.dialect import Dialect

ONE_BITS = 20
"""A row that counts in full weighs 2²⁰."""
_ONE = 1 << ONE_BITS
_FAR = 1 << 46
NamedParts = Sequence[tuple[str, exp.Expr]]
"""What is made in each cell, by name."""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over rows, under a name: of a column, or the number of rows where the column is not NULL."""

    name: str
    column: str
    counted: bool


@dataclass(frozen=True, slots=True)
class HeldSum:
    """A total of which each unit's sums in all cells are scaled toward zero, by `weight`, to a norm of at most `most`.

    A total that no row lowers, or none raises, is not `signed`: then its norm in ℓ1 is that of one sum over all cells.
    """

    weight: str
    total: str
    most: int
    signed: bool


@dataclass(frozen=True, slots=True)
class NarrowRows:
    """What is kept of each row between counting a unit's rows and weighing them, so that memory holds no more.

    `kept` gives the cell, the unit and whole numbers; `terms` makes the rows of `Sums` of a table "rows" of these.
    """

    kept: exp.Query
    columns: tuple[str, ...]
    terms: exp.Query
    cells: int


@dataclass(frozen=True, slots=True)
class Sums:
    """The rows, the totals that are taken of a unit's rows first, and the parts that are made of them in each cell."""

    rows: exp.Query
    totals: tuple[Total, ...]
    parts: tuple[tuple[str, exp.Expr], ...]
    held: tuple[HeldSum, ...] = ()
    narrow: NarrowRows | None = None
    """Where the same sums are made of narrow rows: for statements that go over the rows twice."""

    @property
    def signed(self) -> bool:
        """Whether a norm needs a unit's sum in each of its cells."""
        return any(one.signed for one in self.held)


def whole_rows(to: Dialect, sums: Sums) -> exp.Expr:
    """Where rows are units, each counts as it is."""
    parts = _parts(to, sums)
    return _filled(
        to, sums, f'SELECT "cell", {parts} FROM (SELECT *, 1 AS "n" FROM "terms") AS "terms" GROUP BY "cell"'
    )


def one_cell(to: Dialect, sums: Sums, most: int) -> exp.Expr:
    """One cell: a unit's rows are summed before they are weighted."""
    weight = to.row_weight(_ONE, most, "COUNT(*)")
    return _filled(
        to,
        sums,
        f"""SELECT 0 AS "cell", {_parts(to, sums)}
        FROM (SELECT COUNT(*) AS "n", 1 AS "g", {weight} AS "w", {_totals(to, sums)}{_held_rows(to, sums)}
              FROM "terms" GROUP BY "unit") AS "owned" """,
    )


def several_cells(to: Dialect, sums: Sums, most: int) -> exp.Expr:
    """Several cells: a weight for each unit, joined to its rows."""
    weight = to.row_weight(_ONE, most, "COUNT(*)")
    return _filled(
        to,
        sums,
        f"""WITH "rows" AS ({_kept(to, sums)}),
             "units" AS (SELECT "unit", {weight} AS "w"{_held_rows(to, sums)} FROM "rows" GROUP BY "unit")
        SELECT "cell", {_parts(to, sums)} FROM (SELECT *, 1 AS "n" FROM {_again(sums)}) AS "rows"
        JOIN "units" USING ("unit") GROUP BY "cell" """,
    )


def owned_by_cell(to: Dialect, sums: Sums) -> exp.Expr:
    """What each unit has in a cell, by itself, and then the parts: these say how it is held."""
    text = f"""SELECT "cell", {_parts(to, sums)}
        FROM (SELECT "cell", {to.wide("COUNT(*)")} AS "n", {_totals(to, sums)}
              FROM "terms" GROUP BY "unit", "cell") AS "owned" GROUP BY "cell" """
    return _filled(to, sums, text)


def people_in_few_cells(to: Dialect, sums: Sums, most_cells: int, cells: int) -> exp.Expr:
    """People in a few cells: a unit's cells are a set in one number, which tells in one pass how many it is in."""
    return _filled(
        to,
        sums,
        f"""WITH "units" AS (SELECT {to.cell_set()} AS "mask" FROM "terms" GROUP BY "unit"),
             {_people(to, most_cells, cells)}
        SELECT "cell", {_parts(to, sums)} FROM "people" GROUP BY "cell" """,
    )


def rows_and_people_in_few_cells(to: Dialect, sums: Sums, most: int, most_cells: int, cells: int) -> exp.Expr:
    """The same beside sums over rows."""
    weight = to.row_weight(_ONE, most, "COUNT(*)")
    return _filled(
        to,
        sums,
        f"""WITH "rows" AS ({_kept(to, sums)}),
             "units" AS (SELECT "unit", {weight} AS "w", {to.cell_set()} AS "mask"{_held_rows(to, sums)}
                         FROM "rows" GROUP BY "unit"),
             {_people(to, most_cells, cells)}
        SELECT "cell", {_parts(to, sums)} FROM (SELECT *, 1 AS "n" FROM {_again(sums)}) AS "rows"
        JOIN "units" USING ("unit") JOIN "people" USING ("cell") GROUP BY "cell" """,
    )


def _kept(to: Dialect, sums: Sums) -> str:
    """The rows that are gone over twice."""
    if sums.narrow is None:
        return 'SELECT * FROM "terms"'
    others = "".join(f', "{name}"' for name in sums.narrow.columns)
    return f'SELECT {to.short_cell(sums.narrow.cells)} AS "cell", "unit"{others} FROM "kept"'


def _again(sums: Sums) -> str:
    """The same rows for the second time, with their terms."""
    return '"rows"' if sums.narrow is None else '"terms"'


def _people(to: Dialect, most_cells: int, cells: int) -> str:
    weight = to.row_weight(_ONE, most_cells, to.size_of_set('"mask"'))
    return f"""
             "marked" AS (SELECT "mask", {weight} AS "g" FROM "units"),
             "people" AS (SELECT "cell", SUM("g") AS "people" FROM "marked", ({to.numbers(cells)})
                          AS "cells" WHERE {to.in_set('"mask"')} GROUP BY "cell")"""


def rows_and_people(to: Dialect, sums: Sums, most: int, most_cells: int | None) -> exp.Expr:
    """People in many cells, or in one each (`most_cells` is None): each unit's cells are counted one by one."""
    presence = "1" if most_cells is None else to.row_weight(_ONE, most_cells, "COUNT(*)")
    weight = to.row_weight(_ONE, most, to.narrow('SUM("n")'))
    return _filled(
        to,
        sums,
        f"""WITH {_pairs(to, sums)},
             "units" AS (SELECT "unit", {weight} AS "w", {presence} AS "g"{_held_pairs(to, sums)}
                         FROM "pairs" GROUP BY "unit")
        SELECT "cell", {_parts(to, sums)} FROM "pairs" JOIN "units" USING ("unit") GROUP BY "cell" """,
    )


def spread_rows(to: Dialect, sums: Sums, squares: tuple[int, int], roots: tuple[int, int]) -> exp.Expr:
    """Weights in ℓ2, of rows and of presence: below `squares` a unit counts in full, else by `roots` over its norm."""
    rows, presence = (
        f"""CASE WHEN "{name}" <= {square} THEN {_ONE}
            ELSE {to.narrow(to.divided(str(root), to.root_above(f'"{name}"')))} END"""
        for name, square, root in zip("sc", squares, roots, strict=True)
    )
    squared = "".join(
        f""", SUM({to.wide(f'"{one.total}"')} * "{one.total}") AS "{one.weight} square" """ for one in sums.held
    )
    return _filled(
        to,
        sums,
        f"""WITH {_pairs(to, sums, squares=True)},
             "sizes" AS (SELECT "unit", SUM({to.wide('"n"')} * "n") AS "s", {to.wide("COUNT(*)")} AS "c"{squared}
                         FROM "pairs" GROUP BY "unit"),
             "units" AS (SELECT "unit", {rows} AS "w", {presence} AS "g"{_held_squares(to, sums)} FROM "sizes")
        SELECT "cell", {_parts(to, sums)} FROM "pairs" JOIN "units" USING ("unit") GROUP BY "cell" """,
    )


def _pairs(to: Dialect, sums: Sums, *, squares: bool = False) -> str:
    return f""" "pairs" AS (SELECT "unit", "cell", COUNT(*) AS "n", {_totals(to, sums, squares=squares)}
                FROM "terms" GROUP BY "unit", "cell")"""


def _held_rows(to: Dialect, sums: Sums) -> str:
    """The weights of held sums over a unit's rows, none of them signed unless there is one cell."""
    return _held(to, sums, lambda total: f"ABS(SUM({total}))")


def _held_pairs(to: Dialect, sums: Sums) -> str:
    """The weights of held sums over a unit's sums in its cells."""
    return _held(to, sums, lambda total: f"SUM(ABS({total}))")


def _held(to: Dialect, sums: Sums, norm: Callable[[str], str]) -> str:
    """2²⁰ for a unit whose norm in ℓ1 is at most C, else ⌊C·2²⁰ / norm⌋: times 2²⁰ its scaled sums are at most C·2²⁰.

    Of a unit without values the norm is NULL, and there is nothing to weigh.
    """
    return "".join(
        f""", CASE WHEN {norm(f'"{one.total}"')} > {one.most}
            THEN {to.narrow(to.divided(str(one.most * _ONE), norm(f'"{one.total}"')))} ELSE {_ONE} END
            AS "{one.weight}" """
        for one in sums.held
    )


def _held_squares(to: Dialect, sums: Sums) -> str:
    """The same by the norm in ℓ2, whose square is known and whose root is rounded up."""
    return "".join(
        f""", CASE WHEN "{one.weight} square" > {one.most**2}
            THEN {to.narrow(to.divided(str(one.most * _ONE * _ONE), to.root_above(f'"{one.weight} square"')))}
            ELSE {_ONE} END AS "{one.weight}" """
        for one in sums.held
    )


@dataclass(frozen=True, slots=True)
class UnknownGroups:
    """Keys that are to be found: their columns, how many of them a unit is in, by which salt, and the fewest units."""

    keys: tuple[str, ...]
    groups: int
    salt: str
    least: int
    one_cell: bool

    def listed(self) -> str:
        """The columns, quoted."""
        return ", ".join(f'"{key}"' for key in self.keys)

    def first(self, to: Dialect, rank: str) -> str:
        """Whether a row is of its unit's first groups: the one order of a unit's groups, by `rank`, that there is."""
        order = to.hash_order([to.literal(self.salt), '"unit"', *(f'"{key}"' for key in self.keys)])
        return f'{rank}() OVER (PARTITION BY "unit" ORDER BY {order}, {self.listed()}) <= {self.groups}'

    def fullest(self, to: Dialect) -> str:
        """Whether a pair is of its unit's groups with most of its rows "n"; equal ones are in the order of a hash."""
        order = to.hash_order([to.literal(self.salt), '"unit"', *(f'"{key}"' for key in self.keys)])
        return f'ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "n" DESC, {order}, {self.listed()}) <= {self.groups}'


def groups_of_rows(to: Dialect, sums: Sums, unknown: UnknownGroups) -> exp.Expr:
    """Sums over keys that are to be found; where rows are units, each is in one group."""
    end = _groups(to, sums, unknown, "COUNT(*)", "")
    return _filled(to, sums, f"""WITH "owned" AS (SELECT *, 1 AS "n" FROM "terms") {end}""")


def groups_of_units(to: Dialect, sums: Sums, unknown: UnknownGroups, most: int, most_cells: int) -> exp.Expr:
    """A unit's rows by group and cell; those of its first groups; its weights over what is left."""
    keys = unknown.listed()
    end = _groups(to, sums, unknown, 'COUNT(DISTINCT "unit")', 'JOIN "units" USING ("unit")')
    weight = to.row_weight(_ONE, most, to.narrow('SUM("n")'))
    presence = to.row_weight(_ONE, most_cells, "COUNT(*)")
    return _filled(
        to,
        sums,
        f"""WITH "pairs" AS (SELECT "unit", {keys}, "cell", COUNT(*) AS "n", {_totals(to, sums)}
                         FROM "terms" GROUP BY "unit", {keys}, "cell"),
             "owned" AS (SELECT * FROM "pairs" QUALIFY {unknown.first(to, "DENSE_RANK")}),
             "units" AS (SELECT "unit", {weight} AS "w", {presence} AS "g"{_held_pairs(to, sums)}
                         FROM "owned" GROUP BY "unit")
        {end}""",
    )


def units_by_key(to: Dialect, rows: exp.Query, unknown: UnknownGroups) -> exp.Expr:
    """How many units each key has, a unit counted in those of its keys that have most of its rows.

    Only the keys of units that have too many of them are put in order.
    """
    keys = unknown.listed()
    text = f"""WITH "pairs" AS MATERIALIZED (SELECT "unit", {keys}, COUNT(*) AS "n" FROM "terms"
                         GROUP BY "unit", {keys}),
             "many" AS MATERIALIZED (SELECT "unit" FROM "pairs" GROUP BY "unit" HAVING COUNT(*) > {unknown.groups}),
             "owned" AS (SELECT {keys} FROM "pairs" ANTI JOIN "many" USING ("unit") UNION ALL
                         SELECT {keys} FROM (SELECT * FROM "pairs" SEMI JOIN "many" USING ("unit")
                                             QUALIFY {unknown.fullest(to)}) AS "first")
        SELECT {keys}, COUNT(*) AS "units" FROM "owned" GROUP BY {keys} HAVING COUNT(*) >= {unknown.least}"""
    return placed(to.parse(text), "terms", rows)


def _groups(to: Dialect, sums: Sums, unknown: UnknownGroups, counted: str, joined: str) -> str:
    """One cell: a row of "owned" is one unit in one group; several: a group's units are counted over all of them."""
    keys, parts = unknown.listed(), _parts(to, sums)
    if unknown.one_cell:
        return f"""SELECT {keys}, COUNT(*) AS "units", 0 AS "cell", {parts} FROM "owned" {joined}
        GROUP BY {keys} HAVING COUNT(*) >= {unknown.least}"""
    return f""", "found" AS (SELECT {keys}, {counted} AS "units", ROW_NUMBER() OVER () AS "group" FROM "owned"
                      GROUP BY {keys} HAVING {counted} >= {unknown.least})
        SELECT {keys}, "units", "cell", "group", {parts} FROM "owned" {joined} JOIN "found" USING ({keys})
        GROUP BY {keys}, "units", "cell", "group" """


def kept_sums(to: Dialect, rows: exp.Query, totals: Sequence[tuple[str, str, exp.Expr]], parts: NamedParts) -> exp.Expr:
    """Sums over kept rows, of which none needs a weight: a total of each term by cell, then the parts, linear in them.

    A term is named, and counted (the rows that have it) or summed; 0 where all rows lack it.
    """
    taken = [
        to.wide(f"COUNT({to.text(term)})" if way == "count" else f"COALESCE(SUM({to.text(term)}), 0)") + f' AS "{name}"'
        for name, way, term in totals
    ]
    made = ", ".join(f'{to.held(to.text(part))} AS "{name}"' for name, part in parts)
    text = f"""SELECT "cell", {made} FROM (
        SELECT "cell", COUNT(*) AS "n", {", ".join(taken) or "0 AS none"} FROM "terms" GROUP BY "cell") AS "summed" """
    return placed(to.parse(text), "terms", rows)


def placed(tree: exp.Expr, name: str, rows: exp.Query) -> exp.Expr:
    """The tree with a subquery in the place of every table of that name."""
    for table in list(tree.find_all(exp.Table)):
        if table.name == name:
            table.replace(exp.alias_(rows.subquery(), name, table=True, quoted=True, copy=False))
    return tree


def _filled(to: Dialect, sums: Sums, text: str) -> exp.Expr:
    if sums.narrow is not None and '"kept"' in text:  # the terms first: what is kept may have tables of any name inside
        return placed(placed(to.parse(text), "terms", sums.narrow.terms), "kept", sums.narrow.kept)
    return placed(to.parse(text), "terms", sums.rows)


def _parts(to: Dialect, sums: Sums) -> str:
    parts = (f"{to.held(f'COALESCE({to.text(total)}, 0)')} AS {to.quoted(name)}" for name, total in sums.parts)
    return ", ".join(parts) or "0 AS none"


def _totals(to: Dialect, sums: Sums, *, squares: bool = False) -> str:
    """The terms over a unit's rows; an engine counts faster than it adds ones.

    A count is multiplied by as much as 2³⁰ before it is weighted: in a wide type, for a join can give a unit 2³³ rows.
    Sums whose `squares` are added are held at 2⁴⁶ first, beyond every bound: then 2³⁴ squares fit into 128 bits.
    """
    totals, far = [], {one.total for one in sums.held} if squares else set()
    for total in sums.totals:
        column = to.quoted(total.column)
        taken = to.wide(f"COUNT({column})") if total.counted else f"SUM({column})"
        if total.name in far:
            taken = f"CASE WHEN {taken} > {_FAR} THEN {_FAR} WHEN {taken} < -{_FAR} THEN -{_FAR} ELSE {taken} END"
        totals.append(f"{taken} AS {to.quoted(total.name)}")
    return ", ".join(totals) or "0 AS none"
