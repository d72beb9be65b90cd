import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.curves.renyi_conversion import (
    classic_epsilon_at_order,
    delta_at_order,
    epsilon_at_order,
    renyi_delta,
    renyi_epsilon,
)
from tests.guarantees.guarantee_truth import gaussian_delta, gaussian_epsilon, number, renyi, responses_delta


def concentrated(rho):
    return lambda order: math.inf if order == math.inf else float(Fraction(rho) * Fraction(order)) * (1 + 1e-15)


@pytest.mark.parametrize("order", ["1.25", "2", "17", "500"])
@pytest.mark.parametrize(("p", "ratio"), [("0.3", "2"), ("0.01", "30"), ("0.5", "1.5")])
def test_no_pair_of_that_divergence_beats_the_bound(order, p, ratio):
    # a pair (p, 1−p) against (p/r, 1 − p/r): its δ at any ε is below what its D_α promises
    first = [number(p), 1 - number(p)]
    second = [number(p) / number(ratio), 1 - number(p) / number(ratio)]
    divergence = float(renyi(first, second, order)) * (1 + 1e-15)
    for epsilon in ("0", "0.1", "0.3", "0.6", "2"):
        true = sum(max(0, x - mp.exp(number(epsilon)) * y) for x, y in zip(first, second, strict=True))
        assert true <= delta_at_order(Fraction(order), divergence, Fraction(epsilon))


def test_the_bound_of_an_order_is_attained():
    # E e^((α−1)(L−ε)) ≥ δ·min_x …: at one atom with e^(L−ε) = α/(α−1) and one at −∞ the bound is an equality
    order, epsilon = 3, mp.mpf(1)
    loss = epsilon + mp.log(mp.mpf(order) / (order - 1))
    p = mp.mpf(1) / 4
    moment = p * mp.exp((order - 1) * loss)
    bound = delta_at_order(Fraction(order), float(mp.log(moment) / (order - 1)), Fraction(1))
    assert bound == pytest.approx(float(p * (1 - mp.exp(epsilon - loss))), rel=1e-12)


@pytest.mark.parametrize("order", ["1.5", "8", "64"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-9"])
def test_epsilon_of_an_order_undoes_delta_and_is_below_the_classic_one(order, delta):
    epsilon = epsilon_at_order(Fraction(order), 0.5, Fraction(delta))
    assert epsilon <= classic_epsilon_at_order(Fraction(order), 0.5, Fraction(delta))
    assert delta_at_order(Fraction(order), 0.5, Fraction(epsilon)) == pytest.approx(float(delta), rel=1e-9)


@pytest.mark.parametrize("rho", ["0.005", "0.5", "8"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6", "1e-20"])
def test_concentrated_curves_are_above_the_gaussian_that_has_them(rho, delta):
    mu = mp.sqrt(2 * number(rho))
    found = renyi_epsilon(concentrated(rho), Fraction(delta))
    truth = gaussian_epsilon(mp.nstr(mu, 40), delta)
    assert truth <= found <= 1.5 * truth + 0.2
    assert renyi_delta(concentrated(rho), Fraction(found)) >= gaussian_delta(mp.nstr(mu, 40), found)


def test_pure_curves_use_their_range():
    pure = lambda order: 0.25  # noqa: E731
    assert renyi_delta(pure, Fraction(1, 4)) == 0.0
    assert renyi_epsilon(pure, Fraction(0)) == 0.25
    truth = responses_delta(["0.25"], "0.125")
    assert truth <= renyi_delta(pure, Fraction(1, 8)) <= truth * (1 + mp.mpf(10) ** -9)


def test_ends_of_the_range():
    nothing = lambda order: 0.0  # noqa: E731
    assert renyi_epsilon(nothing, Fraction(0)) == 0.0
    unknown = lambda order: math.inf  # noqa: E731
    assert renyi_delta(unknown, Fraction(1)) == 1.0
    assert renyi_epsilon(unknown, Fraction(1, 100)) == math.inf
    assert renyi_epsilon(unknown, Fraction(1)) == 0.0
