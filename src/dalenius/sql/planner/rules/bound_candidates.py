"""A choice among public candidates by a sum over people, in which nobody counts for more than their share."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dalenius.curator.formula import Cell
from dalenius.errors import UnsupportedQuery
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.engine import statements
from dalenius.sql.engine.value_statements import people_by_cell
from dalenius.sql.planner.bounding_view import BoundingView, Weighting
from dalenius.sql.planner.measurements import Measurement, TopChoice
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.rules.bound_contribution import summed
from dalenius.sql.planner.stages import Aggregated, Bounded
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.candidates import ASK


def bound_candidates(aggregated: Aggregated, policy: Policy) -> Bounded:
    """Hold what a unit adds to each candidate in [T·l, T·u], where one row adds between l ≤ 0 and u ≥ 0.

    That is a function of the unit's own rows, so one that comes or goes moves the number of a candidate by something in
    that range, and each candidate by its own. A choice by permute and flip hangs on differences of numbers alone: with
    −T·l more for every unit, the same for all candidates, an added unit lowers none and raises none by more than
    Δ = T·(u − l), so that ε = Δ/scale under ADD_REMOVE, and 2Δ/scale for a unit that is replaced, however many
    candidates there are  [A Thm 7.1, A Ex 7.1, S Ex 2.1, MS20]. Of the smallest the same holds with the signs turned. A
    unit is counted once for a candidate, if units are counted. Where rows are units, each meets a candidate once.

    Noise on the numbers of all c candidates would have c·Δ to hide: it is never planned, and its error is told.
    """
    final = aggregated.final
    terms, k = _utility(aggregated), aggregated.output.limit or 0
    by_unit = policy.unit.column is not None
    most = (policy.contributions or 1) if by_unit else 1
    (part,) = terms.names
    low, high = (most * end for end in (min(terms.low, 0), max(terms.high, 0)))
    view = BoundingView(final.rows, aggregated.rows, final.keys, None, Weighting.WHOLE, most, (terms,))
    steps, lattice = high - low, terms.lattice
    if terms.people:
        tree, steps, lattice = people_by_cell(final.dialect, aggregated.rows, part), 1, INTEGERS
    elif by_unit:
        tree = statements.owned_by_cell(final.dialect, summed(view, lambda _, each: _held(each, low, high)))
    else:
        tree = statements.whole_rows(final.dialect, summed(view, lambda _, each: each))
    noisy = Measurement(
        *(terms.question, terms.names, final.cells * steps, 2 * final.cells * steps, lattice, Fraction(1)),
        people=terms.people,
        surveyed=terms.surveyed,
    )
    scan, smallest = final.dialect.text(tree), not aggregated.output.order[0].descending
    top = TopChoice(terms.question, part, k, steps, lattice, scan, smallest)
    return Bounded(aggregated, view, (noisy,), tree, top=top)


def _utility(aggregated: Aggregated) -> RowTerms:
    """The one sum or count that candidates are chosen by; whatever else is asked beside it is refused."""
    final, output = aggregated.final, aggregated.output
    first, *others = output.order
    bare = isinstance(first.by, Cell) and all(isinstance(term.by, int) for term in others)
    if final.unknown is not None or aggregated.scans or len(aggregated.terms) != 1 or not bare:
        raise UnsupportedQuery(f"candidates are compared by one SUM or COUNT over the joined rows; {ASK}")
    if len(aggregated.terms[0].parts) != 1:
        raise UnsupportedQuery(f"candidates are compared by one SUM or COUNT over the joined rows; {ASK}")
    if not 1 <= (output.limit or 0) < final.cells:
        raise UnsupportedQuery(f"LIMIT takes fewer than the {final.cells} candidates, and one at least")
    return replace(aggregated.terms[0], person=None, finds="")


def _held(each: exp.Expr, low: int, high: int) -> exp.Expr:
    """A unit's part, from `low` to `high`; of one without values there is nothing to hold."""
    ends = (
        (exp.LT(this=each.copy(), expression=_number(low)), _number(low)),
        (
            exp.GT(this=each.copy(), expression=_number(high)),
            _number(high),
        ),
    )
    ifs = [exp.If(this=test, true=end) for test, end in ends]
    return exp.Case(ifs=ifs, default=each.copy())


def _number(value: int) -> exp.Expr:
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal
