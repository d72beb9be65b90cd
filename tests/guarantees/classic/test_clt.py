import math

import pytest

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP, BerryEsseen, PureDP, TradeOff
from dalenius.guarantees.classic.clt import limit_mu


@pytest.mark.theorem("A Thm 13.5", "A Rem 13.9")
@pytest.mark.parametrize(("epsilon", "times"), [("0.1", 100), ("0.05", 400), ("0.2", 64)])
def test_bounds_hold_on_the_exact_composition(epsilon, times):
    bound = BerryEsseen.of([(PureDP(epsilon), times)])
    exact = TradeOff.of_composition(PureDP(epsilon).repeat(times))
    for alpha in (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0):
        assert bound.floor(alpha) <= float(exact.ceiling(alpha))
        assert float(exact.floor(alpha)) <= bound.ceiling(alpha)
    assert bound.floor(0.3) > 0


@pytest.mark.theorem("A Thm 13.5")
def test_parameters_are_the_formula_with_the_centred_moment():
    bound = BerryEsseen.of([(PureDP("0.1"), 100)])
    kl = 0.1 * math.tanh(0.05)
    p = 1 / (1 + math.exp(-0.1))
    variance = 100 * (0.01 - kl**2)
    centred = 100 * (p * (0.1 - kl) ** 3 + (1 - p) * (0.1 + kl) ** 3)
    assert float(bound.mu) == pytest.approx(200 * kl / math.sqrt(variance))
    assert float(bound.gamma) == pytest.approx(0.56 * centred / variance**1.5)
    printed = 0.56 * 100 * 0.1**3 / variance**1.5
    assert printed <= float(bound.gamma) * 1.01  # for symmetric responses the two nearly agree


@pytest.mark.theorem("A Thm 13.5")
def test_gaussian_parts_give_their_own_mu():
    bound = BerryEsseen.of([(GDP("0.1"), 100)])
    assert float(bound.mu) == pytest.approx(1)
    assert float(bound.gamma) == pytest.approx(0.56 * 1.5957691216057308 / 10)


@pytest.mark.theorem("A Thm 13.5")
def test_conditions_are_checked():
    with pytest.raises(UnprovenClaim, match="γ < 1/2"):
        BerryEsseen.of([(PureDP(1), 1)])
    with pytest.raises(UnprovenClaim, match="variance"):
        BerryEsseen.of([(PureDP(0), 5)])
    with pytest.raises(UnprovenClaim):
        BerryEsseen.of([(ApproxDP(1, 0.1), 100)])


@pytest.mark.theorem("A Thm 13.6", "A Rem 13.9")
def test_the_limit_is_approached_but_is_no_guarantee():
    gaps = []
    for times in (25, 400, 6400):
        each = PureDP(1 / math.sqrt(times))
        mu = limit_mu([(each, times)])
        exact = each.repeat(times).epsilon_interval(1e-6)[0]
        gaps.append(abs(GDP(mu).epsilon(1e-6) - exact))
    assert gaps[0] > gaps[1] > gaps[2]
    # with few, large parts the limit claims less than the truth
    for epsilon in (0, 1, 4, 6):
        assert GDP(limit_mu([(PureDP(2), 10)])).delta(epsilon) < PureDP(2).repeat(10).delta_interval(epsilon)[0]
