"""What BLR is proved to err by: the sampling error of m rows, and the price of choosing among all of them."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, positive, probability


@dataclass(frozen=True, slots=True)
class SmallDatabaseBound:
    """The number of rows m of a small database, and the error α of its worst answer, as a share of n."""

    rows: int
    alpha: float


def small_database_bound(
    universe: int, questions: int, n: int, epsilon: Number, beta: Number = Fraction(1, 20), rows: int | None = None
) -> SmallDatabaseBound:
    """With probability 1 − beta no answer is off by more than α, for the m that makes α least, or for the m given.

    Some database of m rows errs by at most √(log(2k) / 2m): a sample of the data does, with positive probability, by
    Hoeffding's inequality and a union bound. [S Thm 3] prints m = 8 log k/α², which is more than is needed and says
    nothing for k = 1. The mechanism then errs by at most 2(m log X + log 1/beta)/(εn) more  [A Thm 7.2].

    >>> round(small_database_bound(4, 9, 100, 1).alpha, 2)
    0.71
    """
    if min(universe, questions, n) < 1:
        raise InvalidParameter("universe, questions and n must be whole numbers ≥ 1")
    price, fail = float(positive(epsilon, "epsilon")), float(probability(beta, "beta"))
    if not 0 < fail < 1:
        raise InvalidParameter(f"beta must lie in (0, 1), got {beta}")

    def alpha(m: int) -> float:
        sampled = math.sqrt(math.log(2 * questions) / (2 * m))
        return sampled + 2 * (m * math.log(universe) - math.log(fail)) / (price * n)

    if rows is not None:
        return SmallDatabaseBound(rows, alpha(rows))
    # α is convex in m: the best real m rounded to one of its neighbors
    slope = 2 * math.log(universe) / (price * n)
    best = (math.sqrt(math.log(2 * questions) / 2) / (2 * slope)) ** (2 / 3) if slope > 0 else 1e9
    nearest = {max(1, math.floor(best)), max(1, math.ceil(best))}
    m = min(nearest, key=alpha)
    return SmallDatabaseBound(m, alpha(m))
