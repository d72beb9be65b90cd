"""MODE(x)."""

from dataclasses import replace

from dalenius.errors import UnsupportedQuery
from dalenius.queries import ONE
from dalenius.sql.catalog import MeasuredBy
from dalenius.sql.engine.value_statements import weights_by_key
from dalenius.sql.planner.final_rows import final_rows, value_of
from dalenius.sql.planner.measurements import ModeChoice
from dalenius.sql.planner.separate_scans import SeparateScan
from dalenius.sql.planner.stages import Aggregated, Bounded
from dalenius.sql.policy.policy import Policy

MOST_CANDIDATES = 2**21
"""Values times cells that are looked at, one by one."""


def find_modes(bounded: Bounded, policy: Policy) -> Bounded:
    """Tell each cell by the weight of each public value, rows weighing least(2²⁰, T·2²⁰ // n).

    n counts the unit's final rows that have one of the values, so all of them weigh at most T·2²⁰ over all cells and
    values, and a unit that is added lowers no weight  [G complaints count].
    """
    aggregated = bounded.aggregated
    modes = [one for one in aggregated.scans if one.measured is MeasuredBy.MODE]
    for one in modes:
        if aggregated.final.cells * len(one.value.values or ()) > MOST_CANDIDATES:
            raise UnsupportedQuery(f"{one.question} has more than {MOST_CANDIDATES} values in all cells to choose from")
    return replace(bounded, modes=tuple(_mode(one, aggregated, policy) for one in modes)) if modes else bounded


def _mode(one: SeparateScan, aggregated: Aggregated, policy: Policy) -> ModeChoice:
    values, by_unit, dialect = one.value.values or (), policy.unit.column is not None, aggregated.final.dialect
    most, row = ((policy.contributions or 1) * ONE, ONE) if by_unit else (1, 1)
    listed, weights = dialect.key_frame(values, one.value.kind), (ONE, most) if by_unit else None
    tree = weights_by_key(dialect, final_rows(aggregated, one), value_of(one), listed, weights)
    return ModeChoice(one.question, one.part, values, most, row, dialect.text(tree), aggregated.weight)
