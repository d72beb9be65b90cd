"""COUNT(DISTINCT x)."""

from dataclasses import replace

from dalenius.noise.lattice import INTEGERS
from dalenius.sql.apart import DISTINCT, Apart
from dalenius.sql.draft import Draft
from dalenius.sql.final_rows import filled_for
from dalenius.sql.group import Group
from dalenius.sql.policy import Policy

# where rows are units, each holds one value in one cell
_ROWS = """
    SELECT "cell", CAST(COUNT(DISTINCT "{value}") AS BIGINT) AS "{part}" FROM "final" WHERE {present} GROUP BY "cell"
"""
# each unit's first values in cells, then how many there are of all units together
_UNITS = """
    WITH "pairs" AS (SELECT "unit", "cell", "{value}" FROM "final" WHERE {present} GROUP BY "unit", "cell", "{value}"),
         "kept" AS (SELECT * FROM "pairs" QUALIFY ROW_NUMBER() OVER (
                    PARTITION BY "unit" ORDER BY HASH("unit", "cell", "{value}"), "cell", "{value}") <= {most})
    SELECT "cell", CAST(COUNT(*) AS BIGINT) AS "{part}"
    FROM (SELECT "cell", "{value}" FROM "kept" GROUP BY "cell", "{value}") AS "values" GROUP BY "cell"
"""


def count_distinct(draft: Draft, policy: Policy) -> Draft:
    """Keep each unit's first T pairs of cell and value, in the order of a hash of both and the unit, and count pairs.

    A unit that is added brings at most T pairs, of which those that nobody else keeps are new: so the counts of all
    cells grow by at most T in ℓ1, and whose pairs are kept is for each unit's own rows to decide  [A Ex 3.4]. One that
    is replaced takes away at most T and adds at most T; in a single cell these are opposite, and the count moves by no
    more than T. NULL and NaN are no values. Weights would be wrong: a value held by two units is one value. Over keys
    that are to be found the pairs are those of keys that were named, T of each unit over all of them.
    """
    groups = tuple(_group(one, draft, policy) for one in draft.apart if one.want == DISTINCT)
    return replace(draft, groups=draft.groups + groups)


def _group(one: Apart, draft: Draft, policy: Policy) -> Group:
    by_unit = policy.unit.column is not None
    most = (policy.contributions or 1) if by_unit else 1
    scan = filled_for(_UNITS if by_unit else _ROWS, one, draft, most=most).sql(dialect="duckdb")
    change = most if draft.single else 2 * most
    return Group(one.question, (one.part,), most, change, INTEGERS, draft.weight, scan)
