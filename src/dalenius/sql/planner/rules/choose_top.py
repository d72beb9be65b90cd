"""ORDER BY COUNT(*) DESC LIMIT k, where the counts themselves are not shown."""

from dataclasses import replace

from dalenius.curator.formula import Cell
from dalenius.neighbors import Metric
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.engine.value_statements import people_by_cell
from dalenius.sql.planner.measurements import TopChoice
from dalenius.sql.planner.stages import Bounded
from dalenius.sql.policy.policy import Policy


def choose_top(bounded: Bounded, policy: Policy) -> Bounded:
    """Mark a question for the k largest of one number, which may be planned as a choice; the price decides it.

    The number must be the only question, never negative row by row (a count, distinct values, a sum of what is bounded
    from 0 up), so that no added unit lowers it in any cell. One unit moves all cells together by no more than
    `Measurement.steps`, so each by no more. People are counted in full in every cell they are in: a choice reads how
    far one unit moves *one* cell, which is 1, and their weights over many cells are not needed  [A §5.1 report noisy
    max].
    """
    aggregated, final, output = bounded.aggregated, bounded.aggregated.final, bounded.aggregated.output
    if final.question.norm is not Metric.L1:  # weights in ℓ2 leave a cell more than `steps` tell
        return bounded
    if (
        final.unknown is not None
        or not final.keys
        or output.limit is None
        or output.offset
        or output.having is not None
    ):
        return bounded
    if len(output.order) != 1 or any(not isinstance(column.of, int) for column in output.columns):
        return bounded
    term, asked = output.order[0], (*bounded.groups, *bounded.ranks, *bounded.modes)
    if len(asked) != 1 or not bounded.groups or not term.descending or not isinstance(term.by, Cell):
        return bounded
    group, k = bounded.groups[0], output.limit
    if len(group.parts) != 1 or any(terms.low < 0 for terms in aggregated.terms) or not 1 <= k < final.cells:
        return bounded
    top = TopChoice(group.question, group.parts[0], k, group.steps, group.lattice, group.scan or bounded.scan)
    if any(terms.people for terms in aggregated.terms):
        counted = final.dialect.text(people_by_cell(final.dialect, aggregated.rows, top.part))
        top = replace(top, steps=1, lattice=INTEGERS, scan=counted)
    return replace(bounded, top=top)
