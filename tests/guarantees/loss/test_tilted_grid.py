import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.saddle import saddle_for_epsilon
from dalenius.guarantees.loss.tilted_grid import common_spacing, grid_step, tilted_grid
from tests.guarantees.loss import loss_truth as truth

EPSILONS = [0.0, 0.5, 1.7]


@pytest.mark.parametrize("step", [0.4, 0.1, 0.02])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_coarse_or_fine_the_grid_encloses_the_gaussian(step, epsilon):
    composition = LossComposition.of([(pairs.gaussian("0.8"), 1)])
    low, high = tilted_grid(composition, saddle_for_epsilon(composition, 1.0), step, 1e-12).delta(epsilon)
    true = truth.gaussian_delta(mp.sqrt(mp.mpf("0.8")), mp.mpf(epsilon))
    assert low <= true <= high
    assert high - low <= 0.5 * step**2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_grid_encloses_composed_laplace_noise(epsilon):
    composition = LossComposition.of([(pairs.laplace("0.5"), 6)])
    low, high = tilted_grid(composition, saddle_for_epsilon(composition, 1.0), 0.05, 1e-12).delta(epsilon)
    with mp.workdps(40):
        assert low <= truth.laplace_delta(mp.mpf("0.5"), 6, mp.mpf(epsilon)) <= high


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_on_the_lattice_of_its_atoms_the_grid_is_exact(epsilon):
    composition = LossComposition.of([(pairs.response("0.3"), 20)])
    step, exact = grid_step(composition, math.inf)
    assert exact
    low, high = tilted_grid(composition, saddle_for_epsilon(composition, 1.0), step, 1e-14).delta(epsilon)
    with mp.workdps(40):
        true = truth.response_delta(mp.mpf("0.3"), 20, mp.mpf(epsilon))
    assert low <= true <= high <= low * (1 + 1e-9)


def test_the_step_divides_every_difference_of_losses():
    assert common_spacing([pairs.response("0.3"), pairs.response("0.45")]) == Fraction(3, 10)
    assert common_spacing([pairs.gaussian(1)]) is None
    assert common_spacing([pairs.from_masses(["0.5", "0.5"], ["0.1", "0.9"])]) is None
    mixed = LossComposition.of([(pairs.response("0.3"), 2), (pairs.gaussian(1), 1)])
    assert grid_step(mixed, 0.25) == (0.6 / 3, False)
