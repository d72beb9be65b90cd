import math
from fractions import Fraction

import mpmath
import pytest
from scipy import integrate, stats

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, membership_risk


@pytest.mark.parametrize("epsilon", [0.1, 1, 3, 20])
def test_pure_privacy_has_the_closed_forms_rounded_up(epsilon):
    risk = membership_risk(PureDP(epsilon))
    with mpmath.workdps(50):
        e = mpmath.exp(mpmath.mpf(epsilon))
        for told, truth in ((risk.odds_factor, e), (risk.posterior, e / (1 + e)), (risk.chance, e / (1 + e))):
            assert truth <= told <= truth * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("prior", ["0.01", "0.2", "0.5", "0.7", "0.999"])
def test_randomized_response_is_guessed_as_often_as_is_said(prior):
    p, truthful = float(prior), math.exp(1.5) / (1 + math.exp(1.5))
    best = sum(max(p * yes, (1 - p) * no) for yes, no in ((truthful, 1 - truthful), (1 - truthful, truthful)))
    assert membership_risk(PureDP(1.5), prior).chance == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("prior", ["0.05", "0.5", "0.9"])
def test_gaussian_noise_is_guessed_as_often_as_is_said(prior):
    p, mu = float(prior), 1.3
    best, _ = integrate.quad(
        lambda x: max(p * stats.norm.pdf(x, mu), (1 - p) * stats.norm.pdf(x)), -12, 14, limit=500, epsabs=1e-12
    )
    risk = membership_risk(GDP("1.3"), prior)
    assert risk.chance == pytest.approx(best, abs=1e-8)
    assert risk.chance >= best - 1e-9
    assert risk.detection == pytest.approx(stats.norm.sf(stats.norm.isf(0.01) - mu), rel=1e-9)


def test_odds_have_no_bound_without_one_on_every_loss():
    for guarantee in (GDP(1), ApproxDP(1, "1e-6"), ZCDP("0.5")):
        risk = membership_risk(guarantee)
        assert (risk.odds_factor, risk.posterior) == (math.inf, 1.0)
        assert 0.5 < risk.chance < 1
        assert "no bound on the odds" in str(risk)


def test_a_small_delta_adds_no_more_than_its_half():
    plain, slack = membership_risk(PureDP(1)).chance, membership_risk(ApproxDP(1, "0.01")).chance
    assert plain < slack <= plain + 0.005 + 1e-12


def test_nothing_released_leaves_the_prior():
    risk = membership_risk(PureDP(0), "0.3", false_alarms="0.05")
    assert risk.posterior == pytest.approx(0.3)
    assert risk.chance == pytest.approx(0.7)
    assert risk.detection == pytest.approx(0.05)


@pytest.mark.parametrize("prior", [0, 1, "1.5", -1])
def test_a_prior_is_no_certainty(prior):
    with pytest.raises(InvalidParameter, match="prior"):
        membership_risk(PureDP(1), prior)


def test_it_is_told_in_a_sentence():
    assert "odds times 2.719, a probability of 73.106 % at most" in str(membership_risk(PureDP(1)))


def test_a_level_that_is_no_decimal_is_rounded_up():
    third = Fraction(1, 3)
    with mpmath.workdps(50):
        truth = 1 - max(1 - mpmath.exp(mpmath.mpf("0.1")) / 3, mpmath.exp(-mpmath.mpf("0.1")) * 2 / 3)
        assert (
            truth <= membership_risk(PureDP("0.1"), false_alarms=third).detection <= truth * (1 + mpmath.mpf(10) ** -12)
        )
