import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.guarantees.loss import LossDistribution, laplace
from dalenius.guarantees.loss.few_laplace import MOST, few_laplace_delta


def by_quadrature(each, times, epsilon):
    """δ(ε) one mechanism after the other, in thirty digits: δ_k(ε) = E δ_(k−1)(ε − L) over the loss of one."""
    with mpmath.workdps(30):
        e = mpmath.mpf(each)

        def delta(k, x):
            if x >= k * e:
                return mpmath.mpf(0)
            if x <= -k * e:
                return 1 - mpmath.exp(x)
            if k == 1:
                return 1 - mpmath.exp((x - e) / 2)  # the closed form of one
            ends = [-e, *sorted(c for c in {x - (k - 1) * e, x + (k - 1) * e} if -e < c < e), e]
            between = mpmath.quad(lambda loss: mpmath.exp((loss - e) / 2) / 4 * delta(k - 1, x - loss), ends)
            return delta(k - 1, x - e) / 2 + mpmath.exp(-e) / 2 * delta(k - 1, x + e) + between

        return delta(times, mpmath.mpf(epsilon))


@pytest.mark.parametrize(("each", "times"), [("1", 1), ("0.5", 2), ("2", 2)])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.97])
def test_bounds_hold_the_integral_over_one_mechanism_after_the_other(each, times, share):
    epsilon = share * times * float(each)
    low, high = few_laplace_delta(Fraction(each), times, epsilon)
    truth = by_quadrature(each, times, epsilon)
    assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
    assert high - low <= 1e-14 * high


@pytest.mark.parametrize("times", [4, 9, MOST])
def test_many_agree_with_the_general_method(times):
    pair, e = laplace("0.4"), 0.4
    whole = LossDistribution.of(pair).repeat(times)
    other = LossDistribution.of(
        pair.__class__(pair.atoms, pair.pieces, spacing=pair.spacing, symmetric=True, bound=pair.bound)
    )
    for share in (0.1, 0.6, 0.9):
        low, high = whole.delta_interval(share * times * e)
        wide = other.repeat(times).delta_interval(share * times * e)
        assert wide[0] * (1 - 1e-9) <= low <= high <= wide[1] * (1 + 1e-9)


def test_the_largest_loss_is_exact():
    for times in (1, 3, MOST, MOST + 1):
        composed = LossDistribution.of(laplace(1)).repeat(times)
        assert composed.delta_interval(float(times)) == (0.0, 0.0)
        assert composed.epsilon_interval(0.0)[1] == times
        assert composed.delta(times * (1 - 1e-9)) > 0


@pytest.mark.parametrize("delta", [1e-40, 1e-15, 1e-6, 0.01, 0.3, 0.9])
@pytest.mark.parametrize("times", [1, 2, 5, 16])
def test_epsilon_is_proved_from_both_sides(times, delta):
    each = Fraction(1, 2)
    composed = LossDistribution.of(laplace(each)).repeat(times)
    low, high = composed.epsilon_interval(delta)
    assert low <= high <= times / 2
    assert high - low <= 1e-6 * high
    assert few_laplace_delta(each, times, high)[1] <= delta
    if low > 0 and high < times / 2:
        assert few_laplace_delta(each, times, low)[1] >= delta * (1 - 1e-9)


def test_simulated_losses_have_the_stated_excess():
    rng, n = np.random.default_rng(), 400_000
    x = rng.laplace(size=(n, 3))
    losses = (np.abs(x - 0.5) - np.abs(x)).sum(axis=1)  # noise of scale 1 around 0 against around ½
    mean, spread = (seen := np.maximum(0.0, 1 - np.exp(0.7 - losses))).mean(), seen.std() / math.sqrt(n)
    assert abs(mean - few_laplace_delta(Fraction(1, 2), 3, 0.7)[1]) < 6.2 * spread
    assert abs(mean - few_laplace_delta(Fraction(1, 2), 3, 0.9)[1]) > 6.2 * spread
