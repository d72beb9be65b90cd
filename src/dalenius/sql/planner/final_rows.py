"""The final rows of a query, as an aggregate with a statement of its own reads them."""

from sqlglot import exp

from dalenius.sql.engine.statements import UnknownGroups
from dalenius.sql.engine.value_statements import ScannedValue, rows_of_found_keys
from dalenius.sql.planner.separate_scans import SeparateScan
from dalenius.sql.planner.stages import Aggregated, FinalRows
from dalenius.sql.planner.unknown_keys import UnknownKeys
from dalenius.sql.types.engine_names import NAMED, UNIT
from dalenius.sql.types.kinds import Kind


def final_rows(aggregated: Aggregated, one: SeparateScan) -> exp.Query:
    """The final rows; over keys that were found, those of found keys only, each unit's in its first groups.

    The order of a unit's groups is that of `bound_groups`, and "cell" counts the cells of the first found key, then of
    the second. Which keys were found is public by then: whatever is bounded is bounded for that list, as for any other
    [A Thm 3.3].
    """
    final, rows = aggregated.final, aggregated.rows
    if final.unknown is None:
        return rows
    groups, by_unit = groups_to_find(final, final.unknown), UNIT in rows.named_selects
    return rows_of_found_keys(final.dialect, rows, groups, one.column, final.cells, NAMED, by_unit=by_unit)


def value_of(one: SeparateScan) -> ScannedValue:
    """The value that an aggregate is about, as a statement reads it."""
    return ScannedValue(one.column, one.part, one.value.kind is Kind.NUMBER)


def groups_to_find(final: FinalRows, unknown: UnknownKeys) -> UnknownGroups:
    """The keys that are to be found, and how, as a statement reads them."""
    names, search = tuple(key.column for key in unknown.keys), unknown.search
    return UnknownGroups(names, search.groups, search.salt, search.min_units, one_cell=final.cells == 1)
