from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.inference.arguments import NoisyNumber
from dalenius.inference.cells import ReleasedCells
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.private_size import _below, _grids, share_ends, share_tails
from dalenius.mechanisms import DiscreteGaussian, Geometric, Laplace
from tests.inference.releases import generator, least_hits


def cells(values, mechanism):
    noise = ReleaseNoise.of(mechanism)
    one, *others = (NoisyNumber(float(value), noise) for value in values)
    return ReleasedCells(one, tuple(others))


def drawn(rng, n, p, scale, groups=2):
    """Noisy counts of a share and of the other groups."""
    rest = [(1 - p) / (groups - 1)] * (groups - 1)
    a = np.exp(-1 / scale)
    noise = rng.geometric(1 - a, groups) - rng.geometric(1 - a, groups)
    return rng.multinomial(n, [p, *rest]) + noise


@pytest.mark.parametrize("p", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("n", [0, 1, 30])
def test_the_tail_is_the_sum_over_the_count_and_both_noises(n, p):
    one, rest = _grids(cells((0, 0), Geometric(1)))
    a, k = np.exp(-1.0), np.arange(-40, 41)
    noise = (1 - a) / (1 + a) * a ** np.abs(k)
    masses = binom.pmf(np.arange(n + 1), n, p)
    for t in (-5.3, 0.0, 2.7):
        truth = sum(
            mass * noise[i] * noise[(1 - p) * k - p * k[i] <= t - x + p * n + 1e-9].sum()
            for x, mass in enumerate(masses)
            for i in range(k.size)
        )
        assert truth - 1e-12 <= _below(p, n, t, one, rest) <= truth + 1e-6


@pytest.mark.parametrize(("n", "p", "epsilon", "groups"), [(30, 0.3, 1, 2), (100, 0.02, 1, 2), (200, 0.2, 0.5, 4)])
def test_coverage_is_not_below_the_level(n, p, epsilon, groups):
    """False alarm 1e-9 at the level itself; ends made for three quarters of the noise would be 2 % lower and pass."""
    rng, draws = generator(), 60
    hits = 0
    for _ in range(draws):
        low, high = share_ends(cells(drawn(rng, n, p, 1 / epsilon, groups), Geometric(1 / epsilon)), 0.95)
        hits += low <= p <= high
    assert hits >= least_hits(draws, 0.95)


def enumerated(n, shares, scale, level=0.95):
    """P[the ends hold p] for each p, summed over all pairs of noisy counts but some with a chance of 1e-5 together."""
    a, x = float(np.exp(-1 / float(scale))), np.arange(n + 1)
    reach = int(np.ceil(float(scale) * np.log(1e7))) + 1
    y = np.arange(-reach, n + reach + 1)
    one, other = ((1 - a) / (1 + a) * a ** np.abs(y[:, None] - at[None, :]) for at in (x, n - x))
    chances = {p: (one * binom.pmf(x, n, p)) @ other.T for p in shares}
    held = dict.fromkeys(shares, 0.0)
    for i, j in np.argwhere(sum(chances.values()) > 1e-7):
        low, high = share_ends(cells((int(y[i]), int(y[j])), Geometric(scale)), level)
        for p in shares:
            held[p] += float(chances[p][i, j]) if low <= p <= high else 0.0
    return held


@pytest.mark.parametrize(
    ("n", "scale"),
    [
        (20, Fraction(1, 10)),
        (20, Fraction(1, 2)),
        pytest.param(20, Fraction(1), marks=pytest.mark.long),
        pytest.param(20, Fraction(4), marks=pytest.mark.long),
        pytest.param(100, Fraction(1), marks=pytest.mark.long),
    ],
)
def test_coverage_is_enumerated_and_never_below_the_level(n, scale):
    held = enumerated(n, (0.002, 0.02, 0.3, 0.5), scale)
    assert min(held.values()) >= 0.95


@pytest.mark.long
@pytest.mark.parametrize(("n", "p", "epsilon"), [(30, 0.3, 1), (100, 0.02, 1), (100, 0.5, 0.5), (1000, 0.3, 1)])
def test_coverage_is_not_below_the_level_over_many_draws(n, p, epsilon):
    rng, draws = generator(), 3000
    hits = 0
    for _ in range(draws):
        low, high = share_ends(cells(drawn(rng, n, p, 1 / epsilon), Geometric(1 / epsilon)), 0.95)
        hits += low <= p <= high
    assert hits / draws >= 0.945


def test_ends_without_the_noise_cover_too_little():
    rng, hits = generator(), 0
    for _ in range(200):
        low, high = share_ends(cells(drawn(rng, 100, 0.3, 10), Geometric(1)), 0.95)
        hits += low <= 0.3 <= high
    assert hits < least_hits(200, 0.95)


@pytest.mark.parametrize("mechanism", [Laplace(1), DiscreteGaussian(2)], ids=lambda m: m.name)
def test_other_noise_gives_nearly_the_same_ends(mechanism):
    found = share_ends(cells((300, 700), mechanism), 0.95)
    assert found == pytest.approx(share_ends(cells((300, 700), Geometric(1)), 0.95), abs=2e-3)


def test_a_share_of_nobody_is_anything():
    assert share_ends(cells((-3, -2), Geometric(1)), 0.95) == (0.0, 1.0)
    assert share_ends(cells((0, 1), Geometric(1)), 0.95)[1] == 1.0


def test_the_p_value_agrees_with_the_ends():
    given = cells((40, 80), Geometric(1))
    low, high = share_ends(given, 0.95)
    assert share_tails(given, low, "two-sided") == pytest.approx(0.05, abs=0.003)
    assert share_tails(given, high, "two-sided") == pytest.approx(0.05, abs=0.003)
    assert share_tails(given, 0.9, "less") < 0.01 < 0.9 < share_tails(given, 0.9, "greater")
