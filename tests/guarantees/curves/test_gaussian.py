from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.curves.gaussian import (
    gaussian_profile,
    gaussian_tradeoff,
    guess_gaussian_epsilon,
    normal_cdf,
    upper_quantile,
)
from dalenius.numerics import ball, ends, precision
from tests.guarantees.guarantee_truth import gaussian_delta, gaussian_epsilon, number


@pytest.mark.parametrize("mu", ["0.01", "0.5", "1", "7"])
@pytest.mark.parametrize("epsilon", ["0", "0.25", "3", "40"])
def test_profile_encloses_the_closed_form_to_the_last_digits(mu, epsilon):
    low, high = ends(gaussian_profile(Fraction(mu) ** 2, Fraction(epsilon)))
    with mp.workdps(80):  # the two terms cancel in part
        mu, epsilon = number(mu), number(epsilon)
        half = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
        truth = half(mu / 2 - epsilon / mu) - mp.exp(epsilon) * half(-mu / 2 - epsilon / mu)
        assert low <= truth <= high
        assert high <= low * (1 + 1e-15) or high < 1e-300


@pytest.mark.parametrize("mu", ["0.1", "1", "5"])
@pytest.mark.parametrize("alpha", ["1e-30", "0.01", "0.5", "0.999"])
def test_tradeoff_encloses_the_power_of_the_best_test(mu, alpha):
    low, high = ends(gaussian_tradeoff(Fraction(mu) ** 2, Fraction(alpha)))
    z = mp.findroot(lambda x: mp.log(mp.erfc(x / mp.sqrt(2)) / 2) - mp.log(number(alpha)), 0 if alpha > "0.1" else 2)
    assert low <= mp.ncdf(z - number(mu)) * (1 + mp.mpf(10) ** -30)
    assert mp.ncdf(z - number(mu)) <= high * (1 + mp.mpf(10) ** -30)


def test_quantile_undoes_the_cdf():
    with precision(128):
        for x in (-1, 0, 2, 9, 30):
            back = upper_quantile(normal_cdf(ball(-x)))
            assert abs(float((back - x).mid())) < 1e-20


@pytest.mark.parametrize(("mu", "delta"), [("1", "1e-6"), ("0.1", "1e-9"), ("20", "1e-12")])
def test_guess_is_near_the_root(mu, delta):
    assert guess_gaussian_epsilon(float(mu), float(delta)) == pytest.approx(
        float(gaussian_epsilon(mu, delta)), rel=1e-9
    )
    assert gaussian_delta(mu, guess_gaussian_epsilon(float(mu), float(delta))) == pytest.approx(float(delta), rel=1e-6)


@pytest.mark.parametrize(("mu", "delta"), [(0.0, 0.1), (1e200, 0.1), (1.0, 0.0), (1.0, 1.0)])
def test_no_guess_out_of_range(mu, delta):
    assert guess_gaussian_epsilon(mu, delta) is None
