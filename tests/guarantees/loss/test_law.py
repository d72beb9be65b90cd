import math

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PoissonSampling, PureDP
from dalenius.guarantees.loss import LossDistribution, from_masses, gaussian, laplace, response


def test_characteristic_functions_are_the_known_ones_and_multiply():
    t = np.array([-3.0, -0.5, 0.0, 0.7, 2.0])
    law = LossDistribution.of(gaussian("0.25")).repeat(4).laws[0]  # μ² = 1: the loss is N(½, 1)
    assert np.allclose(law.characteristic(t), np.exp(0.5j * t - t**2 / 2), atol=1e-9)
    e = math.e
    two = LossDistribution.of(response(1)).repeat(2).laws[0]
    one = (e * np.exp(1j * t) + np.exp(-1j * t)) / (1 + e)
    assert np.allclose(two.characteristic(t), one**2, atol=1e-12)
    # Laplace: atoms ½ and ½e^−ε, density ¼e^((l−ε)/2) between
    between = 0.25 * math.exp(-0.5) * (np.exp(0.5 + 1j * t) - np.exp(-0.5 - 1j * t)) / (0.5 + 1j * t)
    whole = 0.5 * np.exp(1j * t) + 0.5 / e * np.exp(-1j * t) + between
    assert np.allclose(LossDistribution.of(laplace(1)).laws[0].characteristic(t), whole, atol=1e-8)
    assert not np.allclose(np.conj(whole), whole, atol=0.1)  # the sign of t matters


def test_moments_are_those_of_the_notions():
    law = GDP(2).loss().laws[0]
    assert (law.mean, law.variance) == (pytest.approx(2), pytest.approx(4))
    pure = PureDP(1).loss().repeat(3).laws[0]
    share = math.tanh(0.5)
    assert pure.mean == pytest.approx(3 * share)
    assert pure.variance == pytest.approx(3 * (1 - share**2))
    assert pure.infinite == 0.0


def test_masses_on_a_grid_keep_mass_mean_and_the_profile():
    sampled = GDP(1).amplify(PoissonSampling(0.1)).repeat(50)
    middles, masses = sampled.laws[0].masses(2000)
    assert masses.sum() == pytest.approx(1, abs=1e-6)
    assert (middles * masses).sum() == pytest.approx(sampled.laws[0].mean, abs=1e-6)
    seen = (masses * np.maximum(0.0, 1 - np.exp(1.0 - middles))).sum()
    assert seen == pytest.approx(sampled.delta(1.0), rel=0.02)
    for bad in (1, True, 2.5, 10**9):
        with pytest.raises(InvalidParameter):
            sampled.laws[0].masses(bad)


def test_two_losses_convolved_by_hand_are_the_composition():
    first, second = {1: 0.75, -1: 0.25}, {1: 0.25, -1: 0.75}
    pair = from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    added = {}
    for a, p in first.items():
        for b, r in first.items():
            loss = math.log(first[a] / second[a]) + math.log(first[b] / second[b])
            added[round(loss, 12)] = added.get(round(loss, 12), 0.0) + p * r
    by_hand = sum(mass * max(0.0, 1 - math.exp(0.5 - loss)) for loss, mass in added.items())
    low, high = LossDistribution.of(pair).repeat(2).delta_interval(0.5)
    assert low <= by_hand * (1 + 1e-12)
    assert by_hand <= high * (1 + 1e-12)
    assert LossDistribution.of(pair).loss() == LossDistribution.of(pair)
