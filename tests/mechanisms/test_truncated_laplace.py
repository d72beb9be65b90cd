import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.mechanisms import TruncatedLaplace, calibrate
from dalenius.mechanisms.outcomes import additive_outcomes
from dalenius.mechanisms.truncated_laplace import TruncatedLaplaceLoss
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice

ONE = Sensitivity(1, Metric.L1)


def test_noise_stays_within_the_bound():
    mechanism = TruncatedLaplace(1, 2, Lattice(-6))
    assert np.abs(mechanism.noise.sample(Bits(), 500)).max() <= 2
    assert mechanism.noise.tail(2) == 0
    assert mechanism.accuracy(1e-30) <= 2


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-2), (3, 0.5)])
def test_calibrated_noise_attains_epsilon_and_delta(epsilon, delta):
    mechanism = calibrate(TruncatedLaplace, ONE, epsilon=epsilon, delta=delta)
    claim = mechanism.guarantee(ONE)
    assert mechanism.bound == pytest.approx(math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon, rel=1e-12)
    assert claim.delta(epsilon) == pytest.approx(delta, rel=1e-12)
    assert claim.delta(epsilon) <= delta * (1 + 1e-15)
    assert claim.delta(epsilon * 2) == pytest.approx(delta, rel=1e-12)


@pytest.mark.parametrize("apart", ["1/2", "3", "13/2", "10", "20"])
def test_the_profile_is_that_of_the_law_at_every_distance(apart):
    # a bound of 8 scales: the tops are out of reach from 8 on, everything from 16 on
    claim = TruncatedLaplaceLoss(Fraction(apart), Fraction(8))
    grid = (np.arange(-16 * 500, 36 * 500) + 0.5) / 500
    law = lambda y: np.where(np.abs(y) <= 8, np.exp(-np.abs(y)), 0)  # noqa: E731
    p, q = law(grid), law(grid - float(Fraction(apart)))
    for epsilon in (0.0, 0.3, 2.0, 7.0):
        expected = np.maximum(0, p - math.exp(epsilon) * q).sum() / p.sum()
        assert claim.delta(epsilon) == pytest.approx(expected, abs=3e-3)


def test_composition_covers_what_two_releases_show():
    mechanism = TruncatedLaplace(1, 4, Lattice(-4))
    masses = [(float(p.mid()), float(q.mid())) for p, q in additive_outcomes(mechanism, (0,), (16,))]
    p, q = (np.array(side) for side in zip(*masses, strict=True))
    claim = mechanism.guarantee(ONE).repeat(2)
    for epsilon in (0.0, 0.5, 1.2, 1.9):
        shown = np.maximum(0, np.outer(p, p) - math.exp(epsilon) * np.outer(q, q)).sum()
        assert shown <= claim.delta(epsilon) <= shown + 0.01
    assert claim.sum_form == (2, 2 * mechanism.guarantee(ONE).unreached)


def test_forms_for_the_filters():
    claim = TruncatedLaplace(1, 4).guarantee(ONE)
    approx = ApproxDP(1, claim.unreached)
    assert claim.sum_form == approx.sum_form
    assert claim.concentrated_form == approx.concentrated_form
    assert claim.gaussian_form is None
    assert claim.epsilon(0) == math.inf
    assert claim.epsilon(float(claim.unreached) * 1.001) <= 1.0001
    assert str(claim).startswith("(1, ")
    assert claim.to(Relation.CHANGE_ONE).budget == 2
    assert TruncatedLaplaceLoss(Fraction(9), Fraction(8)).loss().delta(9.5) <= 1
    assert claim.loss().group(3).delta(0.5) >= claim.delta(0.5)


@pytest.mark.parametrize("target", [PureDP(1), ApproxDP(1, 0)])
def test_it_is_never_pure(target):
    with pytest.raises(UnprovenClaim, match="δ > 0"):
        TruncatedLaplace.least(ONE, target)


def test_bad_parameters_are_refused():
    with pytest.raises(InvalidParameter, match="1/2"):
        calibrate(TruncatedLaplace, ONE, epsilon=1, delta=0.6)
    with pytest.raises(UnprovenClaim, match="error"):
        calibrate(TruncatedLaplace, ONE, error=1, beta=0.1)
    for scale, bound in ((0, 1), (1, 0), (1, -1), (math.nan, 1)):
        with pytest.raises(InvalidParameter):
            TruncatedLaplace(scale, bound)
    with pytest.raises(InvalidParameter, match="lattice"):
        TruncatedLaplace(1, 2, Lattice(-70))
