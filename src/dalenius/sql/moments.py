"""What was measured of one value, or of two together, as formulas over released parts."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.curator.formula import Absent, Formula, Held, IfPositive, Minus, Number, Over, Ratio, Root, Times
from dalenius.errors import UnsupportedQuery

_ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class MeasuredMoments:
    """What was measured of one value with bounds `ends`, as formulas over parts that were released.

    `total` is there from degree 1 on, and `variance`, that of all rows and held in what the bounds allow, from 2 on.
    """

    ends: tuple[Fraction, Fraction]
    count: Formula
    total: Formula = _ABSENT
    variance: Formula = _ABSENT

    @property
    def mean(self) -> Formula:
        """Σx / n, held in the bounds."""
        return Ratio(self.total, self.count, *self.ends)

    @property
    def sample_variance(self) -> Formula:
        """The variance times n / (n − 1); of a single row, half of the largest that the bounds allow."""
        fewer = Minus(self.count, Number(Fraction(1)))
        largest = (self.ends[1] - self.ends[0]) ** 2 / 4
        return IfPositive(fewer, Times(self.variance, Over(self.count, fewer)), Number(largest / 2))


@dataclass(frozen=True, slots=True)
class PairMoments:
    """What was measured of two values, of the rows that have both: the moments of each, and the covariance of all.

    A regression is of the first on the second, as in SQL: REGR_SLOPE(y, x).
    """

    first: MeasuredMoments
    second: MeasuredMoments
    covariance: Formula
    products: Formula = _ABSENT
    """The sum of the products of both."""

    @property
    def swapped(self) -> "PairMoments":
        """The same with the second value first."""
        return PairMoments(self.second, self.first, self.covariance, self.products)

    @property
    def weighted_mean(self) -> Formula:
        """Σwx / Σw, held in the bounds of the first, where the second is a weight that is never negative."""
        if self.second.ends[0] < 0:
            raise UnsupportedQuery("a weight is never negative: the owner declares bounds= from 0 on for it")
        return Ratio(self.products, self.second.total, *self.first.ends)

    @property
    def sample_covariance(self) -> Formula:
        """The covariance times n / (n − 1); of a single row, 0."""
        count = self.first.count
        fewer = Minus(count, Number(Fraction(1)))
        return IfPositive(fewer, Times(self.covariance, Over(count, fewer)), Number(Fraction(0)))

    @property
    def correlation(self) -> Formula:
        """The covariance over both deviations, in [−1, 1]; absent where a released variance is 0."""
        deviations = Root(Times(self.first.variance, self.second.variance))
        return Held(Over(self.covariance, deviations), Fraction(-1), Fraction(1))

    @property
    def determination(self) -> Formula:
        """The square of the correlation."""
        squares = Times(self.first.variance, self.second.variance)
        return Held(Over(Times(self.covariance, self.covariance), squares), Fraction(0), Fraction(1))

    @property
    def slope(self) -> Formula:
        """The covariance over the variance of the second; absent where the released variance is 0."""
        return Over(self.covariance, self.second.variance)

    @property
    def intercept(self) -> Formula:
        """Where the line meets 0."""
        return Minus(self.first.mean, Times(self.slope, self.second.mean))
