import math

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.mechanisms import CanonicalNoise, Tulap, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Lattice

ONE = Sensitivity(1, Metric.L1)


@pytest.mark.theorem("A Rem 13.3")
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0), (0.5, 1e-3), (2, 0.2)])
def test_it_is_the_canonical_noise_of_f_epsilon_delta(epsilon, delta):
    tulap = calibrate(Tulap, ONE, epsilon=epsilon, delta=delta)
    assert tulap.guarantee(ONE) == ApproxDP(epsilon, delta)
    canonical = CanonicalNoise(ApproxDP(epsilon, delta).tradeoff().floor, 1)
    for z in (0, 0.2, 0.5, 0.9, 1.5, 2.3, 4.7):
        assert tulap.noise.tail(z) == pytest.approx(canonical.noise.tail(z), abs=1e-12)


def test_rounded_to_whole_widths_it_is_geometric_noise():
    law = Tulap(1, 1, 0, Lattice(0)).noise
    for k in range(6):
        assert law.log_mass(k) == pytest.approx(math.log(math.tanh(0.5)) - k)


def test_truncated_noise_ends_and_its_variance_is_bounded():
    law = Tulap(1, 1, 0.1, Lattice(-6)).noise
    assert law.tail(5) == 0
    masses = {k / 64: math.exp(law.log_mass(k / 64)) for k in range(-320, 321)}
    assert sum(masses.values()) == pytest.approx(1)
    assert sum(m * z**2 for z, m in masses.items()) <= law.variance
    assert Tulap(1, 1, 0, Lattice(-6)).noise.variance == pytest.approx(
        2 * math.exp(-1) / (1 - math.exp(-1)) ** 2 + 1 / 12, rel=0.02
    )


@pytest.mark.parametrize(
    ("width", "epsilon", "delta"), [(0, 1, 0), (1, 0, 0.1), (1, 1, 1), (1, 1, -0.1), (1, "1e-30", 0)]
)
def test_bad_parameters_are_refused(width, epsilon, delta):
    with pytest.raises(InvalidParameter):
        Tulap(width, epsilon, delta)


def test_pure_is_the_case_without_truncation():
    assert Tulap.least(ONE, PureDP(2)) == Tulap(1, 2)
