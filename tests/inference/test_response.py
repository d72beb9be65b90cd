import numpy as np
import pytest
from scipy.stats import binom

from dalenius import inference
from dalenius.errors import InvalidParameter
from dalenius.mechanisms import RandomizedResponse, TunedResponse
from tests.inference.releases import generator, least_hits


@pytest.mark.parametrize(
    ("mechanism", "estimate", "low", "high"),
    [
        (TunedResponse(1), 0.309572099591, 0.243120367148, 0.377148277995),
        (RandomizedResponse("1/2"), 0.324, 0.262583028617, 0.386456222925),
    ],
)
def test_a_survey_of_a_thousand_has_the_printed_ends(mechanism, estimate, low, high):
    found = inference.randomized_response(412, 1000, mechanism)
    assert found.estimate == pytest.approx(estimate, abs=1e-11)
    assert found.interval == pytest.approx((low, high), abs=1e-11)


@pytest.mark.theorem("A Ex 3.2")
@pytest.mark.parametrize("share", [0.002, 0.1, 0.5])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_coverage_is_enumerated_and_never_below_the_level(share, epsilon):
    mechanism, n = TunedResponse(epsilon), 150
    odds = np.exp(float(epsilon))
    seen = (share * odds + 1 - share) / (1 + odds)
    ends = [inference.randomized_response(x, n, mechanism).interval for x in range(n + 1)]
    held = [low <= share <= high for low, high in ends]
    assert binom.pmf(np.arange(n + 1), n, seen)[held].sum() >= 0.95 - 1e-9
    naive = [low <= share <= high for low, high in (_naive(x, n) for x in range(n + 1))]
    if share == 0.1:
        assert binom.pmf(np.arange(n + 1), n, seen)[naive].sum() < 0.9


def _naive(x, n):
    p = x / n
    reach = 1.96 * np.sqrt(p * (1 - p) / n)
    return p - reach, p + reach


def test_several_values_may_be_counted_together():
    rng, mechanism = generator(), TunedResponse(2, 5)
    stay = np.exp(2) / (np.exp(2) + 4)
    hits = 0
    for _ in range(300):
        truth = rng.choice(5, 400, p=[0.1, 0.2, 0.3, 0.3, 0.1])
        moved = rng.random(400) > stay
        reports = np.where(moved, (truth + rng.integers(1, 5, 400)) % 5, truth)
        low, high = inference.randomized_response(
            int(np.isin(reports, (0, 1)).sum()), 400, mechanism, values=2
        ).interval
        hits += low <= 0.3 <= high
    assert hits >= least_hits(300, 0.95)


def test_local_reports_have_a_mean_with_their_own_noise_in_it():
    rng, hits = generator(), 0
    for _ in range(200):
        reports = rng.uniform(0, 1, 300) + rng.laplace(0, 1, 300)
        low, high = inference.local_mean(reports, (0, 1), epsilon=1).interval
        hits += low <= 0.5 <= high
    assert hits >= least_hits(200, 0.94)
    assert inference.local_mean(reports, (0, 1), epsilon=1).coverage == "asymptotic"


@pytest.mark.parametrize(
    "call",
    [
        lambda: inference.randomized_response(11, 10, TunedResponse(1)),
        lambda: inference.randomized_response(True, 10, TunedResponse(1)),
        lambda: inference.randomized_response(3, 10, TunedResponse(1), values=2),
        lambda: inference.randomized_response(3, 10, RandomizedResponse(1)),
        lambda: inference.local_mean([1.0], (0, 1), epsilon=1),
        lambda: inference.local_mean([1.0, np.nan], (0, 1), epsilon=1),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(InvalidParameter):
        call()
