import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition, largest_loss
from dalenius.guarantees.loss.profile import delta_bounds
from tests.guarantees.loss import loss_truth as truth

SAMPLED = pairs.gaussian(1).sampled(Fraction(1, 10))


def test_equal_pairs_are_counted_together_and_none_is_dropped():
    parts = [(pairs.laplace(1), 2), (SAMPLED, 1), (pairs.laplace(1), 3), (pairs.response(1), 0)]
    assert dict(LossComposition.of(parts).parts) == {pairs.laplace(1): 5, SAMPLED: 1}


def test_gaussian_parts_are_one_gaussian():
    composition = LossComposition.of([(pairs.gaussian("0.1"), 3), (pairs.gaussian("0.2"), 1), (SAMPLED, 2)])
    assert composition.gaussian_square == Fraction(1, 2)
    assert composition.others == ((SAMPLED, 2),)


@pytest.mark.parametrize(("delta", "times"), [("0.1", 3), ("1e-9", 10**6), ("1e-300", 7)])
def test_infinite_mass_is_one_less_the_product(delta, times):
    low, high = LossComposition.of([(pairs.response(1, delta), times), (pairs.response(1), 4)]).infinite
    with mp.workdps(400):
        assert low <= 1 - (1 - mp.mpf(delta)) ** times <= high <= low * (1 + 1e-15)


@pytest.mark.parametrize(
    ("pair", "largest"),
    [
        (pairs.laplace("1.5"), 1.5),
        (pairs.response("0.7"), 0.7),
        (pairs.gaussian(1), math.inf),
        (SAMPLED, math.inf),
        (SAMPLED.swapped(), -math.log(0.9)),
        (pairs.laplace(2).sampled(Fraction(1, 4)), math.log(0.75 + 0.25 * math.exp(2))),
        (pairs.laplace(2).sampled(Fraction(1, 4)).swapped(), -math.log(0.75 + 0.25 * math.exp(-2))),
        (pairs.laplace(800), 800.0),
        (pairs.laplace(800).sampled(Fraction(1, 4)), 800 - math.log(4)),
    ],
)
def test_the_largest_loss_is_that_of_the_likeliest_outcome(pair, largest):
    assert largest_loss(pair) == pytest.approx(largest, rel=1e-14)
    total = LossComposition.of([(pair, 3)]).largest
    assert total >= 3 * largest * (1 - 1e-15)
    if largest < math.inf:
        assert delta_bounds(LossComposition.of([(pair, 3)]), total, 1e-6) == (0.0, 0.0)


def test_what_is_cut_is_charged_in_full():
    composition = LossComposition.of([(SAMPLED, 50)])
    cut = composition.cut(1e-4)
    lost = cut.infinite[1]
    assert cut.infinite[0] == 0.0
    assert 0.5e-4 < lost < 2e-4
    for epsilon in (1.0, 3.0):
        below, above = delta_bounds(composition, epsilon, 1e-5)
        low, high = delta_bounds(cut, epsilon, 1e-5)
        assert low <= above
        assert high >= below
        assert high - low <= 1.2 * lost


def test_a_pair_that_tells_all_tells_all():
    everything = pairs.from_masses([1, 0], [0, 1])
    for parts in ([(everything, 1)], [(everything, 1), (pairs.gaussian(1), 1), (SAMPLED, 3)]):
        low, high = delta_bounds(LossComposition.of(parts), 1.0, 1e-6)
        assert low == 1.0 == high


def test_losses_of_a_product_add():
    low, high = delta_bounds(LossComposition.of([(pairs.response("0.5"), 3)]), 0.25, 1e-6)
    with mp.workdps(30):
        assert low <= truth.response_delta(mp.mpf("0.5"), 3, mp.mpf("0.25")) <= high


@pytest.mark.theorem("A Prop 14.1", "A §11.3 losses add", "A Thm 14.1", "A Rem 14.3", "A Alg 5")
def test_the_profile_of_two_pairs_is_that_of_the_convolution_of_their_losses():
    """Every pair of outcomes one by one: the loss of a product is the sum of losses; an adaptive second pair too."""
    first = ([Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)])
    second = ([Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)])
    composed = LossComposition.of([(pairs.from_masses(*first), 1), (pairs.from_masses(*second), 1)])
    # adaptive: after outcome 0 the second pair is asked, after outcome 1 its mirror image, which it dominates as well
    for epsilon in (0.2, 1.3):
        plain = adaptive = 0.0
        for i, j in product(range(2), repeat=2):
            p, q = float(first[0][i] * second[0][j]), float(first[1][i] * second[1][j])
            plain += max(0.0, p - math.exp(epsilon) * q)
            turn = j if i == 0 else 1 - j
            a, b = (0, 1) if i == 0 else (1, 0)
            p, q = float(first[0][i] * second[a][turn]), float(first[1][i] * second[b][turn])
            adaptive += max(0.0, p - math.exp(epsilon) * q)
        low, high = delta_bounds(composed, epsilon, 1e-3)
        assert low - 1e-12 <= plain <= high + 1e-12
        assert adaptive <= high + 1e-12
        sums = {}
        for i, j in product(range(2), repeat=2):
            loss = math.log(first[0][i] / first[1][i]) + math.log(second[0][j] / second[1][j])
            sums[loss] = sums.get(loss, 0.0) + float(first[0][i] * second[0][j])
        folded = sum(max(0.0, 1 - math.exp(epsilon - loss)) * mass for loss, mass in sums.items())
        assert low - 1e-12 <= folded <= high + 1e-12
