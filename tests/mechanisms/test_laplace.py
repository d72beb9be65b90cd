import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.errors import MixedMetrics
from dalenius.mechanisms import Gaussian, Laplace, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice
from tests.noise.precision_attack import leaks
from tests.noise.seeded import SeededBits

ONE = Sensitivity(1, Metric.L1)


@pytest.mark.theorem("A Thm 3.2", "L §3.3 scale", "A Rem 3.5")
@pytest.mark.parametrize("epsilon", ["1/10", "1", "5"])
def test_scale_sensitivity_over_epsilon_costs_epsilon_for_every_epsilon(epsilon):
    for value in (1, 7):
        mechanism = calibrate(Laplace, Sensitivity(value, Metric.L1), epsilon=epsilon)
        assert mechanism.scale == value / Fraction(epsilon)
        assert mechanism.guarantee(Sensitivity(value, Metric.L1)).sum_form == (Fraction(epsilon), 0)


def test_below_its_epsilon_the_exact_loss_beats_pure():
    claim = Laplace(1).guarantee(ONE)
    assert claim.delta(0) == pytest.approx(1 - math.exp(-0.5), rel=1e-15)  # the total variation of Lap(1), 1 apart
    assert claim.delta(0) < 0.47 > (math.e - 1) / (math.e + 1)  # pure: 0.462


def test_the_relation_is_kept_and_another_norm_refused():
    assert Laplace(1).guarantee(ONE, Relation.CHANGE_ONE).relation is Relation.CHANGE_ONE
    for metric in (Metric.L2, Metric.LINF, Metric.UNITS):
        with pytest.raises(MixedMetrics):
            Laplace(1).guarantee(Sensitivity(1, metric))


@pytest.mark.theorem("D Thm 2.5")
@pytest.mark.parametrize("dimension", [1, 10, 10_000])
@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_exact_joint_accuracy_is_within_the_union_bound_and_close_to_it(dimension, beta):
    useful = 10 * math.log(dimension / beta)
    exact = float(Laplace(10).accuracy(beta, dimension))
    assert exact <= useful * (1 + 1e-6)
    assert exact >= 10 * math.log(dimension / -math.log1p(-beta)) - 1e-4  # 1 − (1 − t)^d ≥ beta needs t ≥ −log(1−β)/d …


@pytest.mark.theorem("A Ex 9.1", "G Gaussian growth", "A Rem 2.2")
def test_for_many_counts_laplace_noise_grows_linearly_and_gaussian_by_the_root():
    def scales(d):
        laplace = calibrate(Laplace, Sensitivity(d, Metric.L1), epsilon=1).scale
        gaussian = calibrate(Gaussian, Sensitivity.root(d, Metric.L2), epsilon=1, delta=1e-6).scale
        return float(laplace), float(gaussian)

    (laplace, gaussian), (more_laplace, more_gaussian) = scales(4), scales(400)
    assert laplace == 4
    # (ε, δ) of a Gaussian with μ = Δ/σ is Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)
    mu = 2 / gaussian
    assert ndtr(-1 / mu + mu / 2) - math.e * ndtr(-1 / mu - mu / 2) == pytest.approx(1e-6, rel=1e-4)
    assert more_laplace == pytest.approx(100 * laplace)
    assert more_gaussian == pytest.approx(10 * gaussian, rel=1e-9)
    assert more_gaussian < more_laplace


def test_a_delta_buys_a_little_and_concentrated_targets_are_met():
    pure = calibrate(Laplace, ONE, epsilon=1).scale
    loose = calibrate(Laplace, ONE, epsilon=1, delta=1e-2)
    assert loose.scale < pure
    assert loose.guarantee(ONE).delta(1) <= 0.01 < loose.scaled(Fraction(999, 1000)).guarantee(ONE).delta(1)
    assert calibrate(Laplace, ONE, rho=0.1).guarantee(ONE).concentrated_form.rho <= Fraction(1, 10)
    assert calibrate(Laplace, ONE, mu=0.1).guarantee(ONE).gaussian_form <= Fraction(1, 100)


@pytest.mark.theorem("G Laplace mechanism")
def test_low_bits_tell_nothing_where_those_of_a_float_laplace_do():
    mechanism = Laplace(1)
    step = mechanism.lattice.step

    def exact(x, size):
        released = mechanism.release(np.full(size, int(x / step), np.int64), Bits())
        return mechanism.lattice.values(released)

    def naive(x, size):
        return x + np.random.default_rng().laplace(size=size)

    # to the step: what leaves is x plus the noise that the same bits give, in every coordinate
    apart = mechanism.release(np.array([7, -1, 10**9], np.int64), SeededBits(5)) - mechanism.noise.steps(
        SeededBits(5), 3
    )
    assert apart.tolist() == [7, -1, 10**9]
    # P[release < x] = ½ and P[|release − x| > 1] = 1/e, each within 6.2 deviations of 20 000 draws: 1e-9
    released = np.array(exact(1.0, 20_000), float)
    assert abs(np.mean(released < 1.0) - 0.5) < 6.2 * math.sqrt(0.25 / 20_000)
    assert abs(np.mean(np.abs(released - 1.0) > 1.0) - math.exp(-1)) < 6.2 * math.sqrt(0.233 / 20_000)
    assert not leaks(exact, 1.0, gaussian=False)
    assert leaks(naive, 1.0, gaussian=False)


@pytest.mark.theorem("A Def 3.5", "G Laplace distribution")
@pytest.mark.parametrize("location", [-7, 0, 3])
def test_a_release_is_the_law_moved_to_the_answer(location):
    """The same bits give the same noise: answer + Z has location `answer` and the scale of the mechanism."""
    mechanism = Laplace(Fraction(2), Lattice(-20))
    one, other = SeededBits(5), SeededBits(5)
    answers = np.full(50, location << 20)
    assert (mechanism.release(answers, one) - (location << 20)).tolist() == mechanism.noise.steps(other, 50).tolist()
