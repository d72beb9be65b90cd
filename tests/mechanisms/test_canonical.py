import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, Polyline, PureDP, TradeOff
from dalenius.mechanisms import CanonicalNoise, calibrate
from dalenius.mechanisms.canonical import fixed_point
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.numerics import precision

ONE = Sensitivity(1, Metric.L1)
KINKED = Polyline([(0, "49/50"), ("1/10", "1/2"), ("1/2", "1/10"), ("49/50", 0), (1, 0)])


@pytest.mark.theorem("A Def 13.2")
def test_the_threshold_tests_of_a_move_by_one_attain_f():
    law = CanonicalNoise(KINKED, 1).noise
    for x in (Fraction(-17, 10), Fraction(-3, 5), Fraction(-1, 5), Fraction(0)):
        # level 1 − F(x), miss F(x − 1)
        (here, same), (below, alike) = law._below(x), law._below(x - 1)
        assert (here, below) == (same, alike)
        assert below == KINKED(1 - here)


def test_the_fixed_point_lies_on_the_diagonal():
    assert fixed_point(KINKED) == Fraction(3, 10)
    assert fixed_point(Polyline([(0, 1), ("1/4", "1/4"), (1, 0)])) == Fraction(1, 4)


def test_calibrated_to_epsilon_delta_and_to_a_trade_off_function():
    mechanism = calibrate(CanonicalNoise, ONE, epsilon=1, delta=0.01)
    claim = mechanism.guarantee(ONE)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert ApproxDP(1, 0.01).delta(epsilon) == pytest.approx(claim.delta(epsilon), abs=1e-14)
    assert calibrate(CanonicalNoise, ONE, epsilon=1).guarantee(ONE).delta(1) <= 1e-15
    assert CanonicalNoise.least(ONE, TradeOff(KINKED)).f == KINKED
    with pytest.raises(UnprovenClaim, match="trade-off"):
        calibrate(CanonicalNoise, ONE, mu=1)
    assert CanonicalNoise(KINKED, 1).guarantee(Sensitivity(0, Metric.L1)) == PureDP(0)


def test_the_variance_covers_the_law_and_is_near_it():
    law = CanonicalNoise(KINKED, 1, Lattice(-6)).noise
    exact = sum(2 * math.exp(law.log_mass(Fraction(k, 64))) * (k / 64) ** 2 for k in range(1, 64 * 6))
    assert exact <= law.variance <= exact * 1.15


@pytest.mark.parametrize(
    "f",
    [Polyline([(0, 1), (1, 0)]), Polyline([(0, 1), ("1/10", "1/2"), (1, 0)]), [(0, 1), (1, 0)]],
    ids=["trivial", "lopsided", "no polyline"],
)
def test_a_function_that_is_trivial_or_lopsided_is_refused(f):
    with pytest.raises(InvalidParameter):
        CanonicalNoise(f, 1)


def test_noise_hundreds_of_widths_out_is_drawn_and_its_tail_enclosed():
    # exactly, the tail of this f would have more digits than a number may have, and a release could fail
    mechanism = CanonicalNoise.least(ONE, PureDP("1/100"))
    with precision(128):
        for widths in (150, 1000):  # the tail of pure noise falls by e^−ε a width
            tail = mechanism.noise.beyond(Fraction(widths))
            assert float(tail.mid()) == pytest.approx(math.exp(-widths / 100), rel=1e-12)
            assert float(tail.rad()) < 1e-30
    for _ in range(4):
        mechanism.release(np.array([0]), Bits())
