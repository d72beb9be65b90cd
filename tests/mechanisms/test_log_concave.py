import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP, Polyline, PureDP, TradeOff
from dalenius.mechanisms import CanonicalNoise, Gaussian, Laplace, Tulap, log_concave_noise
from dalenius.mechanisms.log_concave import is_total_variation
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Lattice

ONE, TWO = Sensitivity(1, Metric.L1), Sensitivity(1, Metric.L2)
KINKED = Polyline([(0, "49/50"), ("1/10", "1/2"), ("1/2", "1/10"), ("49/50", 0), (1, 0)])


def bends(law, reach):
    """How much log mass(k − 1) + log mass(k + 1) − 2 log mass(k) exceeds 0 at most: not at all for a concave log."""
    logs = np.array([law.log_mass(Fraction(k, 16)) for k in range(-reach, reach + 1)])
    logs = logs[np.isfinite(logs)]
    return float(np.max(np.diff(logs, 2), initial=-math.inf))


def test_zero_delta_has_the_uniform_law():
    """P[|Z| > z] = 1 − 2δz up to 1/2δ, worked by hand from F(t) = 1 − fₜ(½) = ½ + δt."""
    delta = Fraction(1, 8)
    found = log_concave_noise(ApproxDP(0, delta), ONE)
    assert isinstance(found, CanonicalNoise)
    for z in (0, 0.5, 1, 2.25, 3.9):
        assert found.noise.tail(z) == pytest.approx(1 - 2 * float(delta) * z, abs=1e-4)
    assert found.noise.tail(4.01) == 0
    assert found.guarantee(ONE).delta(0) == pytest.approx(float(delta), abs=1e-12)
    assert found == log_concave_noise(TradeOff(Polyline([(0, "7/8"), ("7/8", 0), (1, 0)])), ONE)
    # the inner cells are alike; the last one, which the law reaches in part, has less
    assert bends(CanonicalNoise(found.f, 1, Lattice(-4)).noise, 60) <= 1e-9


@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_groups_of_gdp_determine_the_normal_law(mu):
    """F(t) = 1 − fₜ(½) with fₜ that of tμ-GDP, Φ(Φ⁻¹(1 − α) − tμ): the normal law of deviation 1/μ."""
    assert log_concave_noise(GDP(mu), TWO) == Gaussian(Fraction(1) / Fraction(mu))
    for t in (0.3, 1.0, 2.5):
        assert 1 - ndtr(ndtri(0.5) - t * mu) == pytest.approx(ndtr(t * mu))


def test_laplace_noise_is_that_of_its_own_guarantee():
    target = Laplace(2).guarantee(ONE)
    assert log_concave_noise(target, Sensitivity(3, Metric.L1)) == Laplace(6)


@pytest.mark.parametrize("target", [PureDP(1), ApproxDP(1, "1e-3"), TradeOff(KINKED)])
def test_others_have_none_and_their_canonical_noise_bends_upward(target):
    with pytest.raises(UnprovenClaim, match="log-concave"):
        log_concave_noise(target, ONE)
    assert bends(Tulap(1, 1, 0, Lattice(-4)).noise, 60) > 0.5
    assert bends(CanonicalNoise(KINKED, 1, Lattice(-4)).noise, 24) > 0.1


def test_only_one_slope_is_a_total_variation():
    assert is_total_variation(Polyline([(0, "1/2"), ("1/2", 0), (1, 0)]))
    assert not is_total_variation(KINKED)
    assert not is_total_variation(Polyline([(0, 1), ("1/4", "1/4"), (1, 0)]))
