"""One step in closed form, against integrals of fifty digits that share no code with it."""

from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.single import single_delta, tail_masses
from dalenius.numerics import lower, precision, upper
from tests.guarantees.loss import loss_truth as truth


def sampled(rate, sigma):
    return pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate))


@pytest.mark.parametrize("mixture_first", [True, False])
@pytest.mark.parametrize(
    ("rate", "sigma", "epsilon"),
    [("0.0001", "1.5", 0.5), ("0.5", "4", 5.0), ("0.00002", "0.4", 0.00001), ("0.9", "30", 0.01), ("0.1", "1", 3.0)],
)
def test_one_sampled_step_is_the_integral(rate, sigma, epsilon, mixture_first):
    with mp.workdps(60):
        expected = truth.one_sampled_step(truth.number(rate), 1 / truth.number(sigma), mp.mpf(epsilon), mixture_first)
    pair = sampled(rate, sigma)
    low, high = single_delta(pair if mixture_first else pair.swapped(), epsilon)
    assert low <= expected * (1 + mp.mpf("1e-30"))
    assert expected * (1 - mp.mpf("1e-30")) <= high
    assert high - low <= 1e-8 * high


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.29, 0.3, 0.5])
def test_one_laplace_step_is_the_known_form(epsilon):
    """δ(ε) = 1 − e^((ε − ε₀)/2) below ε₀ and 0 above."""
    low, high = single_delta(pairs.laplace("0.3"), epsilon)
    expected = max(mp.mpf(0), 1 - mp.exp((mp.mpf(epsilon) - mp.mpf("0.3")) / 2))
    assert low <= expected + mp.mpf("1e-16")
    assert expected - mp.mpf("1e-16") <= high
    assert high - low <= 1e-13


def test_half_the_rate_is_outside_the_bounds():
    with mp.workdps(40):
        other = truth.one_sampled_step(mp.mpf("0.05"), mp.mpf(1), mp.mpf(1), first=True)
    low, _ = single_delta(sampled("0.1", "1"), 1.0)
    assert other < low


@pytest.mark.parametrize("start", [-2.0, 1.0, 6.0])
def test_masses_of_the_tail_are_those_of_the_two_laws(start):
    piece = sampled("0.01", "0.8").pieces[0]
    with precision(192):
        first, second = tail_masses(piece, start)
        ends = [(lower(each), upper(each)) for each in (first, second)]
    with mp.workdps(40):
        mu, q = 1 / mp.mpf("0.8"), mp.mpf("0.01")
        plain, shifted = mp.ncdf(-mp.mpf(start)), mp.ncdf(mu - mp.mpf(start))
        for (low, high), expected in zip(ends, ((1 - q) * plain + q * shifted, plain), strict=True):
            assert low <= expected <= high
            assert high - low <= 1e-12 * high
