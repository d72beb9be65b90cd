"""The one aggregation, in which no unit counts for more than its share."""

from dataclasses import replace

from sqlglot import exp, parse_one

from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.draft import Draft
from dalenius.sql.policy import Policy

_WHOLE_ROWS = parse_one(
    'SELECT "cell", COUNT(*) AS "answer" FROM "final" GROUP BY "cell"',
    dialect="duckdb",
)
# rows are first counted for each unit and cell, so that the join is over those and not over rows
_WEIGHTED_ROWS = parse_one(
    """
    WITH "parts" AS (SELECT "unit", "cell", COUNT(*) AS "owned" FROM "final" GROUP BY "unit", "cell"),
         "whole" AS (SELECT "unit", CAST(SUM("owned") AS BIGINT) AS "n" FROM "parts" GROUP BY "unit")
    SELECT "cell", SUM("owned" * LEAST(:one, :most // "n")) AS "answer"
    FROM "parts" JOIN "whole" USING ("unit") GROUP BY "cell"
    """,
    dialect="duckdb",
)


def bound_contribution(draft: Draft, policy: Policy) -> Draft:
    """Sum whole rows, or integer row weights least(2²⁰, T·2²⁰ // n) where n is the unit's number of final rows.

    A unit with n rows adds n·least(2²⁰, ⌊T·2²⁰/n⌋) ≤ T·2²⁰ in ℓ1 over all cells, whatever its rows are, and moves
    nobody else's weight  [G complaints count]. n counts final rows: those with a declared key and a unit. No product
    exceeds T·2²⁰ ≤ 2⁵⁰, and DuckDB sums integers in 128 bits, so no row can make it overflow.
    """
    if policy.unit.column is None or policy.contributions is None:
        return replace(draft, tree=_over(_WHOLE_ROWS, draft.tree), steps=1)
    most = policy.contributions * ONE
    weighted = exp.replace_placeholders(_WEIGHTED_ROWS, one=ONE, most=most)
    return replace(draft, tree=_over(weighted, draft.tree), steps=most, lattice=WEIGHTS)


def _over(template: exp.Expr, rows: exp.Expr) -> exp.Expr:
    """The template, reading `rows` where it says "final"."""
    tree = template.copy()
    for table in list(tree.find_all(exp.Table)):
        if table.name == "final":
            table.replace(exp.alias_(rows.subquery(), "final", table=True, quoted=True))  # type: ignore[attr-defined]
    return tree
