from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.curves.lines import best_line
from tests.guarantees.guarantee_truth import gaussian_delta, number


def gaussian_floor(mu, alpha):
    z = mp.sqrt(2) * mp.erfinv(1 - 2 * number(alpha))
    return mp.ncdf(z - number(mu))


@pytest.mark.parametrize("mu", ["0.3", "1", "3"])
@pytest.mark.parametrize("alpha", ["0.0001", "0.05", "0.3", "0.9"])
def test_the_lines_of_a_gaussian_touch_its_tradeoff_function_from_below(mu, alpha):
    found = best_line(lambda epsilon: float(gaussian_delta(mu, epsilon)) * (1 + 1e-14), Fraction(alpha))
    truth = gaussian_floor(mu, alpha)
    assert found <= truth
    assert found >= truth * mp.mpf("0.999999") - mp.mpf(10) ** -9


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 0.01)])
@pytest.mark.parametrize("alpha", ["0", "0.1", "0.6"])
def test_one_point_of_a_profile_gives_its_two_lines(epsilon, delta, alpha):
    # δ = `delta` from ε on, 1 before: the best test of an (ε, δ) mechanism  [A Prop 13.8]
    known = lambda at: delta if at >= epsilon else 1.0  # noqa: E731
    found = best_line(known, Fraction(alpha))
    a = number(alpha)
    e, d = mp.mpf(epsilon), mp.mpf(delta)
    assert 0 <= found <= max(0, 1 - d - mp.exp(e) * a, mp.exp(-e) * (1 - d - a))


def test_total_privacy_is_the_diagonal_and_none_is_zero():
    assert best_line(lambda _: 0.0, Fraction(1, 4)) == 0.75
    assert best_line(lambda _: 1.0, Fraction(1, 4)) == 0.0
    assert best_line(lambda _: 0.0, Fraction(1)) == 0.0
