import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import ZCDP
from dalenius.mechanisms import DiscreteGaussian, Gaussian, calibrate
from dalenius.mechanisms.shifted import DiscreteGaussianLoss
from dalenius.neighbors import Metric, Relation, Sensitivity


def test_vectors_are_concentrated_and_numbers_have_their_own_loss():
    mechanism = DiscreteGaussian(Fraction(2))
    assert mechanism.guarantee(Sensitivity.root(3, Metric.L2)) == ZCDP(Fraction(3, 8))
    assert mechanism.guarantee(Sensitivity(3, Metric.L1)) == DiscreteGaussianLoss(Fraction(2), 3)
    assert mechanism.guarantee(Sensitivity("7/2", Metric.L1)) == DiscreteGaussianLoss(Fraction(2), 3)
    assert mechanism.guarantee(Sensitivity(1, Metric.L2), Relation.CHANGE_ONE).relation is Relation.CHANGE_ONE
    assert DiscreteGaussian(Fraction(10**6)).guarantee(Sensitivity(1, Metric.L1)) == ZCDP(Fraction(1, 2 * 10**12))
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.LINF))


def test_its_own_loss_is_tighter_than_zcdp_and_not_the_gaussians():
    mechanism, one = DiscreteGaussian(Fraction(1, 2)), Sensitivity(1, Metric.L1)
    exact, rho = mechanism.guarantee(one), mechanism.guarantee(one.to(Metric.L2))
    gaussian = Gaussian(Fraction(1, 2)).guarantee(one.to(Metric.L2))
    assert exact.epsilon(1e-6) < rho.epsilon(1e-6)
    assert exact.concentrated_form == rho.concentrated_form
    assert any(exact.delta(e) > gaussian.delta(e) for e in (0.5, 1.0, 2.0, 3.0, 5.0))


def test_calibrated_to_rho_exactly_and_to_delta_by_what_is_proved():
    one = Sensitivity(1, Metric.L1)
    assert calibrate(DiscreteGaussian, one.to(Metric.L2), rho="1/8").scale == 2
    tight = calibrate(DiscreteGaussian, one, epsilon=1, delta=1e-5)
    loose = calibrate(DiscreteGaussian, one.to(Metric.L2), epsilon=1, delta=1e-5)
    assert tight.scale < loose.scale
    assert tight.guarantee(one).delta(1) <= 1e-5 < tight.scaled(Fraction(9999, 10000)).guarantee(one).delta(1)
    with pytest.raises(UnprovenClaim):
        calibrate(DiscreteGaussian, one, mu=1)
    with pytest.raises(UnprovenClaim):
        calibrate(DiscreteGaussian, one, epsilon=1)
    with pytest.raises(InvalidParameter, match="target"):
        DiscreteGaussian.least(one, ZCDP(0))


@pytest.mark.parametrize("scale", [0, -1, math.nan, Fraction(2**60), "x"])
def test_a_scale_that_cannot_be_drawn_is_refused_at_once(scale):
    with pytest.raises(InvalidParameter):
        DiscreteGaussian(scale)
