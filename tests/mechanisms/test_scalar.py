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
def test_no_error_target_and_no_other_norm(mechanism):
    with pytest.raises(UnprovenClaim, match="error"):
        calibrate(type(mechanism), ONE, error=1, beta=0.05)
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
