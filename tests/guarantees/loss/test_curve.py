from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.curve import delta_curve
from dalenius.guarantees.loss.profile import delta_bounds
from tests.guarantees.loss import loss_truth as truth


def test_a_curve_encloses_the_closed_form_of_composed_laplace_noise():
    composition = LossComposition.of([(pairs.laplace("0.4"), 30)])
    epsilons = np.array([0.0, 0.5, 1.0, 2.0, 4.0, 6.0, 12.5])
    low, high = delta_curve(composition, epsilons, 1e-6)
    with mp.workdps(60):
        for k, epsilon in enumerate(epsilons.tolist()):
            true = truth.laplace_delta(mp.mpf("0.4"), 30, mp.mpf(epsilon))
            assert low[k] <= true <= high[k]
            assert high[k] - low[k] <= 1e-5 * high[k] or true < 1e-12
    assert low[-1] == high[-1] == 0.0  # beyond the largest loss


@pytest.mark.parametrize("infinite", [False, True])
def test_a_curve_agrees_with_its_points(infinite):
    parts = [(pairs.gaussian(1).sampled(Fraction(1, 100)), 500)]
    if infinite:
        parts.append((pairs.response("0.1", "1e-4"), 2))
    composition = LossComposition.of(parts)
    epsilons = np.array([2.5, 0.0, 1.0, 0.3])  # in any order
    low, high = delta_curve(composition, epsilons, 1e-6)
    for k, epsilon in enumerate(epsilons.tolist()):
        below, above = delta_bounds(composition, epsilon, 1e-8)
        assert low[k] <= above
        assert high[k] >= below
        assert high[k] <= low[k] * (1 + 2e-6)


def test_gaussians_alone_need_no_line():
    low, high = delta_curve(LossComposition.of([(pairs.gaussian(1), 4)]), np.array([0.5, 5.0]), 1e-6)
    with mp.workdps(40):
        for k, epsilon in enumerate(("0.5", "5")):
            assert low[k] <= truth.gaussian_delta(mp.mpf(2), mp.mpf(epsilon)) <= high[k]
