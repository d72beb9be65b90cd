from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Polyline
from dalenius.mechanisms import CanonicalNoise, Staircase, Tulap, calibrate
from dalenius.mechanisms.outcomes import additive_outcomes
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits, Lattice
from tests.contracts.hockey_stick import both_directions, violates

ONE = Sensitivity(1, Metric.L1)
KINKED = Polyline([(0, "49/50"), ("1/10", "1/2"), ("1/2", "1/10"), ("49/50", 0), (1, 0)])
ALL = pytest.mark.parametrize(
    "mechanism",
    [Staircase(1, 1, 0.5), Tulap(1, 1, 1e-3), CanonicalNoise(KINKED, 1)],
    ids=lambda mechanism: mechanism.name,
)


@ALL
@pytest.mark.parametrize("size", [0, 2, 100])
def test_anything_but_one_number_is_refused(mechanism, size):
    with pytest.raises(InvalidParameter, match="one number"):
        mechanism.release(np.zeros(size, np.int64), Bits())
    with pytest.raises(InvalidParameter, match="dimension"):
        mechanism.accuracy(0.05, dimension=size)


@ALL
def test_a_move_beyond_the_width_costs_as_a_group_does(mechanism):
    once, twice = (mechanism.guarantee(Sensitivity(value, Metric.L1)) for value in (1, 2))
    assert mechanism.guarantee(Sensitivity("1/1000", Metric.L1)) == once
    assert mechanism.guarantee(Sensitivity("1001/1000", Metric.L1)) == twice == once.group(2)


@ALL
def test_an_error_target_is_met_by_the_least_epsilon_and_by_the_widest_of_a_kind(mechanism):
    for error in (2, 9):
        private = calibrate(type(mechanism), ONE, error=error, beta=0.05)
        assert private.accuracy(0.05) <= error
        epsilon = Fraction(private.guarantee(ONE).epsilon(0))
        more = calibrate(type(mechanism), ONE, epsilon=epsilon * (1 - Fraction(1, 1000)))
        assert more.accuracy(0.05) > error
        wide = calibrate(mechanism, ONE, error=error, beta=0.05)
        assert replace(wide, width=mechanism.width) == mechanism
        assert wide.accuracy(0.05) <= error < wide.scaled(1 + Fraction(1, 2**15)).accuracy(0.05)


def test_tulap_noise_is_at_least_uniform_so_a_small_error_is_refused():
    with pytest.raises(InvalidParameter, match="no noise is proved"):
        calibrate(Tulap, ONE, error="1/3", beta=0.05)
    assert calibrate(Staircase, ONE, error="1/3", beta=0.05).accuracy(0.05) <= Fraction(1, 3)


@ALL
def test_no_other_norm_and_notion(mechanism):
    with pytest.raises(TypeError, match="ℓ1"):
        mechanism.guarantee(Sensitivity(1, Metric.L2))
    with pytest.raises(UnprovenClaim):
        calibrate(type(mechanism), ONE, rho=1)
    with pytest.raises(InvalidParameter, match="no noise"):
        calibrate(type(mechanism), Sensitivity(0, Metric.L1), epsilon=1)


@ALL
def test_a_move_of_a_part_of_the_width_shows_no_more_than_the_whole(mechanism):
    coarse = replace(mechanism, lattice=Lattice(-5))
    for part in (3, 16, 29):
        sticks = both_directions(additive_outcomes(coarse, (0,), (part,)))
        assert not violates(sticks, mechanism.guarantee(ONE), [Fraction(k, 4) for k in range(6)])
