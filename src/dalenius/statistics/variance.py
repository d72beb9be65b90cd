"""Variance and standard deviation of a column."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from dalenius.curator import Derived, Facts, Measure, Plan, formula
from dalenius.curator.formula import Cell, Formula, Held, Minus, Number, Plus, Root, Times
from dalenius.neighbors import Unit
from dalenius.numerics import Number as Given
from dalenius.queries import CenteredMoments, Keys, Moments, Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, bounded, facts_of, keys_by, missing_rule, public_rows
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.made import made
from dalenius.statistics.private_bounds import WantedBounds, after_bounds
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@takes_data
def variance(
    column: str,
    bounds: WantedBounds = None,
    *,
    epsilon: Given,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "variance",
) -> Plan[Table]:
    """The mean squared distance to the mean, each row held in `bounds`; width²/8 where the noisy count is not above 0.

    From the sums of (1 − t)², 2t(1 − t) and t², which move together by 1 when a row comes or goes: one mechanism, no
    budget split. It divides by the number of rows, not by one less.

    Args:
        column: the column that is asked about.
        bounds: (lowest, highest) that each row is clamped to, from public knowledge; left out, those declared;
            "private" finds them for a fifth of ε.
        epsilon: what the answer costs.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(variance("age", (0, 100), epsilon=1).guarantee.epsilon(0))
    1.0
    """
    asked = _asked(column, bounds, epsilon, by, missing, unit, contributions, about, name)
    return asked(lambda spread: spread, f"variance of {column}")


@takes_data
def std(
    column: str,
    bounds: WantedBounds = None,
    *,
    epsilon: Given,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "std",
) -> Plan[Table]:
    """The root of `variance`.

    Args:
        column: the column that is asked about.
        bounds: (lowest, highest) that each row is clamped to, from public knowledge; left out, those declared;
            "private" finds them for a fifth of ε.
        epsilon: what the answer costs.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(std("age", (0, 100), epsilon=1).guarantee.epsilon(0))
    1.0
    """
    asked = _asked(column, bounds, epsilon, by, missing, unit, contributions, about, name)
    return asked(Root, f"standard deviation of {column}, the root of a variance")


_Shape = Callable[[Formula], Formula]


def _asked(
    column: str,
    bounds: WantedBounds,
    epsilon: Given,
    by: str | Keys | Sequence[str] | None,
    missing: Missing | None,
    unit: Unit | str | None,
    contributions: WantedContributions,
    about: About,
    name: str,
) -> Callable[[_Shape, str], Plan[Table]]:
    def asked(shape: _Shape, question: str) -> Plan[Table]:
        def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
            def held(ends: Ends, rest: Fraction) -> Plan[Table]:
                rule, keys = missing_rule(facts, missing), keys_by(facts, by)
                rows = public_rows(facts, keys)
                if rows is not None:
                    centered = CenteredMoments(column, ends, 2, rule)
                    return _of_public_rows(centered, rows, rest, facts.unit, name, shape, question)
                query = Moments(column, ends, 2, keys, bounded(facts), rule)
                return _of_moments(query, rest, facts.unit, name, shape, question)

            return after_bounds(bounds, column, facts, budget, held)

        return after_contributions(contributions, facts_of(about, unit), epsilon, planned)

    return asked


def _of_moments(
    query: Moments, epsilon: Fraction, unit: Unit, name: str, shape: _Shape, question: str
) -> Derived[Table]:
    """The sums move a variance of places by Σ|∂v/∂bᵢ| ≤ 1/n to first order, attained where all rows are at one end."""
    parts = Measure.calibrated(query, epsilon=epsilon, unit=unit, name=f"{name}.sum")
    zero, one, two = map(Cell, parts.names)
    square = query.bounds.width**2
    count = Plus(zero, Plus(one, two))
    spread = Times(Number(square), formula.variance(count, Plus(Times(Number(Fraction(1, 2)), one), two), two))
    words = f"{question}, the variance"
    return made(parts, {name: shape(Held(spread, Fraction(0), square / 4))}, words, square, 3)


def _of_public_rows(
    query: CenteredMoments, rows: int, epsilon: Fraction, unit: Unit, name: str, shape: _Shape, question: str
) -> Derived[Table]:
    """w²/4·(Σs²/n − (Σs/n)²), which errs by at most w²/4·3r/n to first order, as |Σs/n| ≤ 1."""
    parts = Measure.calibrated(query, epsilon=epsilon, unit=unit, name=f"{name}.sum")
    first, second = map(Cell, parts.names)
    square, share = query.bounds.width**2 / 4, Number(Fraction(1, rows))
    middle = Held(Times(share, first), Fraction(-1), Fraction(1))
    spread = Minus(Times(share, second), Times(middle, middle))
    held = Held(Times(Number(square), spread), Fraction(0), square)
    return made(parts, {name: shape(held)}, f"{question} over {rows} rows; the variance", 3 * square, 2, rows)
