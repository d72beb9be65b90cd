"""Means, variances and covariances from released sums, in pieces whose ends stay near together."""

from fractions import Fraction

from dalenius.curator.formula.arithmetic import Held, Minus, Number, Plus, Ratio, Times
from dalenius.curator.formula.base import Formula

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)


def mean(total: Formula, count: Formula, low: Fraction, high: Fraction) -> Formula:
    """The ratio total / count held in the public bounds, their middle where the noisy count is not above 0."""
    return Ratio(total, count, low, high)


def variance(count: Formula, first: Formula, second: Formula) -> Formula:
    """The variance of places t in [0, 1] from the sums of 1, t and t², held in [0, ¼]; ⅛ where no count is above 0.

    With c = ½ it is E(t − c)² − (E(t − c))², each the mean of a sum. The first lies in [0, ¼]; the second moves little,
    being a square near its least value unless the mean is near an end. So its ends stay near together.
    """
    quarter = Number(Fraction(1, 4))
    around = Ratio(Plus(Minus(second, first), Times(quarter, count)), count, Fraction(0), Fraction(1, 4))
    aside = Minus(Ratio(first, count, Fraction(0), Fraction(1)), Number(Fraction(1, 2)))
    return Held(Minus(around, Times(aside, aside)), Fraction(0), Fraction(1, 4))


def covariance(count: Formula, first: Formula, second: Formula, product: Formula) -> Formula:
    """The covariance of places t and s in [0, 1] from the sums of 1, t, s and ts, held in ±¼; 0 where no count is.

    With c = ½ it is E(t − c)(s − c) − E(t − c)·E(s − c), each the mean of a sum. The first lies in ±¼, and the second
    moves little unless a mean is near an end.
    """
    aside = Plus(Minus(product, Times(Number(_HALF), Plus(first, second))), Times(Number(_QUARTER), count))
    means = (Minus(Ratio(one, count, Fraction(0), Fraction(1)), Number(_HALF)) for one in (first, second))
    return Held(Minus(Ratio(aside, count, -_QUARTER, _QUARTER), Times(*means)), -_QUARTER, _QUARTER)
