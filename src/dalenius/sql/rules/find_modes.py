"""MODE(x)."""

from dataclasses import replace

from dalenius.errors import UnsupportedQuery
from dalenius.queries import ONE
from dalenius.sql.apart import MODE, Apart
from dalenius.sql.draft import Draft
from dalenius.sql.final_rows import filled_for
from dalenius.sql.mode import Mode
from dalenius.sql.policy import Policy
from dalenius.sql.rules.bind_keys import key_table

MOST_CANDIDATES = 2**21
"""Values times cells that are looked at, one by one."""

_ROWS = """
    SELECT "final"."cell" AS "cell", "listed"."cell" AS "place", COUNT(*) AS "weight"
    FROM "final" JOIN "listed" ON "final"."{value}" = "listed"."key" GROUP BY "final"."cell", "listed"."cell"
"""
_UNITS = """
    WITH "rows" AS (SELECT "final"."cell" AS "cell", "unit", "listed"."cell" AS "place"
                    FROM "final" JOIN "listed" ON "final"."{value}" = "listed"."key"),
         "units" AS (SELECT "unit", LEAST({full}, {most} // COUNT(*)) AS "w" FROM "rows" GROUP BY "unit")
    SELECT "cell", "place", CAST(SUM("w") AS BIGINT) AS "weight" FROM "rows" JOIN "units" USING ("unit")
    GROUP BY "cell", "place"
"""


def find_modes(draft: Draft, policy: Policy) -> Draft:
    """Tell each cell by the weight of each public value, rows weighing least(2²⁰, T·2²⁰ // n).

    n counts the unit's final rows that have one of the values, so all of them weigh at most T·2²⁰ over all cells and
    values, and a unit that is added lowers no weight  [G complaints count].
    """
    found = [one for one in draft.apart if one.want == MODE]
    for one in found:
        if draft.cells * len(one.value.values or ()) > MOST_CANDIDATES:
            raise UnsupportedQuery(f"{one.question} has more than {MOST_CANDIDATES} values in all cells to choose from")
    return replace(draft, modes=tuple(_mode(one, draft, policy) for one in found))


def _mode(one: Apart, draft: Draft, policy: Policy) -> Mode:
    values, by_unit = one.value.values, policy.unit.column is not None
    assert values is not None
    most, row = ((policy.contributions or 1) * ONE, ONE) if by_unit else (1, 1)
    listed = key_table(values, one.value.kind)
    scan = filled_for(_UNITS if by_unit else _ROWS, one, draft, listed, most=most, full=ONE).sql(dialect="duckdb")
    return Mode(one.question, one.part, values, most, row, scan, draft.weight)
