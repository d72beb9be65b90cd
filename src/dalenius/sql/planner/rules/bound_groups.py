"""The one aggregation over keys that are to be found, in which no unit is in more than its share of them."""

from dataclasses import replace

from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.engine import statements
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.final_rows import searched
from dalenius.sql.planner.measurements import Measurement
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.rules.bound_contribution import summed, weighted
from dalenius.sql.policy.policy import Policy


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
    most = (policy.contributions or 1) if by_unit else 1
    most_cells = min(most, draft.unknown.groups * draft.reach)
    groups = tuple(_group(share, draft, most, most_cells, by_unit) for share in draft.shares)
    unknown = searched(draft)
    if not by_unit:
        sums = summed(draft, lambda share, part: part)
        return replace(draft, statement=statements.groups_of_rows(draft.dialect, sums, unknown), groups=groups)
    sums = summed(draft, weighted)
    statement = statements.groups_of_units(draft.dialect, sums, unknown, most * ONE, most_cells * ONE)
    return replace(draft, statement=statement, groups=groups)


def _group(share: RowTerms, draft: Draft, most: int, most_cells: int, by_unit: bool) -> Measurement:
    times, lattice = most_cells if share.people else most, share.lattice
    if share.plain and by_unit:
        times, lattice = times * ONE, WEIGHTS
    steps = times * share.most
    return Measurement(share.question, share.names, steps, 2 * steps, lattice, draft.weight, people=share.people)
