"""The one aggregation, in which no unit counts for more than its share."""

import math
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dalenius.neighbors import Metric
from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.engine import statements
from dalenius.sql.engine.statements import Sums, Total
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.measurements import Measurement
from dalenius.sql.planner.row_terms import WEIGHT_BITS, RowTerms
from dalenius.sql.policy.policy import Policy

_MOST_BITS = 62


def bound_contribution(draft: Draft, policy: Policy) -> Draft:
    """Sum whole rows, or integer row weights least(2²⁰, T·2²⁰ // n) where n is the unit's number of final rows.

    A row adds at most R in ℓ1 over all parts (see `shares`), so a unit with n rows adds at most
    n·least(2²⁰, ⌊T·2²⁰/n⌋)·R ≤ T·2²⁰·R over all parts and cells, whatever its rows are, and moves nobody else's weight
    [G complaints count]. Then 2⁻²⁰ of it is kept, rounded toward zero part by part, which leaves at most T·R. Its
    presence in g of the cells adds g·least(2²⁰, ⌊G·2²⁰/g⌋) ≤ G·2²⁰ to COUNT(DISTINCT unit), G the lesser of T and the
    number of cells that a unit can be in: keys that are its attributes leave it one. Is that all, it adds 1. n counts
    final rows: those that pass WHERE, with declared keys and a unit; whether a value of theirs is NULL does not matter.

    No row can make it overflow: a weighted sum is at most T·2²⁰·R < 2⁶³ by the choice of R, sums are of 128 bits.
    """
    if draft.named or not draft.shares:
        return draft  # `bound_groups` sums over keys that are to be found
    if policy.unit.column is None or policy.contributions is None:
        tree = statements.whole_rows(draft.dialect, summed(draft, lambda share, part: part))
        return replace(draft, statement=tree, groups=_groups(draft, 1, weighted=False))
    if draft.norm is Metric.L2 and draft.reach > 1:
        return _spread(draft, policy.contributions)
    most = policy.contributions
    groups = tuple(replace(group, contributions=most) for group in _groups(draft, most, weighted=True))
    return replace(draft, statement=_statement(draft, most), groups=groups)


def _statement(draft: Draft, most: int) -> exp.Expr:
    """The cheapest way to weigh a unit's rows, and its presence in cells if people are counted."""
    dialect, people = draft.dialect, [share.people for share in draft.shares]
    rows, cells = most * ONE, min(most, draft.reach) * ONE
    if draft.cells == 1:
        return statements.one_cell(dialect, summed(draft, weighted), rows)
    if not any(people):
        return statements.several_cells(dialect, summed(draft, weighted), rows)
    if draft.cells > _MOST_BITS or draft.reach == 1:
        return statements.rows_and_people(dialect, summed(draft, weighted), rows, None if draft.reach == 1 else cells)
    if all(people):
        return statements.people_in_few_cells(dialect, summed(draft, _marked), cells, draft.cells)
    return statements.rows_and_people_in_few_cells(dialect, summed(draft, _marked), rows, cells, draft.cells)


def _spread(draft: Draft, most: int) -> Draft:
    """Weights of least(2²⁰, ⌊T·2²⁰/‖n‖₂⌋), n the unit's numbers of final rows in each of the cells.

    The parts of a cell are at most R·n in ℓ1 there, hence in ℓ2, so those of all cells are at most R·‖n‖₂, and weighted
    T·2²⁰·R; rounding each toward zero makes none larger  [G sensitivity]. A unit with T rows or fewer has ‖n‖₂ ≤ T and
    counts in full, one whose rows are spread over cells counts for more of them than T. Presence in c cells has norm
    √c: times least(2²⁰, ⌊√G·2²⁰/√c⌋) it is √G·2²⁰ at most. A unit that can be in one cell has nothing to gain.

    The root is taken in floats: √s·(2²⁰ + 10⁻⁶), rounded, is above √s·2²⁰, since 10⁻⁶/2²⁰ is more than 2⁻⁵¹. With s
    below 2⁸⁶ nothing overflows: a weighted part is at most T·2²⁰·R < 2⁶³, as in ℓ1.
    """
    cells = min(most, draft.reach)
    statement = statements.spread_rows(
        draft.dialect,
        summed(draft, weighted),
        squares=(most**2, cells),
        roots=(most << 2 * WEIGHT_BITS, math.isqrt(cells << 4 * WEIGHT_BITS)),
    )
    groups = []
    for share in draft.shares:
        group = _group(share, draft, most, weighted=True)
        square = cells * ONE**2 if share.people else group.steps**2
        groups.append(replace(group, square=square))
    return replace(draft, statement=statement, groups=tuple(groups))


def whole_groups(draft: Draft, most: int) -> tuple[Measurement, ...]:
    """What holds where a unit has at most `most` rows, none of which needs a weight."""
    return _groups(draft, most, weighted=False)


def _groups(draft: Draft, most: int, *, weighted: bool) -> tuple[Measurement, ...]:
    return tuple(_group(share, draft, most, weighted) for share in draft.shares)


def _group(share: RowTerms, draft: Draft, most: int, weighted: bool) -> Measurement:
    times, lattice = most, share.lattice
    if share.people:
        times = min(most, draft.reach)
    if share.plain and weighted and not (share.people and draft.reach == 1):
        times, lattice = times * ONE, WEIGHTS
    steps, single = times * share.most, draft.cells == 1 and len(share.parts) == 1
    # in a single cell a unit adds something between `low` and `high`, and its change moves that no further
    change = times * (share.high - share.low) if single else 2 * steps
    return Measurement(
        share.question, share.names, steps, min(change, 2 * steps), lattice, draft.weight, people=share.people
    )


def weighted(share: RowTerms, part: exp.Expr) -> exp.Expr:
    """What a unit's rows in a cell add to a part, by the unit's weight "w", or "g" for people."""
    if share.people:
        return exp.column("g", quoted=True)
    # the product fits in 63 bits, whatever the width of its factors
    product = exp.cast(exp.Mul(this=exp.column("w", quoted=True), expression=exp.paren(part)), "BIGINT")
    if share.plain:
        return product
    if share.low < 0:  # // rounds toward zero; of what is never negative so does >>, which the engine does faster
        return exp.IntDiv(this=product, expression=exp.Literal.number(ONE))
    return exp.BitwiseRightShift(this=product, expression=exp.Literal.number(WEIGHT_BITS))


def _marked(share: RowTerms, part: exp.Expr) -> exp.Expr:
    """As `weighted`, with the people of a cell in one number, which every row of the cell repeats."""
    return exp.Max(this=exp.column("people", quoted=True)) if share.people else weighted(share, part)


def summed(draft: Draft, of: Callable[[RowTerms, exp.Expr], exp.Expr]) -> Sums:
    """The draft's final rows with their terms, and the totals and parts that its shares are made of."""
    parts, totals = [], []
    for place, share in enumerate(draft.shares):
        for name, part in share.parts:
            added = of(share, numbered(part, place))
            parts.append((name, added if isinstance(added, exp.AggFunc) else exp.Sum(this=added)))
        for name, _ in share.terms:
            counted = name == "c"
            totals.append(Total(f"{name}{place}", f"a{place}" if counted else f"{name}{place}", counted))
    return Sums(_terms(draft), tuple(totals), tuple(parts))


def _terms(draft: Draft) -> exp.Select:
    """The final rows with the whole-number terms of each share."""
    assert draft.rows is not None
    kept = [name for name in draft.rows.named_selects if name in ("cell", "unit", *(k.column for k in draft.named))]
    columns: list[exp.Expr] = [exp.column(name, quoted=True) for name in kept]
    wholes, terms = list(columns), list(columns)
    for place, share in enumerate(draft.shares):
        if share.whole is not None:
            wholes.append(exp.alias_(numbered(share.whole, place), f"a{place}", quoted=True))
            terms.append(exp.column(f"a{place}", quoted=True))
        terms += [exp.alias_(numbered(term, place), f"{name}{place}", quoted=True) for name, term in share.terms]
    inner = exp.select(*wholes).from_(exp.alias_(draft.rows.subquery(), "final", table=True, quoted=True))
    if len(wholes) == len(columns):
        return draft.rows
    return exp.select(*terms).from_(exp.alias_(inner.subquery(), "wholes", table=True, quoted=True))


def numbered(tree: exp.Expr, place: int) -> exp.Expr:
    """A share's own names, told apart from other shares'."""
    if isinstance(tree, exp.Column):
        return tree.copy() if tree.name in ("n", "w", "g") else exp.column(f"{tree.name}{place}", quoted=True)
    copy = tree.copy()
    for column in list(copy.find_all(exp.Column)):
        if column.name != "n":
            column.replace(exp.column(f"{column.name}{place}", quoted=True))
    return copy
