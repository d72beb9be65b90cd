import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.mechanisms.knorm import KNorm
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, chi_square

NORMS = {
    Metric.L1: lambda v: np.abs(v).sum(axis=-1),
    Metric.L2: lambda v: np.sqrt((v**2).sum(axis=-1)),
    Metric.LINF: lambda v: np.abs(v).max(axis=-1),
}
EACH = pytest.mark.parametrize("metric", NORMS, ids=lambda metric: metric.name)


def drawn(mechanism, dimension, draws):
    zeros = np.zeros(dimension, np.int64)
    steps = np.array([mechanism.release(zeros, Bits()) for _ in range(draws)])
    return steps * float(mechanism.lattice.step)


def grouped(sample, cdf, groups=10):
    """Counts in groups of equal probability under a continuous law."""
    return np.bincount(np.minimum((cdf(sample) * groups).astype(int), groups - 1), minlength=groups).astype(float)


EVEN = np.full(10, 1 / 10)


@EACH
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_norm_has_the_gamma_law_and_other_scales_are_rejected(metric, dimension):
    # 8000 draws in one dimension reject a quarter with more than 6 deviations to spare, fewer in more dimensions
    sizes = NORMS[metric](drawn(KNorm(metric, Fraction(3)), dimension, {1: 8_000, 2: 5_000, 5: 2_000}[dimension]))
    for scale, fits in ((3, True), (2.25, False), (3.75, False)):
        counts = grouped(sizes, lambda r, s=scale: stats.gamma.cdf(r / s, dimension))
        assert (chi_square(counts, EVEN) > FALSE_ALARM) is fits


def marginal_density(metric, z):
    """Of the first coordinate in the plane, by quadrature of exp(−‖(z, y)‖), unnormalised."""
    norm = NORMS[metric]
    return 2 * integrate.quad(lambda y: math.exp(-norm(np.array([z, y]))), 0, 60, points=[abs(z)], limit=200)[0]


@EACH
def test_in_the_plane_each_coordinate_has_the_marginal_law_of_the_density(metric):
    grid = np.linspace(-25, 25, 1001)
    density = np.array([marginal_density(metric, z) for z in grid])
    sums = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    sample = drawn(KNorm(metric, Fraction(2)), 2, 8_000)
    for at in range(2):
        for scale, fits in ((2, True), (1.5, False), (2.5, False)):
            counts = grouped(sample[:, at], lambda z, s=scale: np.interp(z / s, grid, sums / sums[-1]))
            assert (chi_square(counts, EVEN) > FALSE_ALARM) is fits


@EACH
def test_in_the_plane_the_direction_has_the_law_of_the_density(metric):
    # angle folded into an eighth of the plane: its density is ∝ 1/‖(cos a, sin a)‖²
    sample = np.sort(np.abs(drawn(KNorm(metric, Fraction(2)), 2, 4_000)), axis=1)
    angle = np.arctan2(sample[:, 0], sample[:, 1])
    grid = np.linspace(0, math.pi / 4, 2001)
    density = NORMS[metric](np.stack([np.cos(grid), np.sin(grid)], axis=1)) ** -2.0
    sums = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    assert chi_square(grouped(angle, lambda a: np.interp(a, grid, sums / sums[-1])), EVEN) > FALSE_ALARM
    if metric is not Metric.L2:  # the uniform direction of the other norm is told apart
        assert chi_square(grouped(angle, lambda a: a / (math.pi / 4)), EVEN) < FALSE_ALARM


@EACH
@pytest.mark.theorem("A §6.1 objective perturbation")
def test_the_loss_is_within_epsilon_everywhere_and_attains_it(metric):
    scale, norm = 2.0, NORMS[metric]
    shifts = {
        Metric.L1: [(1, 0), (0.5, 0.5)],
        Metric.L2: [(1, 0), (0.6, 0.8)],
        Metric.LINF: [(1, 0), (1, 1), (1, -0.5)],
    }
    grid = np.array(list(itertools.product(np.linspace(-6, 6, 41), repeat=2)))
    for shift in shifts[metric]:
        loss = (norm(grid - np.array(shift)) - norm(grid)) / scale
        claim = float(KNorm(metric, Fraction(2)).guarantee(Sensitivity(1, metric)).budget)
        assert np.abs(loss).max() <= claim + 1e-12
        less = (norm(grid - np.array(shift)) - norm(grid)) / (0.95 * scale)
        assert np.abs(less).max() > claim + 1e-3  # 5 % less noise is rejected


@EACH
@pytest.mark.parametrize("dimension", [1, 4])
def test_accuracy_covers_and_is_not_wasteful(metric, dimension):
    mechanism, draws, beta = KNorm(metric, Fraction(5)), 3_000, 0.1
    radius = float(mechanism.accuracy(beta, dimension))
    assert stats.gamma.sf(radius / 5, dimension) <= beta
    assert stats.gamma.sf(radius * 0.995 / 5, dimension) > beta
    missed = (NORMS[metric](drawn(mechanism, dimension, draws)) > radius).sum()
    assert abs(missed - beta * draws) < 6.5 * math.sqrt(beta * (1 - beta) * draws)


@EACH
def test_cost_is_sensitivity_over_scale_in_the_same_norm_only(metric):
    mechanism = KNorm(metric, Fraction(4))
    assert mechanism.guarantee(Sensitivity(2, metric)) == PureDP(Fraction(1, 2))
    assert mechanism.guarantee(Sensitivity(2, metric), Relation.CHANGE_ONE).relation is Relation.CHANGE_ONE
    for other in [*(set(NORMS) - {metric}), Metric.UNITS]:
        with pytest.raises(MixedMetrics):
            mechanism.guarantee(Sensitivity(2, other))
    assert KNorm.least(Sensitivity(2, metric), PureDP(Fraction(1, 2))) == mechanism


def test_an_irrational_sensitivity_is_rounded_up():
    root = Sensitivity.root(2, Metric.L2)
    assert KNorm.least(root, PureDP(1)).guarantee(root).budget == 1
    assert KNorm.least(root, PureDP(1)).scale ** 2 >= 2


@EACH
def test_answers_are_moved_by_the_noise_and_held_inside_int64(metric):
    top, bottom = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    mechanism = KNorm(metric, Fraction(100), Lattice.under(100))
    far = np.array([mechanism.release(np.array([top, bottom]), Bits()) for _ in range(60)])
    assert far.dtype == np.int64
    assert (far[:, 0] == top).any()
    assert (far[:, 1] == bottom).any()
    assert (far[:, 0] > 0).all()
    assert (far[:, 1] < 0).all()


@EACH
def test_a_first_digit_of_zero_is_drawn_on(metric):
    class Zeros(Bits):
        def __init__(self):
            super().__init__()
            self.left = 3

        def integer(self, width):
            self.left -= 1
            return 0 if self.left >= 0 else super().integer(width)

    assert KNorm(metric, Fraction(1)).release(np.zeros(2, np.int64), Zeros()).shape == (2,)


@EACH
def test_it_is_stored_with_its_norm_and_lattice(metric):
    for mechanism in (KNorm(metric, Fraction(7, 3)), KNorm(metric, Fraction(1), Lattice(-25))):
        assert KNorm.from_facts(mechanism.facts()) == mechanism
    assert KNorm(metric, Fraction(1)).scaled(4).lattice == Lattice(-20)


@pytest.mark.parametrize("answer", [[0.5], [math.nan], [[1, 2]], ["a"], [], np.array([1], np.uint64)])
def test_an_answer_that_is_no_integer_vector_is_refused_before_any_draw(answer):
    with pytest.raises(InvalidParameter, match="vector of int64"):
        KNorm(Metric.L2, Fraction(1)).release(answer, NoBits())


@pytest.mark.parametrize(
    "build",
    [
        lambda: KNorm(Metric.UNITS, Fraction(1)),
        lambda: KNorm("l2", Fraction(1)),
        lambda: KNorm(Metric.L2, 0),
        lambda: KNorm(Metric.L2, math.nan),
        lambda: KNorm(Metric.L2, 1, Lattice(-51)),
        lambda: KNorm(Metric.L2, 1).accuracy(0),
        lambda: KNorm(Metric.L2, 1).accuracy(0.1, 0),
        lambda: KNorm.least(Sensitivity(0, Metric.L2), PureDP(1)),
        lambda: KNorm.least(Sensitivity(1, Metric.UNITS), PureDP(1)),
    ],
)
def test_bad_parameters_are_refused(build):
    with pytest.raises(InvalidParameter):
        build()


def test_another_notion_is_refused():
    with pytest.raises(UnprovenClaim):
        KNorm.least(Sensitivity(1, Metric.L2), GDP(1))


def test_more_noise_is_more_noise_in_steps_too():
    """The lattice stays: four times the scale on four times the step would be the same noise in steps."""
    one = KNorm(Metric.LINF, Fraction(2))
    assert one.scaled(4).lattice == one.lattice
    assert KNorm(Metric.L1, Fraction(2**22)).lattice.step == 1
