"""MEDIAN, QUANTILE_CONT, PERCENTILE_CONT, MIN and MAX."""

from dataclasses import replace
from fractions import Fraction

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import ONE
from dalenius.sql.apart import DISTINCT, Apart
from dalenius.sql.draft import Draft
from dalenius.sql.policy import Policy
from dalenius.sql.rank import Rank
from dalenius.sql.rules.count_distinct import statement

MOST_CELLS = 10_000
"""Cells that a quantile is drawn for, one by one."""
_FINEST, _COARSEST, _IN_ALL = 2**16, 2**12, 2**22

_ROWS = """
    SELECT "cell", {place} AS "place", COUNT(*) AS "weight" FROM "final" WHERE {present} GROUP BY "cell", "place"
"""
_UNITS = """
    WITH "rows" AS (SELECT "cell", "unit", {place} AS "place" FROM "final" WHERE {present}),
         "units" AS (SELECT "unit", LEAST({full}, {most} // COUNT(*)) AS "w" FROM "rows" GROUP BY "unit")
    SELECT "cell", "place", CAST(SUM("w") AS BIGINT) AS "weight" FROM "rows" JOIN "units" USING ("unit")
    GROUP BY "cell", "place"
"""
_PLACE = 'CAST(FLOOR(LEAST(GREATEST(("{value}" - {low}) * {per}, 0e0), {last}e0)) AS BIGINT)'


def rank_values(draft: Draft, policy: Policy) -> Draft:
    """Tell each cell by the weight at each place of a public grid, rows weighing least(2²⁰, T·2²⁰ // n).

    n counts the unit's final rows that have a number, so all of them weigh at most T·2²⁰ over all cells and places
    [G complaints count]. What is out of bounds counts at the nearest end; NULL and NaN are in no place.
    """
    found = [one for one in draft.apart if one.want != DISTINCT]
    if draft.named or not found:
        return draft
    if draft.cells > MOST_CELLS:
        raise UnsupportedQuery(f"{found[0].question} is for at most {MOST_CELLS} cells, got {draft.cells}")
    return replace(draft, ranks=tuple(_rank(one, draft, policy) for one in found))


def _rank(one: Apart, draft: Draft, policy: Policy) -> Rank:
    if policy.unit.column is None:
        return _told(one, draft, _ROWS, 1, 1)
    return _told(one, draft, _UNITS, (policy.contributions or 1) * ONE, ONE)


def rank_kept(one: Apart, draft: Draft, most: int) -> Rank:
    """A quantile of rows of which each unit has at most `most`, so that they need no weights."""
    if draft.cells > MOST_CELLS:
        raise UnsupportedQuery(f"{one.question} is for at most {MOST_CELLS} cells, got {draft.cells}")
    return _told(one, draft, _ROWS, most, 1)


def _told(one: Apart, draft: Draft, template: str, most: int, row: int) -> Rank:
    if one.value.bounds is None:
        raise UnboundedQuery(
            f"{one.question} needs bounds: the owner declares bounds= for its columns, or write CLAMP(…, lo, hi) inside"
        )
    lower, upper = one.value.bounds
    if not float(lower) < float(upper):
        raise UnsupportedQuery(f"{one.question} has one possible value: its bounds are equal")
    places = max(_COARSEST, min(_FINEST, 2 ** ((_IN_ALL // draft.cells).bit_length() - 1)))
    low, per = float(lower), min(places / (float(upper) - float(lower)), 1e300)
    # several quantiles of one value have one statement, which the engine runs once
    first = next(other for other in draft.apart if other.value.text == one.value.text)
    place = _PLACE.format(value=first.column, low=f"({low!r})::DOUBLE", per=f"{per!r}::DOUBLE", last=places - 1)
    scan = statement(template, first, draft, place=place, most=most, full=ONE).sql(dialect="duckdb")
    level = Fraction(one.want)
    return Rank(one.question, one.part, level, lower, upper, places, most, row, scan, draft.weight)
