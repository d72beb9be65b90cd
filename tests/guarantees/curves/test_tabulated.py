import math
from fractions import Fraction

import mpmath as mp
import pytest
from scipy.special import ndtr, ndtri

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.tabulated import enclosing_polylines


def gaussian(mu):
    return lambda alpha: 1.0 if alpha == 0 else 0.0 if alpha == 1 else float(ndtr(-ndtri(alpha) - mu))


def pure(epsilon):
    return lambda alpha: max(0.0, 1 - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - alpha))


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_polylines_lie_on_both_sides_of_the_gaussian(mu):
    floor, ceiling = enclosing_polylines(gaussian(mu))
    for k in range(1, 200):
        alpha = Fraction(k, 200) ** 3
        z = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(alpha.numerator) / alpha.denominator)
        truth = mp.ncdf(z - mu)
        low, high = floor(alpha), ceiling(alpha)
        assert float(low) <= truth <= float(high)
        assert high - low < Fraction(1, 50)


@pytest.mark.parametrize("nodes", [3, 10, 40])
def test_few_nodes_are_still_on_both_sides_of_a_kink(nodes):
    floor, ceiling = enclosing_polylines(pure(1.0), nodes)
    for k in range(101):
        truth = pure(1.0)(k / 100)
        assert float(floor(Fraction(k, 100))) <= truth + 1e-15
        assert float(ceiling(Fraction(k, 100))) >= truth - 1e-15


@pytest.mark.parametrize(
    ("f", "word"),
    [
        (lambda a: 1.5 * (1 - a), r"\[0, 1\]"),
        (lambda a: math.nan, r"\[0, 1\]"),
        (lambda a: min(1.0, 1.01 - a), "1 - alpha"),
        (lambda a: 0.2 * a * (1 - a), "increase"),
        (lambda a: 0.5 * (1 - a * a) if a < 0.5 else 0.5 * (1 - a) * 1.5, "convex"),
    ],
)
def test_what_no_tradeoff_function_does_is_refused(f, word):
    with pytest.raises(InvalidParameter, match=word):
        enclosing_polylines(f)
