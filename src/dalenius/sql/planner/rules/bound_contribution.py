"""The one aggregation, in which no unit counts for more than its share."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from dalenius.neighbors import Metric
from dalenius.numerics import float_above
from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.engine import statements
from dalenius.sql.engine.statements import HeldSum, NarrowRows, Sums, Total
from dalenius.sql.planner.bounding_view import BoundingView, Weighting, numbered
from dalenius.sql.planner.measurements import Measurement
from dalenius.sql.planner.row_terms import WEIGHT_BITS, RowTerms
from dalenius.sql.planner.stages import Aggregated, Bounded, FinalRows
from dalenius.sql.policy.policy import Policy

_MOST_BITS = 62


def bound_contribution(aggregated: Aggregated, policy: Policy) -> Bounded:
    """Sum whole rows, or integer row weights least(2²⁰, T·2²⁰ // n) where n is the unit's number of final rows.

    A row adds at most R in ℓ1 over all parts (see `row_terms`), so a unit with n rows adds at most
    n·least(2²⁰, ⌊T·2²⁰/n⌋)·R ≤ T·2²⁰·R over all parts and cells, whatever its rows are, and moves nobody else's weight
    [G complaints count]. Then 2⁻²⁰ of it is kept, rounded toward zero part by part, which leaves at most T·R. Its
    presence in g of the cells adds g·least(2²⁰, ⌊G·2²⁰/g⌋) ≤ G·2²⁰ to COUNT(DISTINCT unit), G the lesser of T and the
    number of cells that a unit can be in: keys that are its attributes leave it one. Is that all, it adds 1. n counts
    final rows: those that pass WHERE, with declared keys and a unit; whether a value of theirs is NULL does not matter.

    No row can make it overflow: a weighted sum is at most T·2²⁰·R < 2⁶³ by the choice of R, sums are of 128 bits.

    Where the owner has bounded what a person's rows of a column add up to, by C, the unit's vector s of sums over cells
    is scaled toward zero in place of its rows: with N = ‖s‖₁ its parts are s_i·⌊C·2²⁰/N⌋ / 2²⁰, rounded toward zero, if
    N > C. They sum to at most C in absolute value, whatever its rows are, and are a function of its rows alone: so a
    unit that comes or goes moves all cells by at most C, one that changes by 2C, and by C where there is one cell and
    no row lowers the sum, or none raises it  [A Ex 3.4, G sensitivity]. In ℓ2 the same holds with N above ‖s‖₂.
    """
    aggregated = _with_held_sums(aggregated, policy)
    final, view = aggregated.final, _view(aggregated, policy)
    if final.unknown is not None or not view.terms:
        return Bounded(aggregated, view)  # `bound_groups` sums over keys that are to be found
    if view.weighting is Weighting.WHOLE:
        tree = statements.whole_rows(final.dialect, summed(view, lambda terms, part: part))
        return Bounded(aggregated, view, whole_measurements(aggregated, 1), tree)
    if view.weighting is Weighting.NORM:
        return _bounded_by_norm(aggregated, view)
    most = view.contributions
    groups = tuple(
        replace(_measurement(terms, aggregated, most, weighted=True), contributions=_counted(terms, most))
        for terms in view.terms
    )
    quick = _statement(final, view, narrow=True) if _goes_over_rows_twice(final, view) else None
    return Bounded(aggregated, view, groups, _statement(final, view), quick=quick)


def _counted(terms: RowTerms, most: int) -> int | None:
    """How many rows of a unit count in full for sure."""
    return most if terms.person is None or terms.person >= most * terms.most else None


def _with_held_sums(aggregated: Aggregated, policy: Policy) -> Aggregated:
    """The bounds of persons' sums as they are used; none where rows are units.

    A bound C that was declared or found is planned in place of T rows. Where C ≤ T·R that is better for everybody: the
    noise is no larger, and at C = T·R the scale min(1, C/‖s‖) of a unit is no less than the weight min(1, T/n) of its
    rows, since ‖s‖ ≤ n·R. Where C is larger, its owner says that T rows would cut off more than is lost to noise.
    """
    if policy.unit.column is not None and policy.contributions is not None:
        return aggregated
    return replace(aggregated, terms=tuple(replace(terms, person=None, finds="") for terms in aggregated.terms))


def held_remark(terms: RowTerms) -> str:
    """Which of two ways to bound a unit's sum was planned, and why; nothing where there was no choice."""
    if terms.person is None:
        return ""
    bound, row = (float_above(count * terms.lattice.step) for count in (terms.person, terms.most))
    why = "as a released histogram tells" if terms.finds else "as declared"
    return f"each person's sum is held to {bound:.6g}, {why}; by rows, each that counts would move it by {row:.6g}"


def _view(aggregated: Aggregated, policy: Policy) -> BoundingView:
    """The bounding view of a query: whole rows where each is a unit, else rows with weights by the norm asked for."""
    final, weighting, most = aggregated.final, Weighting.WHOLE, 1
    if policy.unit.column is not None and policy.contributions is not None:
        by_norm = final.question.norm is Metric.L2 and final.reach > 1 and final.unknown is None
        weighting, most = Weighting.NORM if by_norm else Weighting.ROWS, policy.contributions
    return BoundingView(final.rows, aggregated.rows, final.keys, final.unknown, weighting, most, aggregated.terms)


def _goes_over_rows_twice(final: FinalRows, view: BoundingView) -> bool:
    """Whether rows are kept between two passes, and no weight of a unit needs their terms."""
    people = [terms.people for terms in view.terms]
    by_cell = any(people) and (all(people) or final.cells > _MOST_BITS or final.reach == 1)
    return final.cells > 1 and not by_cell and all(terms.person is None for terms in view.terms)


def _statement(final: FinalRows, view: BoundingView, *, narrow: bool = False) -> exp.Expr:
    """The cheapest way to weigh a unit's rows, and its presence in cells if people are counted."""
    dialect, people = final.dialect, [terms.people for terms in view.terms]
    rows, cells = view.contributions * ONE, min(view.contributions, final.reach) * ONE
    sums, marked = summed(view, weighted), summed(view, _marked)
    if narrow:
        sums, marked = (replace(one, narrow=_narrow(view, final.cells)) for one in (sums, marked))
    if final.cells == 1:
        return statements.one_cell(dialect, sums, rows)
    in_each_cell = sums.signed  # a norm that needs a unit's sum in each cell
    if not any(people) and not in_each_cell:
        return statements.several_cells(dialect, sums, rows)
    if final.cells > _MOST_BITS or final.reach == 1 or in_each_cell:
        return statements.rows_and_people(dialect, sums, rows, None if final.reach == 1 else cells)
    if all(people):
        return statements.people_in_few_cells(dialect, marked, cells, final.cells)
    return statements.rows_and_people_in_few_cells(dialect, marked, rows, cells, final.cells)


def _bounded_by_norm(aggregated: Aggregated, view: BoundingView) -> Bounded:
    """Weights of least(2²⁰, ⌊T·2²⁰/‖n‖₂⌋), n the unit's numbers of final rows in each of the cells.

    The parts of a cell are at most R·n in ℓ1 there, hence in ℓ2, so those of all cells are at most R·‖n‖₂, and weighted
    T·2²⁰·R; rounding each toward zero makes none larger  [G sensitivity]. A unit with T rows or fewer has ‖n‖₂ ≤ T and
    counts in full, one whose rows are spread over cells counts for more of them than T. Presence in c cells has norm
    √c: times least(2²⁰, ⌊√G·2²⁰/√c⌋) it is √G·2²⁰ at most. A unit that can be in one cell has nothing to gain.

    The root is taken in floats: √s·(2²⁰ + 10⁻⁶), rounded, is above √s·2²⁰, since 10⁻⁶/2²⁰ is more than 2⁻⁵¹. With s
    below 2⁸⁶ nothing overflows: a weighted part is at most T·2²⁰·R < 2⁶³, as in ℓ1.
    """
    most, cells = view.contributions, min(view.contributions, aggregated.final.reach)
    statement = statements.spread_rows(
        aggregated.final.dialect,
        summed(view, weighted),
        squares=(most**2, cells),
        roots=(most << 2 * WEIGHT_BITS, math.isqrt(cells << 4 * WEIGHT_BITS)),
    )
    groups = []
    for terms in view.terms:
        measurement = _measurement(terms, aggregated, most, weighted=True)
        square = cells * ONE**2 if terms.people else measurement.steps**2  # a held sum is at most its steps in ℓ2
        groups.append(replace(measurement, square=square))
    return Bounded(aggregated, view, tuple(groups), statement)


def whole_measurements(aggregated: Aggregated, most: int) -> tuple[Measurement, ...]:
    """What holds where a unit has at most `most` rows, none of which needs a weight."""
    return tuple(_measurement(terms, aggregated, most, weighted=False) for terms in aggregated.terms)


def _measurement(terms: RowTerms, aggregated: Aggregated, most: int, weighted: bool) -> Measurement:
    final, times, lattice = aggregated.final, most, terms.lattice
    if terms.people:
        times = min(most, final.reach)
    if terms.plain and weighted and not (terms.people and final.reach == 1):
        times, lattice = times * ONE, WEIGHTS
    steps, single = times * terms.most, final.cells == 1 and len(terms.parts) == 1
    if terms.person is not None and weighted:
        return _held_measurement(terms, aggregated, terms.person, single=single)
    # in a single cell a unit adds something between `low` and `high`, and its change moves that no further
    change = min(times * (terms.high - terms.low), 2 * steps) if single else 2 * steps
    return Measurement(terms.question, terms.names, steps, change, lattice, aggregated.weight, **facts_of(terms))


def facts_of(terms: RowTerms) -> dict[str, Any]:
    """What a measurement knows of its terms besides how far they move."""
    remark = "each row counts by its survey weight, held in its bounds" if terms.surveyed else ""
    return {"people": terms.people, "counts": terms.plain, "surveyed": terms.surveyed, "remark": remark}


def _held_measurement(terms: RowTerms, aggregated: Aggregated, steps: int, *, single: bool) -> Measurement:
    change = steps if single and not _is_signed(terms) else 2 * steps
    parts = (terms.question, terms.names, steps, change, terms.lattice, aggregated.weight)
    return Measurement(*parts, person=True, finds=terms.finds, remark=held_remark(terms))


def _is_signed(terms: RowTerms) -> bool:
    return terms.low < 0 < terms.high


def weighted(terms: RowTerms, part: exp.Expr) -> exp.Expr:
    """What a unit's rows in a cell add to a part, by the unit's weight "w", or "g" for people."""
    if terms.people:
        return exp.column("g", quoted=True)
    # the product fits in 63 bits, whatever the width of its factors
    product = exp.cast(exp.Mul(this=exp.column("w", quoted=True), expression=exp.paren(part)), "BIGINT")
    if terms.plain:
        return product
    if terms.low < 0:  # // rounds toward zero; of what is never negative so does >>, which the engine does faster
        return exp.IntDiv(this=product, expression=exp.Literal.number(ONE))
    return exp.BitwiseRightShift(this=product, expression=exp.Literal.number(WEIGHT_BITS))


def _marked(terms: RowTerms, part: exp.Expr) -> exp.Expr:
    """As `weighted`, with the people of a cell in one number, which every row of the cell repeats."""
    return exp.Max(this=exp.column("people", quoted=True)) if terms.people else weighted(terms, part)


def summed(view: BoundingView, of: Callable[[RowTerms, exp.Expr], exp.Expr]) -> Sums:
    """The rows of a view with their terms, and the totals and parts that are made of these."""
    parts, totals, held = [], [], []
    for place, terms in enumerate(view.terms):
        for name, part in terms.parts:
            added = of(terms, numbered(part, place))
            if terms.person is not None:
                added = _by_own_weight(added, place)
            parts.append((name, added if isinstance(added, exp.AggFunc) else exp.Sum(this=added)))
        for name, _ in terms.terms:
            counted = name == "c"
            totals.append(Total(f"{name}{place}", f"a{place}" if counted else f"{name}{place}", counted))
            if terms.person is not None:
                held.append(HeldSum(f"w{place}", f"{name}{place}", terms.person, _is_signed(terms)))
    return Sums(_with_terms(view), tuple(totals), tuple(parts), tuple(held))


def _by_own_weight(added: exp.Expr, place: int) -> exp.Expr:
    """A part by the weight of its own value, and not by that of the unit's rows."""
    for column in list(added.find_all(exp.Column)):
        if column.name == "w":
            column.replace(exp.column(f"w{place}", quoted=True))
    return added


def _with_terms(view: BoundingView) -> exp.Select:
    """The rows of a view with the whole-number terms of each value."""
    if not _wholes(view):
        return view.rows
    wholes = exp.alias_(view.tree.subquery(copy=False), "wholes", table=True, quoted=True, copy=False)
    return _terms(view).from_(wholes, copy=False)


def _narrow(view: BoundingView, cells: int) -> NarrowRows:
    """The rows of a view without their terms, which are functions of its whole numbers."""
    rows = exp.Table(this=exp.to_identifier("rows", quoted=True))
    return NarrowRows(view.tree, _wholes(view), _terms(view).from_(rows, copy=False), cells)


def _terms(view: BoundingView) -> exp.Select:
    """The columns of a view and the terms of each value, from rows that have the whole numbers."""
    columns: list[exp.Expr] = []
    for place, terms in enumerate(view.terms):
        if terms.whole is not None:
            columns.append(exp.column(f"a{place}", quoted=True))
        columns += [exp.alias_(numbered(term, place), f"{name}{place}", quoted=True) for name, term in terms.terms]
    return exp.select(*view.columns, *columns, copy=False)


def _wholes(view: BoundingView) -> tuple[str, ...]:
    """The names of the whole numbers in a row of a view."""
    return tuple(f"a{place}" for place, terms in enumerate(view.terms) if terms.whole is not None)
