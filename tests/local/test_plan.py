import math

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import Shuffled
from dalenius.local import Frequency, mean_model_errors, minimax_rate, model_errors, needed
from dalenius.local.plan import _local_epsilon


def test_the_reports_and_epsilon_needed_reach_the_error():
    plan = Frequency(100, 1).plan(50_000, error=0.01)
    best = Frequency(100, 1).oracle
    assert 1.96 * math.sqrt(best.variance(plan.reports)) <= 0.01 * 1.0001
    assert 1.96 * math.sqrt(best.variance(plan.reports - 100)) > 0.01
    assert plan.epsilon is not None
    assert 1.96 * math.sqrt(Frequency(100, plan.epsilon).oracle.variance(50_000)) <= 0.01 * 1.001
    assert needed(100, 1, 1, 1e-9).epsilon is None
    for bad in ((100, 1, 10, 0), (100, 1, 10, 0.1, 1)):
        with pytest.raises(InvalidParameter):
            needed(*bad)


@pytest.mark.theorem("A Thm 4.1", "A Thm 4.2", "A §4.2.2 comparison")
def test_rates_are_those_of_the_notes_cut_at_one():
    n, e = 10**6, 0.5
    assert minimax_rate("local", n, e, 2) == pytest.approx(1 / (e * math.sqrt(n)))
    assert minimax_rate("central", n, e, 2) == pytest.approx((1 + 1 / e) / n)
    assert minimax_rate("local", n, e, math.inf) == pytest.approx(1 / (n * e**2))
    assert minimax_rate("central", n, e, math.inf) == pytest.approx(1 / n + 1 / (n * e) ** 2)
    # printed without the cut, the bounds exceed the risk of answering 0, which is at most 1
    assert minimax_rate("local", 4, 0.1, 2) == 1.0
    assert minimax_rate("central", 1, 0.1, 2) == 1.0
    # Duchi's randomizer attains the local rate for bounded numbers: ((E+1)/(E−1))²/n ≈ 4/(nε²)
    ratio = ((math.exp(e) + 1) / (math.exp(e) - 1)) ** 2 / n / minimax_rate("local", n, e, math.inf)
    assert 1 < ratio < 5
    for bad in (("shuffled", 1, 1, 2), ("local", 0, 1, 2), ("local", 1, 0, 2), ("local", 1, 1, 1)):
        with pytest.raises(InvalidParameter):
            minimax_rate(*bad)


def test_trust_buys_accuracy_and_a_shuffler_stands_between():
    errors = model_errors(100, 1, 1e-6, 100_000)
    assert errors["central"] < errors["shuffled"] < errors["local"]
    hidden = _local_epsilon(Frequency(2, "0.1").guarantee().budget, 1e-6, 10_000)
    assert Shuffled(hidden, 10_000).delta(0.1) <= 1e-6
    assert Shuffled(float(hidden) * 1.01, 10_000).delta(0.1) > 1e-6
    slope = np.log(model_errors(100, 1, 1e-6, 10_000)["local"] / errors["local"]) / np.log(10)
    assert slope == pytest.approx(0.5)


def test_errors_of_a_mean_in_three_models_fall_as_their_rates():
    few, many = (mean_model_errors(1, 1e-6, n) for n in (10_000, 1_000_000))
    assert few["local"] / many["local"] == pytest.approx(10)
    assert few["local minimax rate"] == pytest.approx(0.01)
    assert few["central minimax rate"] == pytest.approx((1e-4 + 1e-8) ** 0.5)
    for errors in (few, many):
        assert errors["central"] < errors["shuffled"] < errors["local"]
        assert errors["local minimax rate"] < errors["local"] < 3 * errors["local minimax rate"]
    assert few["local"] ** 2 * 10_000 == pytest.approx(5.288992, rel=1e-4)  # the hybrid's variance at ε = 1, and 1
