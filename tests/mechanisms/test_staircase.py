import math

import mpmath
import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.mechanisms import Staircase, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Lattice

ONE = Sensitivity(1, Metric.L1)


@pytest.mark.parametrize("epsilon", [0.2, 1, 4])
def test_the_calibrated_share_has_the_least_expected_error_and_beats_laplace(epsilon):
    def expected(mechanism):
        """E|Z| = ∫ P[|Z| > z] dz, as the paper has it: (Δ e^(ε/2)/(e^ε − 1)) at the best share."""
        law = mechanism.noise
        cells = 40
        return sum(law.tail((k + 0.5) / cells) for k in range(int(20 / epsilon) * cells)) / cells

    best = calibrate(Staircase, ONE, epsilon=epsilon)
    assert best.guarantee(ONE) == PureDP(epsilon)
    assert expected(best) == pytest.approx(math.exp(epsilon / 2) / math.expm1(epsilon), abs=3e-3)
    if epsilon == 4:
        assert expected(best) < 0.6 * 0.25  # Lap(1/4) has E|Z| = 1/4
        for share in ("1/100", "1/2"):
            assert expected(Staircase(1, epsilon, share)) > expected(best)


def test_the_variance_is_that_of_the_density():
    mechanism = Staircase(2, 1, "3/10", Lattice(-10))
    b, width, share = mpmath.exp(-1), 2, mpmath.mpf(3) / 10
    pieces = [((k, k + share, b**k), (k + share, k + 1, b ** (k + 1))) for k in range(200)]
    flat = [piece for both in pieces for piece in both]
    total = mpmath.fsum((right - left) * height for left, right, height in flat)
    second = mpmath.fsum((right**3 - left**3) / 3 * height for left, right, height in flat) * width**2 / total
    assert float(second) <= mechanism.noise.variance <= float(second) * 1.01


@pytest.mark.parametrize(
    ("width", "loss", "share"), [(0, 1, 0.5), (1, 0, 0.5), (1, 1, 1.5), (1, 1, -0.1), (1, "1e-30", 0.5)]
)
def test_bad_parameters_are_refused(width, loss, share):
    with pytest.raises(InvalidParameter):
        Staircase(width, loss, share)


def test_only_pure_targets():
    with pytest.raises(TypeError, match="PureDP"):
        Staircase.least(ONE, ApproxDP(1, 0.1))
