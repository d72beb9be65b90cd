import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, MixedRelations, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.mechanisms.randomized_response import RandomizedResponse, TunedResponse
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, chi_square

LOCAL = Sensitivity(1, Metric.UNITS)
MECHANISMS = [
    RandomizedResponse(Fraction(1, 2)),
    RandomizedResponse(Fraction(2, 7), 5),
    RandomizedResponse(Fraction(1)),
    TunedResponse(Fraction(1)),
    TunedResponse(Fraction(3, 2), 4),
]
EACH = pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)


def stay_of(mechanism, factor=1):
    """P[truth], from the definition; with `factor` times the coin or 1/factor times the ε."""
    k = mechanism.values
    if isinstance(mechanism, RandomizedResponse):
        p = float(mechanism.coin) * factor
        return 1 - p + p / k
    odds = math.exp(float(mechanism.epsilon) / factor)
    return odds / (odds + k - 1)


@EACH
@pytest.mark.theorem("A Thm 3.1", "A Ex 4.2", "G randomized response")
def test_the_law_that_is_sampled_is_the_law_that_is_claimed(mechanism):
    k, draws, truth = mechanism.values, 40_000, mechanism.values - 1
    counts = np.bincount(mechanism.release(np.full(draws, truth), Bits()), minlength=k).astype(float)

    def law(factor):
        stay = stay_of(mechanism, factor)
        return np.array([stay if value == truth else (1 - stay) / (k - 1) for value in range(k)])

    assert chi_square(counts, law(1)) > FALSE_ALARM
    for factor in (0.75, 1.25):
        assert chi_square(counts, law(factor)) < FALSE_ALARM


@pytest.mark.theorem("A Thm 3.1", "G randomized response")
@pytest.mark.parametrize("coin", ["1/2", "0.1", "1/1000003", "0.999"])
def test_epsilon_is_the_logarithm_of_two_minus_p_over_p_rounded_up(coin):
    p = Fraction(coin)
    found = RandomizedResponse(p).guarantee(LOCAL).budget
    with mp.workdps(60):
        truth = mp.log((2 - mp.mpf(p.numerator) / p.denominator) * p.denominator / p.numerator)
        exact = mp.mpf(found.numerator) / found.denominator
        assert truth <= exact <= truth * (1 + mp.mpf(2) ** -80)


@pytest.mark.theorem("A Rem 3.2")
def test_a_coin_alone_is_perfect_privacy_no_coin_is_refused_and_a_target_fixes_the_coin():
    assert RandomizedResponse(1).guarantee(LOCAL) == PureDP(0, Relation.CHANGE_ONE)
    with pytest.raises(InvalidParameter, match="coin"):
        RandomizedResponse(0)
    calibrated = RandomizedResponse.least(LOCAL, PureDP(1, Relation.CHANGE_ONE))
    assert float(calibrated.coin) == pytest.approx(2 / (1 + math.e), rel=1e-15)
    assert 1 - 1e-15 < calibrated.guarantee(LOCAL).budget <= 1
    assert TunedResponse.least(LOCAL, PureDP(1, Relation.CHANGE_ONE)) == TunedResponse(1)


def test_several_reports_of_one_person_share_epsilon():
    three = Sensitivity(3, Metric.UNITS)
    assert TunedResponse.least(three, PureDP(1)).epsilon == Fraction(1, 3)
    assert TunedResponse(Fraction(1, 3)).guarantee(three).budget == 1
    assert TunedResponse(1).guarantee(Sensitivity("2.5", Metric.UNITS)).budget == 3
    assert TunedResponse(1).guarantee(Sensitivity(0, Metric.UNITS)).budget == 0


@pytest.mark.theorem("A Rem 4.4", "A Thm 3.1")
@EACH
def test_the_reports_of_all_people_tell_a_changed_one_apart_by_exactly_epsilon(mechanism):
    """Every vector of three reports, for people with values 0, 1, 0 and 0, 1, 1: the largest ratio is e^ε."""
    stay = stay_of(mechanism)
    other = (1 - stay) / (mechanism.values - 1)

    def mass(reports, people):
        return math.prod(stay if y == x else other for y, x in zip(reports, people, strict=True))

    every = itertools.product(range(mechanism.values), repeat=3)
    worst = max(mass(reports, (0, 1, 0)) / mass(reports, (0, 1, 1)) for reports in every)
    claim = mechanism.guarantee(LOCAL)
    assert float(claim.budget) == pytest.approx(math.log(worst), rel=1e-12, abs=1e-12)


@pytest.mark.theorem("A Rem 4.4")
@EACH
def test_the_number_of_reports_is_public_so_add_remove_is_refused(mechanism):
    assert mechanism.guarantee(LOCAL).relation is Relation.CHANGE_ONE
    with pytest.raises(MixedRelations, match="change-one"):
        mechanism.guarantee(LOCAL, Relation.ADD_REMOVE)
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.L1))


@pytest.mark.theorem("A Ex 4.2")
@pytest.mark.parametrize("answer", [[0.3], [0.0, 1.0], [2], [-1], [True], ["a"], [[0, 1]], [math.nan], None])
def test_nothing_between_the_declared_values_is_taken_and_the_refusal_does_not_name_it(answer):
    # errata: printed for X in [0, 1]; X = 0.3 would have been sent as 0.3 or 0.7
    for mechanism in (RandomizedResponse(Fraction(1, 2)), TunedResponse(1)):
        with pytest.raises(InvalidParameter, match="declared values") as refusal:
            mechanism.release(answer, NoBits())
        assert "0.3" not in str(refusal.value)


def truth_variance(mechanism, theta, n):
    """Of (Ȳ − p/k)/(1 − p), Y Bernoulli."""
    k, stay = mechanism.values, stay_of(mechanism)
    other = (1 - stay) / (k - 1)
    seen = stay * theta + other * (1 - theta)
    return seen * (1 - seen) / (n * (stay - other) ** 2)


@pytest.mark.theorem("A Ex 3.2")
@pytest.mark.parametrize("mechanism", [m for m in MECHANISMS if m.cost > 0], ids=repr)
def test_the_estimate_is_unbiased_with_the_variance_stated(mechanism):
    # 400 surveys of 500 people: the mean within 6.5 deviations of the truth (1e-10), the variance within 7 of its own
    people, surveys, theta = 500, 400, 0.3
    truth = np.zeros(people, np.int64)
    truth[: int(theta * people)] = 1
    found = np.array([mechanism.estimate(mechanism.release(truth, Bits()))[1] for _ in range(surveys)])
    stated = mechanism.variance(people, theta)
    assert abs(found.mean() - theta) < 6.5 * math.sqrt(stated / surveys)
    # here the truths are fixed, so the sampling part θ(1 − θ)/n of the stated variance is absent
    private = stated - theta * (1 - theta) / people
    assert 0.5 * private < found.var() < 1.5 * private
    assert stated == pytest.approx(truth_variance(mechanism, theta, people), rel=1e-12)


@pytest.mark.theorem("A Ex 3.2")
def test_with_two_values_the_variance_is_the_one_of_the_notes():
    for epsilon in (0.1, 1, 3):
        growth, theta, n = math.exp(epsilon), 0.2, 1000
        truth = (growth / (growth - 1) ** 2 + theta * (1 - theta)) / n
        assert TunedResponse(epsilon).variance(n, theta) == pytest.approx(truth, rel=1e-12)
    # for small ε about (1/ε² + θ(1 − θ))/n
    assert TunedResponse(0.01).variance(1, 0.5) == pytest.approx(1 / 0.01**2 + 0.25, rel=1e-4)


@pytest.mark.theorem("A Ex 3.2")
def test_estimates_of_all_shares_add_up_to_one():
    for mechanism in (RandomizedResponse(Fraction(2, 7), 5), TunedResponse(1, 5)):
        reports = mechanism.release(np.arange(1000) % 5, Bits())
        assert mechanism.estimate(reports).sum() == pytest.approx(1, rel=1e-9)


def test_a_coin_alone_gives_no_estimate():
    with pytest.raises(InvalidParameter, match="no estimate"):
        RandomizedResponse(1).estimate([0, 1])
    with pytest.raises(InvalidParameter, match="no estimate"):
        RandomizedResponse(1).variance(10, 0.5)


@pytest.mark.parametrize(
    "build",
    [
        lambda: RandomizedResponse(-1),
        lambda: RandomizedResponse(1.5),
        lambda: RandomizedResponse(0.5, 1),
        lambda: RandomizedResponse(0.5, True),
        lambda: TunedResponse(0),
        lambda: TunedResponse(math.nan),
        lambda: TunedResponse(1, 2.0),
        lambda: TunedResponse(1).variance(0, 0.5),
        lambda: TunedResponse(1).variance(10, 1.5),
        lambda: TunedResponse.least(Sensitivity(0, Metric.UNITS), PureDP(1)),
    ],
)
def test_bad_parameters_are_refused(build):
    with pytest.raises(InvalidParameter):
        build()


def test_another_notion_is_refused():
    with pytest.raises(UnprovenClaim):
        TunedResponse.least(LOCAL, GDP(1))


def test_no_answers_give_no_reports():
    assert TunedResponse(1).release(np.array([], np.int64), Bits()).size == 0


def test_more_noise_is_a_larger_coin_or_a_smaller_epsilon():
    assert RandomizedResponse(Fraction(1, 2)).scaled(Fraction(3, 2)).coin == Fraction(3, 4)
    assert RandomizedResponse(Fraction(1, 2)).scaled(3).coin == 1
    assert TunedResponse(1).scaled(2).epsilon == Fraction(1, 2)
