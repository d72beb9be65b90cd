import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP, ConcentratedOdometer, PureDP, RenyiDP, SumOdometer
from dalenius.neighbors import Relation


def test_sums_run():
    state = SumOdometer().charge(PureDP(0.1)).charge(ApproxDP(0.2, 1e-9))
    assert state.epsilon == pytest.approx(0.3)
    assert state.spent_delta == Fraction(1, 10**9)


def test_concentrated_figure_covers_the_loss_of_gaussians_at_every_time():
    """After k Gaussians the loss is N(kμ²/2, kμ²): the chance to exceed the figure at any one time is below delta."""
    delta, mu = 1e-6, 0.1
    state = ConcentratedOdometer.of("0.01", delta)
    previous = 0.0
    for k in range(1, 200):
        state = state.charge(GDP("0.1"))
        assert state.epsilon >= previous
        previous = state.epsilon
        tail = math.erfc((state.epsilon - k * mu**2 / 2) / math.sqrt(2 * k) / mu) / 2
        assert 2 * tail <= delta
    assert state.epsilon < 3 * GDP("0.1").repeat(199).epsilon(delta)


def test_levels_share_delta_exactly():
    shares = [Fraction(1, (j + 1) * (j + 2)) for j in range(1000)]
    assert sum(shares) == 1 - Fraction(1, 1001)


def test_what_has_no_form_is_refused():
    state = ConcentratedOdometer.of(1, 1e-6)
    for refused in (ApproxDP(1, 1e-9), RenyiDP({2: 1})):
        with pytest.raises(UnprovenClaim):
            state.charge(refused)
    with pytest.raises(UnprovenClaim):
        SumOdometer().charge(GDP(1))
    with pytest.raises(MixedRelations):
        state.charge(PureDP(1, Relation.CHANGE_ONE))
    for start, delta in ((0, 1e-6), (1, 0)):
        with pytest.raises(InvalidParameter):
            ConcentratedOdometer.of(start, delta)
