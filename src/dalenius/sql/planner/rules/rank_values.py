"""MEDIAN, QUANTILE_CONT, PERCENTILE_CONT, MIN and MAX."""

from dataclasses import replace

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import ONE
from dalenius.sql.engine.value_statements import PlaceGrid, weights_by_place
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.final_rows import final_rows, value_of
from dalenius.sql.planner.measurements import QuantileChoice
from dalenius.sql.planner.separate_scans import SeparateScan, bundles, rounds
from dalenius.sql.policy.policy import Policy

MOST_CELLS = 10_000
"""Cells that a quantile is drawn for, one by one."""
_FINEST, _COARSEST, _IN_ALL = 2**16, 2**12, 2**22
_GUESSED = 2**8
"""Keys that a search may name, for the choice of a grid."""


def rank_values(draft: Draft, policy: Policy) -> Draft:
    """Tell each cell by the weight at each place of a public grid, rows weighing least(2²⁰, T·2²⁰ // n).

    n counts the unit's final rows that have a number, so all of them weigh at most T·2²⁰ over all cells and places
    [G complaints count]. What is out of bounds counts at the nearest end; NULL and NaN are in no place. Three and more
    quantiles of one value share a statement, and the rounds of one halving  [KSS22].
    """
    quantiles = [bundle for bundle in bundles(draft.apart) if bundle[0].level is not None]
    if not quantiles:
        return draft
    if draft.cells > MOST_CELLS:
        raise UnsupportedQuery(f"{quantiles[0][0].question} is for at most {MOST_CELLS} cells, got {draft.cells}")
    return replace(draft, ranks=tuple(_rank(bundle, draft, policy) for bundle in quantiles))


def _rank(bundle: tuple[SeparateScan, ...], draft: Draft, policy: Policy) -> QuantileChoice:
    if policy.unit.column is None:
        return _told(bundle, draft, 1, 1, by_unit=False)
    return _told(bundle, draft, (policy.contributions or 1) * ONE, ONE, by_unit=True)


def rank_kept(bundle: tuple[SeparateScan, ...], draft: Draft, most: int) -> QuantileChoice:
    """Quantiles of rows of which each unit has at most `most`, so that they need no weights."""
    if draft.cells > MOST_CELLS:
        raise UnsupportedQuery(f"{bundle[0].question} is for at most {MOST_CELLS} cells, got {draft.cells}")
    return _told(bundle, draft, most, 1, by_unit=False)


def _told(bundle: tuple[SeparateScan, ...], draft: Draft, most: int, row: int, *, by_unit: bool) -> QuantileChoice:
    one = bundle[0]
    if one.value.bounds is None:
        raise UnboundedQuery(
            f"{one.question} needs bounds: the owner declares bounds= for its columns, or write CLAMP(…, lo, hi) inside"
        )
    lower, upper = one.value.bounds
    if not float(lower) < float(upper):
        raise UnsupportedQuery(f"{one.question} has one possible value: its bounds are equal")
    cells = draft.cells * (_GUESSED if draft.named else 1)
    places = max(_COARSEST, min(_FINEST, 2 ** ((_IN_ALL // cells).bit_length() - 1)))
    low, per = float(lower), min(places / (float(upper) - float(lower)), 1e300)
    # several quantiles of one value have one statement, which the engine runs once
    first = next(other for other in draft.apart if other.value.text == one.value.text)
    weights = (ONE, most) if by_unit else None
    final, grid = final_rows(draft, first), PlaceGrid(low, per, places - 1)
    scan = draft.dialect.text(weights_by_place(draft.dialect, final, value_of(first), grid, weights))
    levels = tuple(each.level for each in bundle if each.level is not None)
    parts, question = tuple(each.part for each in bundle), ", ".join(each.question for each in bundle)
    return QuantileChoice(question, parts, levels, lower, upper, places, most, row, scan, rounds(bundle) * draft.weight)
