from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dalenius import inference
from dalenius.curator import Curator
from dalenius.errors import InvalidParameter
from dalenius.inference.black_box import best_division, plan_of_tests
from dalenius.ledger import Ledger
from dalenius.mechanisms import Tulap
from dalenius.neighbors import Unit
from tests.inference.releases import generator, release_of


def t_test(block):
    return stats.ttest_1samp(block["x"], 0.0).pvalue


def rank_test(block):
    return stats.mannwhitneyu(block["x"][block["g"] == 1], block["x"][block["g"] == 0]).pvalue


def curator(tmp_path, data, name):
    ledger = Ledger.open(tmp_path / f"{name}.ledger")
    ledger.create(name, 5, unit="row")
    return Curator(data, unit="row", ledger=ledger, dataset=name)


def test_any_test_is_charged_once_and_finds_what_is_there(tmp_path):
    rng = np.random.default_rng(1)
    there = curator(tmp_path, {"x": rng.normal(0.5, 1, 1500), "g": rng.integers(0, 2, 1500)}, "there")
    found = inference.test_any(there, t_test, ["x"], epsilon=2, version="the mean is 0")
    assert found.rejected(0.05)
    assert found.size == "guaranteed"
    assert there.ledger.remaining("there").epsilon == 3
    nothing = inference.test_any(there, rank_test, ["x", "g"], epsilon=2, version="both groups are alike", blocks=12)
    assert "12 random blocks" in nothing.method
    assert nothing.p_value > 0.001


def test_the_size_is_kept_and_without_the_noise_it_would_not_be():
    """Blocks that reject at their threshold exactly: p-values are uniform, by a Kolmogorov–Smirnov bound of 1e-9."""
    rng, values, naive = generator(), [], []
    m, bar, a = 40, 0.2, np.exp(-0.3)
    for _ in range(400):
        y = int(rng.binomial(m, bar) + rng.geometric(1 - a) - rng.geometric(1 - a))
        z = y + rng.uniform(-0.5, 0.5)
        values.append(inference.test_proportion(z, bar, "greater", rows=m, mechanism=Tulap(1, "0.3")).p_value)
        naive.append(stats.binom.sf(y - 1, m, bar))
    bound = np.sqrt(np.log(2 / 1e-9) / 800) + 1 / 400
    ranks = np.arange(1, 401) / 401
    assert np.max(ranks - np.sort(values)) < bound  # too many small ones
    assert np.max(ranks - np.sort(naive)) > np.max(ranks - np.sort(values))


def rejected(plan):
    (count,) = release_of(plan, {"x": np.arange(50.0)}).value["blocks that reject"]
    return count


def test_the_released_count_is_that_of_rejecting_blocks():
    plan, blocks, bar = plan_of_tests(
        lambda block: 0.0, ["x"], Unit.row(), epsilon=1000, version="always", blocks=7, threshold=0.25
    )
    assert (blocks, bar) == (7, 0.25)
    assert rejected(plan) == 7
    failing, _, _ = plan_of_tests(
        lambda block: 1 / 0, ["x"], Unit.row(), epsilon=1000, version="fails", blocks=7, threshold=0.25
    )
    assert rejected(failing) == 0
    lost, _, _ = plan_of_tests(
        lambda block: float("nan"), ["x"], Unit.row(), epsilon=1000, version="nan", blocks=7, threshold=0.25
    )
    assert rejected(lost) == 0
    assert plan.guarantee.epsilon(0) == 1000
    assert plan.plan.mechanism.scale == Fraction(1, 1000)  # a block that changes moves the count by 1


def test_few_blocks_suit_a_large_epsilon_and_a_two_sided_test():
    """At ε = 1 between 3 and 6 times as many people as without privacy, as the paper's 5 to 6 for small data has it."""
    few, many = best_division(2.0, 0.05), best_division(1.0, 0.05)
    assert few[0] < many[0]
    assert 3 < many[2] < 6


def test_what_makes_no_sense_is_refused(tmp_path):
    one = curator(tmp_path, {"x": np.arange(9.0)}, "one")
    for more in ({"blocks": 0}, {"threshold": 1.5}, {"epsilon": 0}, {"level": 2}):
        with pytest.raises(InvalidParameter):
            inference.test_any(one, t_test, ["x"], **({"epsilon": 1, "version": "v"} | more))
    with pytest.raises(InvalidParameter, match="list of names"):
        inference.test_any(one, t_test, "x", epsilon=1, version="v")
    with pytest.raises(InvalidParameter, match="function"):
        inference.test_any(one, 3, ["x"], epsilon=1, version="v")
    assert one.ledger.remaining("one").epsilon == 5
