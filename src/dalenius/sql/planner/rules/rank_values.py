"""MEDIAN, QUANTILE_CONT, PERCENTILE_CONT, MIN and MAX."""

from dataclasses import replace

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import ONE
from dalenius.sql.engine.value_statements import PlaceGrid, weights_by_place, weights_by_place_alone
from dalenius.sql.planner.final_rows import final_rows, value_of
from dalenius.sql.planner.measurements import QuantileChoice
from dalenius.sql.planner.separate_scans import SeparateScan, bundles, rounds
from dalenius.sql.planner.stages import Aggregated, Bounded
from dalenius.sql.policy.policy import Policy

MOST_CELLS = 10_000
"""Cells that a quantile is drawn for, one by one."""
_FINEST, _COARSEST, _IN_ALL = 2**16, 2**12, 2**22
_GUESSED = 2**8
"""Keys that a search may name, for the choice of a grid."""


def rank_values(bounded: Bounded, policy: Policy) -> Bounded:
    """Tell each cell by the weight at each place of a public grid, rows weighing least(2²⁰, T·2²⁰ // n).

    n counts the unit's final rows that have a number, so all of them weigh at most T·2²⁰ over all cells and places
    [G complaints count]. What is out of bounds counts at the nearest end; NULL and NaN are in no place. Three and more
    quantiles of one value share a statement, and the rounds of one halving  [KSS22].
    """
    aggregated, by_unit = bounded.aggregated, policy.unit.column is not None
    most, row = ((policy.contributions or 1) * ONE, ONE) if by_unit else (1, 1)
    ranks = tuple(quantiles(bundle, aggregated, most, row) for bundle in asked_quantiles(aggregated))
    return replace(bounded, ranks=ranks) if ranks else bounded


def asked_quantiles(aggregated: Aggregated) -> list[tuple[SeparateScan, ...]]:
    """The quantiles of a query, by what is drawn together."""
    return [bundle for bundle in bundles(aggregated.scans) if bundle[0].level is not None]


def quantiles(bundle: tuple[SeparateScan, ...], aggregated: Aggregated, most: int, row: int) -> QuantileChoice:
    """Quantiles of rows of which those of one unit weigh at most `most`, a row in full `row`; 1 needs no weights."""
    final = aggregated.final
    if final.cells > MOST_CELLS:
        raise UnsupportedQuery(f"{bundle[0].question} is for at most {MOST_CELLS} cells, got {final.cells}")
    one = bundle[0]
    if one.value.bounds is None:
        raise UnboundedQuery(
            f"{one.question} needs bounds: the owner declares bounds= for its columns, or write CLAMP(…, lo, hi) inside"
        )
    lower, upper = one.value.bounds
    if not float(lower) < float(upper):
        raise UnsupportedQuery(f"{one.question} has one possible value: its bounds are equal")
    cells = final.cells * (_GUESSED if final.unknown is not None else 1)
    places = max(_COARSEST, min(_FINEST, 2 ** ((_IN_ALL // cells).bit_length() - 1)))
    low, per = float(lower), min(places / (float(upper) - float(lower)), 1e300)
    # several quantiles of one value have one statement, which the engine runs once
    first = next(other for other in aggregated.scans if other.value.text == one.value.text)
    weights = (ONE, most) if row == ONE else None
    rows, grid = final_rows(aggregated, first), PlaceGrid(low, per, places - 1)
    scan = final.dialect.text(weights_by_place(final.dialect, rows, value_of(first), grid, weights))
    quick = ""
    if weights is not None and final.single:
        alone = weights_by_place_alone(final.dialect, rows, value_of(first), grid, weights)
        quick = final.dialect.text(alone)
    levels = tuple(each.level for each in bundle if each.level is not None)
    parts, question = tuple(each.part for each in bundle), ", ".join(each.question for each in bundle)
    return QuantileChoice(
        question, parts, levels, lower, upper, places, most, row, scan, rounds(bundle) * aggregated.weight, quick
    )
