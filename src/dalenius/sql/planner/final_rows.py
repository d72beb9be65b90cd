"""The final rows of a query, as an aggregate with a statement of its own reads them."""

from sqlglot import exp

from dalenius.sql.engine.statements import UnknownGroups
from dalenius.sql.engine.value_statements import ScannedValue, rows_of_found_keys
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.separate_scans import SeparateScan
from dalenius.sql.types.engine_names import NAMED
from dalenius.sql.types.kinds import Kind


def final_rows(draft: Draft, one: SeparateScan) -> exp.Query:
    """The final rows; over keys that were found, those of found keys only, each unit's in its first groups.

    The order of a unit's groups is that of `bound_groups`, and "cell" counts the cells of the first found key, then of
    the second. Which keys were found is public by then: whatever is bounded is bounded for that list, as for any other
    [A Thm 3.3].
    """
    assert draft.rows is not None
    if not draft.named:
        return draft.rows
    by_unit = "unit" in draft.rows.named_selects
    return rows_of_found_keys(
        draft.dialect, draft.rows, searched(draft), one.column, draft.cells, NAMED, by_unit=by_unit
    )


def value_of(one: SeparateScan) -> ScannedValue:
    """The value that an aggregate is about, as a statement reads it."""
    return ScannedValue(one.column, one.part, one.value.kind is Kind.NUMBER)


def searched(draft: Draft) -> UnknownGroups:
    """The keys that are to be found, and how."""
    assert draft.unknown is not None
    names = tuple(key.column for key in draft.named)
    return UnknownGroups(
        names, draft.unknown.groups, draft.unknown.salt, draft.unknown.min_units, one_cell=draft.cells == 1
    )
