import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim


@pytest.mark.parametrize(("epsilon", "rows"), [("1", 905.0246), ("0.1", 1474.7193)])
def test_the_number_of_people_is_the_printed_one(epsilon, rows):
    assert inference.plan(error="0.03", epsilon=epsilon, share="0.3").rows == pytest.approx(rows, abs=1e-4)


def test_the_epsilon_is_the_printed_one_and_leads_back():
    found = inference.plan(error="0.03", rows=1000, share="0.3")
    assert found.epsilon == pytest.approx(0.2859946879, abs=1e-10)
    assert inference.plan(error="0.03", epsilon=found.epsilon, share="0.3").rows == pytest.approx(1000, rel=1e-9)
    assert "n = 1000" in str(found)


def test_a_planned_interval_is_about_as_wide_as_was_planned():
    from dalenius.mechanisms import Geometric

    n = round(inference.plan(error="0.03", epsilon=1, share="0.3").rows)
    found = inference.proportion(round(0.3 * n), rows=n, mechanism=Geometric(1))
    assert found.width / 2 == pytest.approx(0.03, rel=0.05)


def test_power_is_planned_by_enumeration():
    found = inference.plan(power="0.8", p0="0.5", share="0.6", epsilon=1)
    assert inference.power_of_proportion(round(found.rows), "0.5", "0.6", epsilon=1)[0] >= 0.8
    assert inference.power_of_proportion(round(found.rows) - 8, "0.5", "0.6", epsilon=1)[0] < 0.8
    other = inference.plan(power="0.8", p0="0.5", share="0.6", rows=200)
    assert inference.power_of_proportion(200, "0.5", "0.6", epsilon=other.epsilon)[0] == pytest.approx(0.8, abs=1e-4)


@pytest.mark.theorem("A Rem 1.3", "A Ex 3.5", "G global model")
def test_noise_of_a_count_vanishes_against_sampling_and_that_of_responses_does_not():
    """Var = pq/n + 2a/(1 − a)²/n² for the count, pq/n + e^ε/(n(e^ε − 1)²) for randomized response, by closed forms."""
    a = np.exp(-1.0)
    for n in (10, 1000, 100_000):
        central = inference.cost_of_privacy(1, n, share="0.3")
        local = inference.local_cost_of_privacy(1, n, share="0.3")
        assert central.noise_variance == pytest.approx(2 * a / (1 - a) ** 2 / n**2)
        assert local.noise_variance == pytest.approx(np.e / (n * (np.e - 1) ** 2))
        assert central.sampling_variance == local.sampling_variance == pytest.approx(0.21 / n)
        assert local.share == pytest.approx(inference.local_cost_of_privacy(1, 10, share="0.3").share)
    assert central.share < 1e-3
    assert inference.cost_of_privacy(1, 9, share="0.3").share < 0.5 < inference.cost_of_privacy(1, 8, share="0.3").share
    assert central.break_even == pytest.approx(2 * a / (1 - a) ** 2 / 0.21)
    assert central.error_ratio < 1.001
    tenth = inference.cost_of_privacy(1, round(central.below_a_tenth), share="0.3")
    assert tenth.noise_variance / tenth.sampling_variance == pytest.approx(1 / 100, rel=1e-2)
    assert local.below_a_tenth == np.inf
    assert inference.local_cost_of_privacy(20, 10, share="0.3").below_a_tenth == 0
    assert "at every n" in str(local)
    assert "sampling" in str(central)


def test_a_plan_of_a_count_tells_its_own_cost():
    found, told = inference.cost_of_privacy(st.count(epsilon=1), 500), inference.cost_of_privacy(1, 500)
    assert found.noise_variance == pytest.approx(told.noise_variance)


@pytest.mark.parametrize(
    "given",
    [
        {"error": "0.1"},
        {"rows": 10},
        {"error": "0.1", "power": "0.8", "rows": 10},
        {"error": "0.1", "rows": 10, "epsilon": 1},
        {"power": "0.8", "rows": 10},
        {"power": "0.8", "rows": 10, "p0": "0.5"},
        {"power": "0.99", "rows": 10, "p0": "0.5", "share": "0.6"},
        {"error": "0.001", "rows": 10},
    ],
)
def test_what_cannot_be_planned_is_refused(given):
    with pytest.raises(InvalidParameter):
        inference.plan(**given)


def test_a_share_of_all_or_none_has_no_cost():
    for cost in (inference.cost_of_privacy, inference.local_cost_of_privacy):
        with pytest.raises(InvalidParameter):
            cost(1, 10, share=1)


def test_the_cost_of_a_mean_is_that_of_its_noisy_sums():
    """Σ(x − m) = (1 − m)Σx − mΣ(1 − x) in [0, 1]: the variances of the two parts times (1 − m)² + m²."""
    plan = st.mean("x", (0, 10), epsilon=1)
    found = inference.cost_of_privacy(plan, 1000, share="0.3")
    noise = plan.plan.mechanism.noise.variance * float(plan.plan.query.lattice.step) ** 2
    assert found.noise_variance == pytest.approx(100 * noise * (0.7**2 + 0.3**2) / 1000**2)
    assert found.sampling_variance == pytest.approx(0.21 * 100 / 1000)
    narrow = inference.cost_of_privacy(plan, 1000, share="0.3", deviation=1)
    assert narrow.sampling_variance == pytest.approx(1 / 1000)
    assert narrow.share > found.share
    with pytest.raises(UnprovenClaim, match="count or a mean"):
        inference.cost_of_privacy(st.variance("x", (0, 10), epsilon=1), 1000)
    with pytest.raises(InvalidParameter, match="deviation"):
        inference.cost_of_privacy(1, 1000, deviation=1)
