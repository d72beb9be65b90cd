"""ORDER BY COUNT(*) DESC LIMIT k, where the counts themselves are not shown."""

from dataclasses import replace

from dalenius.curator.formula import Cell
from dalenius.neighbors import Metric
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.engine.value_statements import people_by_cell
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.measurements import TopChoice
from dalenius.sql.policy.policy import Policy


def choose_top(draft: Draft, policy: Policy) -> Draft:
    """Mark a question for the k largest of one number, which may be planned as a choice; the price decides it.

    The number must be the only question, never negative row by row (a count, distinct values, a sum of what is bounded
    from 0 up), so that no added unit lowers it in any cell. One unit moves all cells together by no more than
    `Group.steps`, so each by no more. People are counted in full in every cell they are in: a choice reads how far one
    unit moves *one* cell, which is 1, and their weights over many cells are not needed  [A §5.1 report noisy max].
    """
    output = draft.output
    assert output is not None
    if draft.norm is not Metric.L1:  # weights in ℓ2 leave a cell more than `steps` tell
        return draft
    if draft.named or not draft.keys or output.limit is None or output.offset or output.having is not None:
        return draft
    if len(output.order) != 1 or any(not isinstance(column.of, int) for column in output.columns):
        return draft
    term, asked = output.order[0], (*draft.groups, *draft.ranks, *draft.modes)
    if len(asked) != 1 or not draft.groups or not term.descending or not isinstance(term.by, Cell):
        return draft
    group, k = draft.groups[0], output.limit
    if len(group.parts) != 1 or any(share.low < 0 for share in draft.shares) or not 1 <= k < draft.cells:
        return draft
    scan = group.scan or ("" if draft.statement is None else draft.dialect.text(draft.statement))
    top = TopChoice(group.question, group.parts[0], k, group.steps, group.lattice, scan)
    if any(share.people for share in draft.shares):
        assert draft.rows is not None
        counted = draft.dialect.text(people_by_cell(draft.dialect, draft.rows, top.part))
        top = replace(top, steps=1, lattice=INTEGERS, scan=counted)
    return replace(draft, top=top)
