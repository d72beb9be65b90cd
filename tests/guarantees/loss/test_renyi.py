import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.renyi import renyi_bound
from tests.guarantees.loss import loss_truth as truth

ORDERS = [Fraction(5, 4), Fraction(2), Fraction(10), Fraction(64)]


@pytest.mark.parametrize("order", ORDERS)
def test_laplace_has_its_closed_form(order):
    found = renyi_bound(LossComposition.of([(pairs.laplace("0.7"), 5)]), order)
    with mp.workdps(40):
        z, e = truth.number(order - 1), mp.mpf("0.7")
        true = 5 * mp.log(((z + 1) * mp.exp(z * e) + z * mp.exp(-(1 + z) * e)) / (2 * z + 1)) / z
    assert true <= found <= true * (1 + mp.mpf(10) ** -9)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_a_sampled_gaussian_is_bounded_by_its_integral(order, first):
    pair = pairs.gaussian(1).sampled(Fraction(1, 20))
    found = renyi_bound(LossComposition.of([(pair if first else pair.swapped(), 3)]), order)
    with mp.workdps(30):
        z = truth.number(order - 1)
        true = 3 * mp.log(truth.sampled_gaussian_moment(mp.mpf(1) / 20, mp.mpf(1), z, first)) / z
    assert true <= found <= true * (1 + mp.mpf(10) ** -8)


def test_gaussian_and_response_add():
    found = renyi_bound(LossComposition.of([(pairs.gaussian("0.3"), 2), (pairs.response(1), 1)]), Fraction(3))
    p = 1 / (1 + mp.exp(-1))
    true = mp.mpf("0.3") * 3 + mp.log(p**3 / (1 - p) ** 2 + (1 - p) ** 3 / p**2) / 2
    assert true <= found <= true * (1 + mp.mpf(10) ** -9)


def test_order_one_is_above_the_divergence_of_kullback_and_leibler():
    found = renyi_bound(LossComposition.of([(pairs.response(1), 1)]), Fraction(1))
    true = mp.tanh(mp.mpf(1) / 2)  # (2p − 1)·ε
    assert true <= found <= true * mp.mpf("1.00001")


def test_order_infinity_is_the_largest_loss():
    assert renyi_bound(LossComposition.of([(pairs.laplace(2), 3)]), math.inf) == pytest.approx(6)
    assert renyi_bound(LossComposition.of([(pairs.gaussian(2), 3)]), math.inf) == math.inf


def test_infinite_loss_has_infinite_divergence():
    assert renyi_bound(LossComposition.of([(pairs.response(1, "1e-12"), 1)]), Fraction(2)) == math.inf
