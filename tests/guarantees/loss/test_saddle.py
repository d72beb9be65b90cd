import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.saddle import moments, saddle_at, saddle_for_delta, saddle_for_epsilon
from tests.guarantees.loss import loss_truth as truth

SAMPLED = pairs.gaussian(1).sampled(Fraction(1, 100))


def test_a_gaussian_has_a_parabola_for_its_logarithm_of_moments():
    here = saddle_at(LossComposition.of([(pairs.gaussian(4), 3)]), 2.0)
    assert (here.log_moment, here.mean, here.variance) == (36.0, 30.0, 12.0)  # μ²s(s+1)/2, μ²(s + ½), μ²
    assert here.epsilon == 30 - 1 / 2 - 1 / 3


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("s", [0.5, 5.0, 20.0])
def test_moments_are_the_derivatives_of_k(s, first):
    log_moment, mean, variance = moments(SAMPLED if first else SAMPLED.swapped(), s)
    with mp.workdps(30):
        k = lambda z: mp.log(truth.sampled_gaussian_moment(mp.mpf("0.01"), mp.mpf(1), z, first))  # noqa: E731
        h = mp.mpf("1e-4")
        left, here, right = k(mp.mpf(s) - h), k(mp.mpf(s)), k(mp.mpf(s) + h)
    assert log_moment == pytest.approx(float(here), rel=1e-9)
    assert mean == pytest.approx(float((right - left) / (2 * h)), rel=1e-6)
    assert variance == pytest.approx(float((right - 2 * here + left) / h**2), rel=1e-5)


@pytest.mark.parametrize(
    "parts", [[(SAMPLED, 1000)], [(SAMPLED, 50), (pairs.gaussian("0.3"), 2)], [(pairs.laplace(1), 40)]]
)
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 12.0])
def test_the_integrand_is_flat_at_the_saddle_for_an_epsilon(parts, epsilon):
    composition = LossComposition.of(parts)
    here = saddle_for_epsilon(composition, epsilon)
    assert abs(here.mean - 1 / here.s - 1 / (here.s + 1) - epsilon) <= 0.3 * here.spread
    assert here == saddle_at(composition, here.s)


@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-60])
def test_the_saddle_for_a_delta_is_near_it(delta):
    composition = LossComposition.of([(pairs.gaussian(1), 1)])
    here = saddle_for_delta(composition, delta)
    exact = truth.gaussian_delta(mp.mpf(1), mp.mpf(here.epsilon))
    assert abs(math.log(delta) - float(mp.log(exact))) < 0.6
