import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.normal_range import (
    best_doubling,
    beyond_any,
    doubling,
    misplaced,
    normal_laplace_tail,
    radius,
    too_narrow,
)
from dalenius.mechanisms import Geometric


@pytest.mark.parametrize(("deviation", "scale"), [(0.7, 0.3), (0.02, 1.0), (3.0, 0.05)])
def test_the_tail_of_a_normal_and_a_laplace_number_is_their_convolution(deviation, scale):
    """P[|σN + bL| > r] = ∫ P[|σN + x| > r] dP(bL = x), by quadrature."""
    density = stats.laplace(scale=scale).pdf
    for r in (0.1, 0.5, 2.0):

        def beyond(x, r=r):
            return density(x) * (special.ndtr((-r - x) / deviation) + special.ndtr((x - r) / deviation))

        summed = sum(integrate.quad(beyond, *ends, limit=500)[0] for ends in ((-60, -r), (-r, 0), (0, r), (r, 60)))
        assert normal_laplace_tail(r, deviation, scale) == pytest.approx(summed, abs=1e-8)
    assert normal_laplace_tail(radius(deviation, scale, 0.03), deviation, scale) == pytest.approx(0.03, rel=1e-9)


def test_a_radius_is_that_of_the_larger_part_where_the_other_vanishes():
    assert radius(1.0, 1e-7, 0.05) == pytest.approx(1.959964, rel=1e-5)
    assert radius(1e-7, 1.0, 0.05) == pytest.approx(math.log(20), rel=1e-5)


def test_doubling_bins_have_one_as_likely_as_is_said_wherever_they_lie():
    """Over all places of the edges the likeliest bin is never less likely, and at the worst place just so."""
    likeliest = [max(doubling(offset * 2.0**j) for j in range(-8, 8)) for offset in np.geomspace(1, 2, 40_001)[::10]]
    assert min(likeliest) == pytest.approx(best_doubling(), abs=1e-4)
    assert min(likeliest) >= best_doubling()


@pytest.mark.parametrize(("n", "scale", "reach"), [(60, 4, 1.5), (150, 8, 2.0)])
def test_the_largest_noisy_bin_misleads_no_more_often_than_is_said(n, scale, reach):
    """Simulated at the worst place of μ, an edge between two bins."""
    rng, draws, bins = np.random.default_rng(), 4000, 40
    told = misplaced(n, bins, ReleaseNoise.of(Geometric(scale)), reach)
    mean = 20.0  # an edge: bins are [k, k + 1)
    x = np.floor(rng.normal(mean, 1, (draws, n))).astype(int)
    counts = np.zeros((draws, bins))
    np.add.at(counts, (np.repeat(np.arange(draws), n), np.clip(x, 0, bins - 1).ravel()), 1)
    a = math.exp(-1 / scale)
    counts += rng.geometric(1 - a, counts.shape) - rng.geometric(1 - a, counts.shape)
    wrong = np.mean(np.abs(counts.argmax(axis=1) + 0.5 - mean) > reach)
    assert wrong <= told + 6 * math.sqrt(told / draws)
    assert told < 1


def test_a_deviation_is_found_too_small_no_more_often_than_is_said():
    rng, draws, pairs, scale, factor = np.random.default_rng(), 4000, 200, 10, 2.0
    told = too_narrow(pairs, 12, ReleaseNoise.of(Geometric(scale)), factor)
    a, edges = math.exp(-1 / scale), 2.0 ** np.arange(-6, 7)
    for deviation in (1.0, 1.3, 1.7):
        d = np.abs(rng.normal(0, deviation * math.sqrt(2), (draws, pairs)))
        counts = np.stack([((d > low) & (d <= 2 * low)).sum(axis=1) for low in edges[:-1]], axis=1).astype(float)
        counts += rng.geometric(1 - a, counts.shape) - rng.geometric(1 - a, counts.shape)
        wrong = np.mean(factor * edges[counts.argmax(axis=1) + 1] < deviation)
        assert wrong <= told + 6 * math.sqrt(told / draws)
    assert told < 0.5


def test_the_farthest_of_many_is_as_far_as_is_said():
    assert 1 - (1 - 2 * special.ndtr(-beyond_any(1000, 0.01))) ** 1000 == pytest.approx(0.01, rel=0.01)
