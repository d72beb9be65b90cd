"""Every interval contains a truth found by other means, and is as narrow as asked."""

import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds, epsilon_bounds
from tests.guarantees.loss import loss_truth as truth

MNIST = pairs.gaussian(1 / Fraction("1.1") ** 2).sampled(Fraction(256, 60000))


def sampled(rate, sigma):
    return pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate))


MIXED = [(pairs.laplace(Fraction(20 + 2 * i, 1000)), 1) for i in range(50)]
MIXED += [(pairs.gaussian(1 / Fraction(16 + i, 2) ** 2), 1) for i in range(50)]

# ε to 13 digits or more from `truth`: closed forms, residues, exact convolutions, 40-digit integrals at another line
GOLDEN = {
    "gaussian": ([(pairs.gaussian(1), 1)], 1e-6, 4.886554117462212),
    "gaussian, 100 steps": ([(pairs.gaussian(Fraction(1, 25)), 100)], 1e-6, 10.99715121422065),
    "gaussian, small delta": ([(pairs.gaussian(Fraction(1, 100)), 100)], 1e-15, 8.165579695504254),
    "gaussian, 1e-18": ([(pairs.gaussian(1), 1)], 1e-18, 8.997181733663742),
    "gaussian, 1e-100": ([(pairs.gaussian(1), 1)], 1e-100, 21.62750809364838),
    "laplace": ([(pairs.laplace("0.5"), 1)], 1e-2, 0.4798993282929971),
    "laplace, 10 steps": ([(pairs.laplace("0.3"), 10)], 1e-6, 2.99897808944722),
    "response": ([(pairs.response("0.1"), 100)], 1e-6, 4.774567588107986),
    "discrete gaussian": ([(pairs.discrete_gaussian(64), 100)], 1e-6, 6.31198370430851),
    "discrete laplace": ([(pairs.discrete_laplace("0.05", 3), 100)], 1e-6, 7.418681908596431),
    "laplace, 1000 steps": ([(pairs.laplace("0.05"), 1000)], 1e-6, 8.204440343933936),
    "laplace, a million steps": ([(pairs.laplace("0.001"), 10**6)], 1e-6, 4.885616941378892),
    "50 laplace and 50 gaussian": (MIXED, 1e-6, 3.130187559733027),
    "mnist, 1e-5": ([(MNIST, 14062)], 1e-5, 2.381596921424397),
    "mnist, 1e-10": ([(MNIST, 14062)], 1e-10, 3.73583859849618),
    "mnist, 1e-15": ([(MNIST, 14062)], 1e-15, 4.771674133149957),
    "imagenet": ([(sampled(Fraction(16384, 1281167), "2.5"), 7038)], 8e-7, 2.036311021124605),
    "a million rare steps": ([(sampled("0.0001", "0.8"), 10**6)], 1e-7, 0.9127034976406747),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_interval_contains_the_truth_and_is_narrow(name):
    parts, delta, epsilon = GOLDEN[name]
    low, high = epsilon_bounds(LossComposition.of(parts), delta, 1e-6)
    assert low <= epsilon * (1 + 1e-13)
    assert epsilon * (1 - 1e-13) <= high
    assert high - low <= 1e-6 * high


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("name", ["mnist, 1e-5", "imagenet", "response", "gaussian"])
def test_interval_contains_the_truth_at_every_tolerance(name, rtol):
    parts, delta, epsilon = GOLDEN[name]
    low, high = epsilon_bounds(LossComposition.of(parts), delta, rtol)
    assert low <= epsilon * (1 + 1e-13)
    assert epsilon * (1 - 1e-13) <= high
    assert high - low <= max(rtol, 1e-7) * high


@pytest.mark.parametrize("mixture_first", [True, False])
@pytest.mark.parametrize(("rate", "sigma"), [("0.1", "1"), ("0.02", "0.5"), ("0.9", "3")])
@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_two_sampled_steps_agree_with_nested_integration(rate, sigma, mixture_first, epsilon):
    with mp.workdps(25):
        expected = truth.two_sampled_steps(truth.number(rate), 1 / truth.number(sigma), mp.mpf(epsilon), mixture_first)
    pair = sampled(rate, sigma)
    low, high = delta_bounds(LossComposition.of([(pair if mixture_first else pair.swapped(), 2)]), epsilon, 1e-5)
    assert low <= expected * (1 + mp.mpf("1e-12"))
    assert expected * (1 - mp.mpf("1e-12")) <= high
    assert high - low <= 1e-4 * high


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.61])
def test_laplace_agrees_with_residues(steps, epsilon):
    with mp.workdps(40):
        expected = truth.laplace_delta(mp.mpf("0.3"), steps, mp.mpf(epsilon))
    low, high = delta_bounds(LossComposition.of([(pairs.laplace("0.3"), steps)]), epsilon, 1e-6)
    assert low <= expected * (1 + mp.mpf("1e-12")) + mp.mpf("1e-30")
    assert expected * (1 - mp.mpf("1e-12")) <= high


def test_delta_of_many_gaussians_is_that_of_one():
    many = LossComposition.of([(pairs.gaussian(Fraction(1, 100)), 60), (pairs.gaussian(Fraction(2, 100)), 20)])
    assert delta_bounds(many, 1.0, 1e-6) == delta_bounds(LossComposition.of([(pairs.gaussian(1), 1)]), 1.0, 1e-6)


def test_infinite_mass_is_reached_and_not_undercut():
    pair = pairs.response("0.5", Fraction(1, 10**6))
    composition = LossComposition.of([(pair, 3)])
    mass = 1 - (1 - Fraction(1, 10**6)) ** 3
    assert epsilon_bounds(composition, float(mass) * 0.99, 1e-6) == (math.inf, math.inf)
    low, high = delta_bounds(composition, 1.6, 1e-6)
    assert low <= mass <= high


def test_nothing_to_hide_needs_no_epsilon():
    assert epsilon_bounds(LossComposition.of([(MNIST, 10)]), 0.5, 1e-6) == (0.0, 0.0)


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_huge_counts_are_narrow(count):
    rate = Fraction(1, 10**6) if count == 10**9 else Fraction(1, 10**4)
    low, high = epsilon_bounds(LossComposition.of([(sampled(rate, "1"), count)]), 1e-6, 1e-6)
    assert 0 < low <= high <= low * (1 + 1e-6)


@pytest.mark.parametrize(
    ("rate", "steps", "delta"), [("0.01", 1000, 1e-5), ("0.001", 10000, 1e-6), ("0.0001", 100, 1e-8), ("0.1", 10, 1e-5)]
)
def test_little_noise_is_within_a_tenth_of_a_thousandth(rate, steps, delta):
    low, high = epsilon_bounds(LossComposition.of([(sampled(rate, "0.3"), steps)]), delta, 1e-4)
    assert 0 < low <= high <= low * (1 + 1e-4)


# δ by integrals of 45 digits over the whole law, on two lines other than the engine's: they agree to nine digits
RARE_AND_LARGE = [("0.001", "1", 1000, 1.0, 2.540930394e-13), ("0.00402", "2.24", 2678, 1.1, 9.30485928148e-29)]


@pytest.mark.parametrize(("rate", "sigma", "steps", "epsilon", "delta"), RARE_AND_LARGE)
def test_rare_large_losses_are_told_to_six_digits(rate, sigma, steps, epsilon, delta):
    composition = LossComposition.of([(sampled(rate, sigma), steps)])
    low, high = delta_bounds(composition, epsilon, 1e-6)
    assert low <= delta * (1 + 1e-9)
    assert delta * (1 - 1e-9) <= high
    assert high - low <= 2e-6 * high
    low, high = epsilon_bounds(composition, delta, 1e-6)
    assert low <= epsilon * (1 + 1e-9)
    assert epsilon * (1 - 1e-9) <= high
    assert high - low <= 2e-6 * high


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "epsilon"),
    [("0.001", "1", 1000, 1.0), ("0.0001", "1.5", 1, 0.5), ("0.5", "4", 1, 5.0), ("0.0001", "3.54", 84056, 4.0)],
)
def test_no_upper_end_is_vacuous_and_it_falls_with_epsilon(rate, sigma, steps, epsilon):
    composition = LossComposition.of([(sampled(rate, sigma), steps)])
    ends = [delta_bounds(composition, epsilon * share, 1e-4)[1] for share in (0.9, 1.0, 1.1)]
    assert 1e-3 > ends[0] > ends[1] > ends[2]
