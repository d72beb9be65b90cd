"""The one aggregation over keys that are to be found, in which no unit is in more than its share of them."""

from dataclasses import replace

from sqlglot import exp

from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.draft import Draft
from dalenius.sql.group import Group
from dalenius.sql.policy import Policy
from dalenius.sql.rules.bound_contribution import filled, weighted
from dalenius.sql.shares import Share

# where rows are units, each is in one group
_ROWS = """
    WITH "owned" AS (SELECT *, 1 AS "n" FROM "terms")
"""
# a unit's rows, by group and cell; those of its first groups; its weights over what is left
_UNITS = """
    WITH "pairs" AS (SELECT "unit", {keys}, "cell", COUNT(*) AS "n", {sums}
                     FROM "terms" GROUP BY "unit", {keys}, "cell"),
         "owned" AS (SELECT * FROM "pairs" QUALIFY DENSE_RANK() OVER (
                     PARTITION BY "unit" ORDER BY HASH({salt}, "unit", {keys}), {keys}) <= {groups}),
         "units" AS (SELECT "unit", LEAST({one}, {most} // CAST(SUM("n") AS BIGINT)) AS "w",
                            LEAST({one}, {most_cells} // COUNT(*)) AS "g" FROM "owned" GROUP BY "unit")
"""
# one cell: a row of "owned" is one unit in one group
_SINGLE = """
    SELECT {keys}, COUNT(*) AS "units", 0 AS "cell", {{parts}} FROM "owned" {joined}
    GROUP BY {keys} HAVING COUNT(*) >= {least}
"""
# several cells: the units of a group are counted over all of them
_SEVERAL = """
    , "found" AS (SELECT {keys}, {counted} AS "units", ROW_NUMBER() OVER () AS "group" FROM "owned"
                  GROUP BY {keys} HAVING {counted} >= {least})
    SELECT {keys}, "units", "cell", "group", {{parts}} FROM "owned" {joined} JOIN "found" USING ({keys})
    GROUP BY {keys}, "units", "cell", "group"
"""


def bound_groups(draft: Draft, policy: Policy) -> Draft:
    """Keep each unit's first L groups, in the order of a hash of salt, unit and key, then weigh what is left of it.

    The order of a unit's groups depends on its own rows, so one unit more or less moves nobody else's: it moves the
    numbers of units of at most L groups, by 1 each, which is what the selection is priced for  [DVGM22]. Its weights
    count the rows that are left, so over all groups and cells its parts are those of `bound_contribution`, at most T·R,
    and its presence in at most L·C of them, C cells a group, adds no more than the lesser of T and L·C  [G complaints
    count]. Restricting the parts to groups that were named, or have `min_units`, takes cells away and adds none.
    """
    if not draft.named:
        return draft
    assert draft.unknown is not None
    by_unit = policy.unit.column is not None
    keys = ", ".join(f'"{key.column}"' for key in draft.named)
    counted = 'COUNT(DISTINCT "unit")' if by_unit else "COUNT(*)"
    joined = 'JOIN "units" USING ("unit")' if by_unit else ""
    end = (_SINGLE if draft.cells == 1 else _SEVERAL).format(
        keys=keys, joined=joined, counted=counted, least=draft.unknown.min_units
    )
    most = (policy.contributions or 1) if by_unit else 1
    most_cells = min(most, draft.unknown.groups * draft.reach)
    groups = tuple(_group(share, draft, most, most_cells, by_unit) for share in draft.shares)
    if not by_unit:
        return replace(draft, statement=filled(_ROWS + end, draft, lambda share, part: part), groups=groups)
    statement = filled(
        _UNITS + end,
        draft,
        weighted,
        keys=keys,
        salt=exp.Literal.string(draft.unknown.salt).sql(dialect="duckdb"),
        groups=draft.unknown.groups,
        most=most * ONE,
        most_cells=most_cells * ONE,
    )
    return replace(draft, statement=statement, groups=groups)


def _group(share: Share, draft: Draft, most: int, most_cells: int, by_unit: bool) -> Group:
    times, lattice = most_cells if share.people else most, share.lattice
    if share.plain and by_unit:
        times, lattice = times * ONE, WEIGHTS
    steps = times * share.most
    return Group(share.question, share.names, steps, 2 * steps, lattice, draft.weight, people=share.people)
