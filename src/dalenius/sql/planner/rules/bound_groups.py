"""The one aggregation over keys that are to be found, in which no unit is in more than its share of them."""

from dataclasses import replace

from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.engine import statements
from dalenius.sql.planner.bounding_view import Weighting
from dalenius.sql.planner.final_rows import groups_to_find
from dalenius.sql.planner.measurements import CountedKeys, Measurement
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.rules.bound_contribution import facts_of, held_remark, summed, weighted
from dalenius.sql.planner.stages import Aggregated, Bounded
from dalenius.sql.policy.policy import Policy


def bound_groups(bounded: Bounded, policy: Policy) -> Bounded:
    """Keep each unit's first L groups, in the order of a hash of salt, unit and key, then weigh what is left of it.

    The order of a unit's groups depends on its own rows, so one unit more or less moves nobody else's: it moves the
    numbers of units of at most L groups, by 1 each, which is what the selection is priced for  [DVGM22]. Its weights
    count the rows that are left, so over all groups and cells its parts are those of `bound_contribution`, at most T·R,
    and its presence in at most L·C of them, C cells a group, adds no more than the lesser of T and L·C  [G complaints
    count]. Restricting the parts to groups that were named, or have `min_units`, takes cells away and adds none.
    """
    aggregated, view = bounded.aggregated, bounded.view
    final = aggregated.final
    if final.unknown is None:
        return bounded
    by_unit, most = view.weighting is not Weighting.WHOLE, view.contributions
    most_cells = min(most, final.unknown.search.groups * final.reach)
    groups = tuple(_measurement(terms, aggregated, most, most_cells, by_unit) for terms in view.terms)
    unknown = groups_to_find(final, final.unknown)
    if not by_unit:
        sums = summed(view, lambda terms, part: part)
        return replace(bounded, statement=statements.groups_of_rows(final.dialect, sums, unknown), groups=groups)
    sums = summed(view, weighted)
    statement = statements.groups_of_units(final.dialect, sums, unknown, most * ONE, most_cells * ONE)
    counted = _counted_keys(aggregated, unknown, most_cells) if final.cells == 1 else None
    return replace(bounded, statement=statement, groups=groups, counted=counted)


def _counted_keys(aggregated: Aggregated, unknown: statements.UnknownGroups, most: int) -> CountedKeys | None:
    """Units counted by key, and nothing else: each in the `most` keys that most of its rows have.

    Which keys these are is decided by the unit's own rows, so one unit more or less moves at most `most` counts, by 1.
    """
    output, final = aggregated.output, aggregated.final
    sifted = output.having is not None or output.limit is not None or output.offset
    if sifted or aggregated.scans or len(aggregated.terms) != 1 or not aggregated.terms[0].people:
        return None
    if any(not isinstance(term.by, int) for term in output.order):
        return None
    scan = statements.units_by_key(final.dialect, final.rows, replace(unknown, groups=most))
    return CountedKeys(most, final.dialect.text(scan))


def _measurement(terms: RowTerms, aggregated: Aggregated, most: int, most_cells: int, by_unit: bool) -> Measurement:
    times, lattice = most_cells if terms.people else most, terms.lattice
    if terms.plain and by_unit:
        times, lattice = times * ONE, WEIGHTS
    if terms.person is not None and by_unit:
        return _held(terms, aggregated, terms.person)
    steps = times * terms.most
    weight = aggregated.weight
    return Measurement(terms.question, terms.names, steps, 2 * steps, lattice, weight, **facts_of(terms))


def _held(terms: RowTerms, aggregated: Aggregated, steps: int) -> Measurement:
    """Over the groups that are left of a unit its sums are scaled to ‖s‖₁ ≤ C, as in `bound_contribution`."""
    parts = (terms.question, terms.names, steps, 2 * steps, terms.lattice, aggregated.weight)
    return Measurement(*parts, person=True, finds=terms.finds, remark=held_remark(terms))
