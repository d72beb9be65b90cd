"""The final rows of a query, as an aggregate with a statement of its own reads them."""

from sqlglot import exp, parse_one

from dalenius.sql.apart import Apart
from dalenius.sql.draft import Draft
from dalenius.sql.kinds import Kind
from dalenius.sql.names import NAMED

# each row with the place of its key among those named; where rows are units, nothing bounds their groups
_ROWS = """
    SELECT {columns}, "place" * {cells} + "cell" AS "cell" FROM "rows" JOIN "{named}" USING ({keys})
"""
_UNITS = """
    SELECT {columns}, "place" * {cells} + "cell" AS "cell" FROM "rows"
    JOIN (SELECT "unit", {keys} FROM (SELECT "unit", {keys} FROM "rows" GROUP BY "unit", {keys}) AS "pairs"
          QUALIFY ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY HASH({salt}, "unit", {keys}), {keys}) <= {groups}
         ) AS "owned" USING ("unit", {keys})
    JOIN "{named}" USING ({keys})
"""


def filled_for(template: str, one: Apart, draft: Draft, listed: exp.Query | None = None, **terms: object) -> exp.Expr:
    """A template over the final rows, of which those are `present` that have a value, and perhaps over `listed` ones.

    Over keys that were found, "final" are the rows of named keys only, each unit's in its first groups (the order of
    `bound_groups`), and "cell" counts the cells of the first named key, then of the second. Which keys were named is
    public by then: whatever the template bounds is bounded for that list, as for any other  [A Thm 3.3].
    """
    present = f'"{one.column}" IS NOT NULL'
    if one.value.kind is Kind.NUMBER:
        present += f' AND NOT ISNAN("{one.column}")'
    tree = parse_one(template.format(value=one.column, part=one.part, present=present, **terms), dialect="duckdb")
    # first: what is placed later may have tables of any name inside
    listing = tree if listed is None else placed(tree, "listed", listed)
    return placed(listing, "final", _final(draft, one))


def placed(tree: exp.Expr, name: str, rows: exp.Query) -> exp.Expr:
    """The tree with a subquery in the place of every table of that name."""
    for table in list(tree.find_all(exp.Table)):
        if table.name == name:
            table.replace(exp.alias_(rows.copy().subquery(), name, table=True, quoted=True))
    return tree


def _final(draft: Draft, one: Apart) -> exp.Query:
    rows = draft.rows
    assert rows is not None
    if not draft.named:
        return rows
    assert draft.unknown is not None
    by_unit = "unit" in rows.named_selects
    text = (_UNITS if by_unit else _ROWS).format(
        columns=", ".join(f'"{name}"' for name in (*(["unit"] if by_unit else []), one.column)),
        keys=", ".join(f'"{key.column}"' for key in draft.named),
        salt=exp.Literal.string(draft.unknown.salt).sql(dialect="duckdb"),
        **{"cells": draft.cells, "named": NAMED, "groups": draft.unknown.groups},
    )
    within = placed(parse_one(text, dialect="duckdb"), "rows", rows)
    assert isinstance(within, exp.Query)
    return within
