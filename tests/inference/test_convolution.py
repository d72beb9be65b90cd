from functools import cache

import mpmath as mp
import pytest

from dalenius.inference.convolution import NoisyBinomial, NoisyPoisson, first_where, last_where
from dalenius.inference.noise import ReleaseNoise
from dalenius.mechanisms import Geometric, Tulap


@cache
def tail(y, n, p, epsilon):
    """P[Binomial(n, p) + geometric noise ≤ y], summed over everything with 30 digits."""
    with mp.workdps(30):
        a = mp.exp(-mp.mpf(epsilon))
        total, mass = mp.mpf(0), (1 - mp.mpf(p)) ** n
        for x in range(n + 1):
            k = y - x
            total += mass * (1 - a ** (k + 1) / (1 + a) if k >= 0 else a ** (-k) / (1 + a))
            mass *= mp.mpf(n - x) / (x + 1) * mp.mpf(p) / (1 - mp.mpf(p))
        return float(total)


@pytest.mark.parametrize(
    ("y", "n", "p", "epsilon", "printed"),
    [(33, 100, "0.3", "1", 0.7702882191322225), (120, 100, "0.9", "0.1", 0.975290793474309)],
)
def test_the_lower_tail_is_the_printed_one(y, n, p, epsilon, printed):
    law = NoisyBinomial(y, n, ReleaseNoise.of(Geometric(1 / _fraction(epsilon))))
    assert law.lower_tail(float(p)) == pytest.approx(printed, abs=1e-13)
    assert tail(y, n, p, epsilon) == pytest.approx(printed, abs=1e-14)


@pytest.mark.parametrize("n", [1, 20, 120])
@pytest.mark.parametrize("epsilon", ["10", "1", "0.1"])
def test_both_tails_are_those_of_the_whole_sum(n, epsilon):
    for y in (-3, 0, n // 3, n, n + 4):
        law = NoisyBinomial(y, n, ReleaseNoise.of(Geometric(1 / _fraction(epsilon))))
        for p in ("0.001", "0.3", "0.97"):
            assert law.lower_tail(float(p)) == pytest.approx(tail(y, n, p, epsilon), rel=1e-10, abs=1e-15)
            assert law.upper_tail(float(p)) == pytest.approx(1 - tail(y - 1, n, p, epsilon), rel=1e-9, abs=1e-13)


def test_a_million_people_are_no_less_exact():
    from scipy.stats import binom

    law = NoisyBinomial(300_100, 10**6, ReleaseNoise.of(Geometric(1)))
    x = range(300_040, 300_160)
    for p in (0.2995, 0.3003):
        near = mp.fsum(
            mp.mpf(float(binom.pmf(v, 10**6, p)))
            * (
                1 - mp.exp(-(300_101 - v)) / (1 + mp.exp(-1))
                if v <= 300_100
                else mp.exp(300_100 - v) / (1 + mp.exp(-1))
            )
            for v in x
        )
        truth = float(near + binom.cdf(300_039, 10**6, p))
        assert law.lower_tail(p) == pytest.approx(truth, rel=1e-9)


def test_the_ends_of_the_parameter_are_certain():
    law = NoisyBinomial(3, 10, ReleaseNoise.of(Geometric(1)))
    with mp.workdps(20):
        a = mp.exp(-1)
        assert law.lower_tail(0.0) == pytest.approx(float(1 - a**4 / (1 + a)), abs=1e-15)
        assert law.upper_tail(1.0) == pytest.approx(float(1 - a**8 / (1 + a)), abs=1e-15)


def test_a_continuous_noise_leaves_no_mass_at_the_number():
    law = NoisyBinomial(18.3, 30, ReleaseNoise.of(Tulap(1, 1), rounded=False))
    assert law.lower_tail(0.5) + law.upper_tail(0.5) == pytest.approx(1, abs=1e-13)


def test_poisson_tails_are_those_of_the_whole_sum():
    with mp.workdps(30):
        a, rate = mp.exp(-mp.mpf("0.5")), mp.mpf(40)
        mass = lambda x: mp.exp(-rate) * rate**x / mp.factorial(x)  # noqa: E731
        below = lambda k: 1 - a ** (k + 1) / (1 + a) if k >= 0 else a ** (-k) / (1 + a)  # noqa: E731
        truth = mp.fsum(mass(x) * below(52 - x) for x in range(300))
    law = NoisyPoisson(52, ReleaseNoise.of(Geometric(2)))
    assert law.lower_tail(40.0) == pytest.approx(float(truth), abs=1e-13)
    assert NoisyPoisson(0, ReleaseNoise.of(Geometric(1))).lower_tail(0.0) == pytest.approx(
        0.7310585786300049, abs=1e-14
    )


def test_roots_lie_outside_and_where_there_is_none_the_end_is_given():
    assert last_where(lambda p: 1 - p, 0.3, 0.0, 1.0) == pytest.approx(0.7, abs=1e-12)
    assert last_where(lambda p: 1 - p, 0.3, 0.0, 1.0) >= 0.7
    assert first_where(lambda p: p, 0.3, 0.0, 1.0) <= 0.3
    assert last_where(lambda p: 0.0, 0.3, 0.0, 1.0) == 0.0
    assert first_where(lambda p: 0.0, 0.3, 0.0, 1.0) == 1.0


def _fraction(text):
    from fractions import Fraction

    return Fraction(text)
