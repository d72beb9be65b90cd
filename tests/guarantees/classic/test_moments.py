import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP, RenyiDP, moment, moments_delta, moments_epsilon
from dalenius.guarantees.curves.sampled_curves import PoissonGaussianCurve

SGD = RenyiDP(PoissonGaussianCurve(Fraction(256, 60000), Fraction(100, 121)))


@pytest.mark.theorem("A Def 11.1", "A Rem 11.4")
def test_moment_of_the_gaussian():
    assert moment(GDP(1), 3) == pytest.approx(3 * 4 / 2)


@pytest.mark.theorem("A Thm 11.2", "A Rem 11.4")
def test_moments_add_under_composition():
    assert moment(SGD.repeat(50), 4) == pytest.approx(50 * moment(SGD, 4), rel=1e-12)


@pytest.mark.theorem("A Thm 11.2", "A Lem 6")
@pytest.mark.parametrize("guarantee", [GDP(1), PureDP(1), GDP("0.2").repeat(30)])
def test_moments_accountant_is_never_below_the_exact_answer(guarantee):
    for delta in (1e-2, 1e-6):
        assert moments_epsilon(guarantee, delta) >= guarantee.epsilon_interval(delta)[0]
    for epsilon in (0.5, 2, 5):
        assert moments_delta(guarantee, epsilon) >= guarantee.delta_interval(epsilon)[0]


@pytest.mark.theorem("A Thm 11.2")
@pytest.mark.parametrize(("mu", "epsilon"), [(1, Fraction(9, 2)), (Fraction(1, 2), Fraction(13, 8))])
def test_the_least_over_moments_of_a_gaussian_is_its_closed_form(mu, epsilon):
    """min over λ of λ(λ+1)μ²/2 − λε is −(ε − μ²/2)²/2μ², at λ = (ε − μ²/2)/μ²: 4 and 6 here."""
    closed = math.exp(-((epsilon - mu * mu / 2) ** 2) / (2 * mu * mu))
    assert moments_delta(GDP(mu), float(epsilon)) == pytest.approx(closed, rel=1e-9)
    assert moments_epsilon(GDP(mu), closed) == pytest.approx(float(epsilon), rel=1e-9)


@pytest.mark.theorem("A Thm 11.2", "A Thm 12.2")
def test_it_is_looser_than_the_tight_conversion():
    steps = SGD.repeat(14062)
    assert steps.epsilon(1e-5) < moments_epsilon(steps, 1e-5) < 1.3 * steps.epsilon(1e-5)


def test_needs_a_delta():
    with pytest.raises(InvalidParameter):
        moments_epsilon(GDP(1), 0)
    assert moments_epsilon(RenyiDP({2: 1}), 1e-6, orders=(5,)) == math.inf


@pytest.mark.theorem("A Rem 11.4", "A Lem 6")
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_moments_multiply_over_independent_losses_and_markov_bounds_their_tail(epsilon):
    """Ten randomized responses: the loss is enumerated, its moment is one response's to the tenth, and Markov holds."""
    one, times = PureDP("0.3"), 10
    p = math.exp(0.3) / (1 + math.exp(0.3))
    losses = [(0.3 * (2 * k - times), math.comb(times, k) * p**k * (1 - p) ** (times - k)) for k in range(times + 1)]
    for order in (1, 2, 5):
        grown = math.log(sum(mass * math.exp(order * loss) for loss, mass in losses))
        alone = math.log(p * math.exp(0.3 * order) + (1 - p) * math.exp(-0.3 * order))
        assert grown == pytest.approx(times * alone, rel=1e-12)
        assert moment(one.repeat(times), order) >= grown * (1 - 1e-9)
    told = moments_delta(one.repeat(times), epsilon)
    assert sum(mass for loss, mass in losses if loss > epsilon) <= told <= 1
    assert told == pytest.approx(
        min(1.0, *(math.exp(moment(one.repeat(times), k) - k * epsilon) for k in range(1, 65)))
    )
