import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import GDP, PureDP, TradeOff
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import between, gaussian_delta, gaussian_epsilon, number

MUS = ["1e-4", "0.1", "1", "3", "30"]


@pytest.mark.theorem("A Prop 13.9", "A Def 13.3", "A Thm 13.1", "A Ex 13.3")
@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("epsilon", ["0", "1e-9", "1e-3", "0.5", "4", "100", "1e4"])
def test_profile_is_the_gaussian_s(mu, epsilon):
    truth = gaussian_delta(mu, epsilon)
    low, high = GDP(mu).delta_interval(float(epsilon))
    assert low <= truth <= high
    assert high - low <= 1e-14 * high + 5e-324


@pytest.mark.parametrize(
    ("mu", "times", "delta"),
    [
        ("1", 1, "1e-6"),
        ("0.2", 100, "1e-6"),
        ("0.1", 100, "1e-15"),
        ("1", 1, "1e-18"),
        ("1", 1, "1e-100"),
        ("1", 1, "1e-300"),
    ],
)
@pytest.mark.theorem("A §13.8 GDP composition")
def test_epsilon_is_the_gaussian_s(mu, times, delta):
    truth = gaussian_epsilon(number(mu) * mp.sqrt(times), delta)
    assert between(GDP(mu).repeat(times).epsilon_interval(float(delta)), truth, 1e-10)


def test_peer_rows():
    assert GDP(1).epsilon(1e-6) == pytest.approx(4.886554, abs=1e-6)
    assert GDP(Fraction(1, 5)).repeat(100).epsilon(1e-6) == pytest.approx(10.99715, abs=1e-5)
    assert GDP(Fraction(1, 10)).repeat(100).epsilon(1e-15) == pytest.approx(8.165580, abs=1e-5)


@pytest.mark.parametrize("mu", ["1e-3", "1", "100"])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-18, 1e-6, 0.1])
def test_extreme_corners_stay_narrow(mu, delta):
    low, high = GDP(mu).epsilon_interval(delta)
    assert low <= high <= low * (1 + 1e-9)
    assert GDP(mu).delta(high) <= delta
    assert low == 0 or GDP(mu).delta_interval(low)[0] > delta


@pytest.mark.theorem("A Ex 13.3", "A §13.3 order of G")
@pytest.mark.parametrize("mu", ["0.1", "1", "3"])
@pytest.mark.parametrize("alpha", ["1e-300", "1e-12", "0.05", "0.5", "0.95"])
def test_beta_is_the_normal_trade_off(mu, alpha):
    quantile = mp.findroot(
        lambda z: mp.log(mp.erfc(z / mp.sqrt(2)) / 2) - mp.log(number(alpha)),
        max(-2, mp.sqrt(-2 * mp.log(number(alpha))) - 1),
    )
    truth = mp.erfc((number(mu) - quantile) / mp.sqrt(2)) / 2
    found = GDP(mu).beta(float(alpha))
    assert truth * (1 - mp.mpf(10) ** -15) <= found <= truth
    assert GDP(float(mu) * 1.01).beta(float(alpha)) < found or found > 1 - 1e-15


def test_beta_ends():
    assert GDP(1).beta(0) == 1.0
    assert GDP(1).beta(1) == 0.0
    assert GDP(0).beta(0.25) == 0.75


@settings(deadline=None)
@given(st.lists(st.fractions(0, 3, max_denominator=50), min_size=1, max_size=5))
@pytest.mark.theorem("A §13.8 GDP composition")
def test_composition_adds_squares(mus):
    composed = GDP(mus[0]).compose(*map(GDP, mus[1:]))
    assert composed.square == sum(mu**2 for mu in mus)
    assert GDP(mus[0]).repeat(4) == GDP(2 * mus[0])


@pytest.mark.theorem("A Thm 13.3", "A Prop 4.2")
@pytest.mark.parametrize("size", [1, 2, 5])
def test_groups_multiply_mu(size):
    grouped = GDP("0.3").group(size)
    assert grouped.mu == Fraction(3, 10) * size
    for alpha in (0.1, 0.4):
        chained = alpha
        for _ in range(size):
            chained = 1 - GDP("0.3").beta(chained)
        assert grouped.beta(alpha) == pytest.approx(1 - chained, rel=1e-12)
    assert GDP("0.3").to(Relation.CHANGE_ONE) == GDP("0.6", Relation.CHANGE_ONE)


@pytest.mark.theorem("A Cor 13.1", "A Prop 12.2")
@pytest.mark.parametrize("order", [1.5, 2, 9])
def test_renyi_is_the_gaussian_integral(order):
    mu = mp.mpf("0.7")
    truth = mp.log(mp.quad(lambda x: mp.npdf(x) * mp.e ** (order * (mu * x - mu**2 / 2)), [-40, 0, order * mu, 40])) / (
        order - 1
    )
    assert GDP("0.7").renyi(order) == pytest.approx(float(truth), rel=1e-12)
    assert GDP(1).renyi(math.inf) == math.inf


def test_zero_is_perfect_privacy():
    assert GDP(0).delta_interval(0) == (0.0, 0.0)
    assert GDP(0).epsilon(0) == 0.0
    assert GDP(1).epsilon(0) == math.inf
    assert GDP(1).epsilon(1) == 0.0


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf")])
def test_bad_mu_is_refused(bad):
    with pytest.raises(InvalidParameter):
        GDP(bad)


def test_relations_do_not_mix():
    with pytest.raises(MixedRelations):
        GDP(1).compose(GDP(1, Relation.CHANGE_ONE))


@pytest.mark.theorem("A Prop 13.7", "A §13.5 Rényi against Blackwell")
@pytest.mark.parametrize("epsilon", [0.5, 1, 2])
def test_response_has_smaller_renyi_but_larger_total_variation(epsilon):
    for order in (1.01, 1.5, 2, 10, 100):
        assert PureDP(epsilon).renyi(order) < GDP(epsilon).renyi(order)
    assert PureDP(epsilon).delta_interval(0)[0] > GDP(epsilon).delta(0)
    assert PureDP(epsilon).delta_interval(0)[0] == pytest.approx(math.tanh(epsilon / 2))


@pytest.mark.theorem("A Prop 13.8", "A Prop 13.9")
def test_lines_of_the_profile_give_back_the_curve():
    epsilons = [i / 50 for i in range(400)]
    rebuilt = TradeOff.of_profile([(e, GDP(1).delta(e)) for e in epsilons])
    for alpha in (0.01, 0.1, 0.3, 0.5, 0.8):
        assert GDP(1).beta(alpha) - 1e-4 <= rebuilt.beta(alpha) <= GDP(1).beta(alpha) + 1e-12
