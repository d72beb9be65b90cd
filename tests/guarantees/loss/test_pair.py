from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds

P = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(0)]
Q = [Fraction(1, 10), Fraction(1, 5), Fraction(0), Fraction(7, 10)]
EPSILONS = [0.0, 0.15, 0.6, 1.4]


def hockey_stick(p, q, epsilon):
    return mp.fsum(
        max(0, mp.mpf(x.numerator) / x.denominator - mp.exp(epsilon) * y.numerator / y.denominator)
        for x, y in zip(p, q, strict=True)
    )


def encloses(pair, p, q):
    for epsilon in EPSILONS:
        low, high = delta_bounds(LossComposition.of([(pair, 1)]), epsilon, 1e-5)
        true = hockey_stick(p, q, mp.mpf(epsilon))
        assert low - 1e-15 <= true <= high + 1e-15
        assert high - low <= 1e-4


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10), Fraction(1)])
def test_sampling_mixes_the_first_law_with_the_second(rate):
    mixed = [(1 - rate) * y + rate * x for x, y in zip(P, Q, strict=True)]
    pair = pairs.from_masses(P, Q).sampled(rate)
    encloses(pair, mixed, Q)
    encloses(pair.swapped(), Q, mixed)


def test_sampling_twice_is_sampling_at_the_product():
    twice = pairs.laplace(1).sampled(Fraction(1, 2)).sampled(Fraction(1, 5))
    once = pairs.laplace(1).sampled(Fraction(1, 10))
    assert [each.loss for each in twice.atoms] == pytest.approx([each.loss for each in once.atoms], rel=1e-14)
    assert twice.pieces[0].rate == pytest.approx(once.pieces[0].rate, rel=1e-15)
    assert twice.pieces[0].rest == pytest.approx(once.pieces[0].rest, rel=1e-15)


def test_sampling_nobody_tells_nothing():
    assert pairs.gaussian(1).sampled(Fraction(0)) == pairs.NOTHING


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.4])
def test_fixed_size_sampling_of_gaussians_follows_the_sampled_profile(rate, epsilon):
    # for ε ≥ 0, C_p(f) has the profile of f_p: p·δ(log(1 + (e^ε − 1)/p))
    pair = pairs.gaussian(1).sampled_change_one(rate)
    low, high = delta_bounds(LossComposition.of([(pair, 1)]), epsilon, 1e-6)
    q = mp.mpf(rate.numerator) / rate.denominator
    base = mp.log(1 + mp.expm1(epsilon) / q)
    true = q * (mp.ncdf(mp.mpf(1) / 2 - base) - mp.exp(base) * mp.ncdf(-mp.mpf(1) / 2 - base))
    assert low <= true <= high <= low * (1 + 1e-5)


def test_fixed_size_sampling_of_a_response_is_enumerated():
    response = pairs.response(1)
    pair = response.sampled_change_one(Fraction(1, 4))
    high, low = sorted((each.first for each in response.atoms), reverse=True)
    w = 0.75 + 0.25 * float(mp.e)
    expected = [low, 1 - low - w * low, w * low]
    assert high > low
    assert [each.first for each in pair.atoms] == pytest.approx(expected, rel=1e-14)
    assert pair.atoms[2].loss == pytest.approx(float(mp.log(w)), rel=1e-14)
    assert pair.swapped() == pair


def test_fixed_size_sampling_needs_a_mirror_image():
    with pytest.raises(InvalidParameter):
        pairs.from_masses(P, Q).sampled_change_one(Fraction(1, 4))


@pytest.mark.parametrize("mass", [1e-3, 1e-9])
def test_a_cut_takes_the_largest_losses_and_says_how_much(mass):
    pair = pairs.gaussian(1).sampled(Fraction(1, 10))
    cut = pair.cut(mass)
    assert cut.lost == pytest.approx(mass, rel=1e-6)
    assert cut.pieces[0].mass() + cut.lost == pytest.approx(1, abs=1e-12)
    assert pair.swapped().cut(mass) == pair.swapped()  # bounded above already


def test_only_log_concave_noise_groups_by_distance():
    assert pairs.gaussian(1).grouped(3) == pairs.gaussian(9)
    sampled = pairs.gaussian(1).sampled(Fraction(1, 10))
    assert sampled.grouped(1) == sampled
    assert sampled.grouped(2) is None


@pytest.mark.theorem("A §9 privacy loss", "A Rem 9.1", "A Rem 9.2", "G δ as area", "G distinguishing events")
@pytest.mark.parametrize(("p", "q"), [(P, Q), (Q, P), (P[:3], [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])])
def test_delta_is_the_mean_excess_of_the_loss_and_an_outcome_of_one_law_counts_in_full(p, q):
    """δ(ε) = E(1 − e^(ε−L))₊ under P, with the mass where Q is 0 as a whole; it is at most P[L > ε], mostly less."""
    pair = pairs.from_masses(p, q)
    told = sorted((each.loss, each.first) for each in pair.atoms)
    with mp.workdps(30):
        losses: dict = {}
        for x, y in zip(p, q, strict=True):
            if x and y:
                loss = mp.log(mp.mpf(x.numerator) / x.denominator) - mp.log(mp.mpf(y.numerator) / y.denominator)
                losses[loss] = losses.get(loss, 0) + mp.mpf(x.numerator) / x.denominator
        assert [loss for loss, _ in told] == pytest.approx([float(loss) for loss in sorted(losses)], abs=1e-12)
        assert [mass for _, mass in told] == pytest.approx([float(losses[loss]) for loss in sorted(losses)])
        assert pair.infinite == sum(x for x, y in zip(p, q, strict=True) if not y)
        for epsilon in (*EPSILONS, float(max(losses)) + 0.01):
            excess = float(pair.infinite) + sum(max(0.0, 1 - mp.exp(epsilon - loss)) * mass for loss, mass in told)
            tail = float(pair.infinite) + sum(mass for loss, mass in told if loss > epsilon)
            low, high = delta_bounds(LossComposition.of([(pair, 1)]), epsilon, 1e-6)
            assert low - 1e-12 <= excess <= high + 1e-12
            assert high <= tail + 1e-9
        assert (pair.infinite == 0) == (high < 1e-12)  # no loss is larger: ε-DP with that ε, in this direction


@pytest.mark.theorem("G privacy loss")
def test_the_loss_of_laplace_noise_stays_within_epsilon_and_that_of_gaussian_noise_exceeds_every_epsilon():
    assert pairs.laplace(1).bound == 1
    assert delta_bounds(LossComposition.of([(pairs.laplace(1), 1)]), 1.0, 1e-6)[1] <= 1e-14
    for epsilon in (1.0, 5.0, 20.0):
        low, high = delta_bounds(LossComposition.of([(pairs.gaussian(1), 1)]), epsilon, 1e-6)
        with mp.workdps(30):
            true = mp.ncdf(mp.mpf("0.5") - epsilon) - mp.exp(epsilon) * mp.ncdf(-mp.mpf("0.5") - epsilon)
        assert 0 < low <= true * (1 + mp.mpf(10) ** -5)
        assert true <= high * (1 + mp.mpf(10) ** -5)
