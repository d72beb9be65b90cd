import math

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import subsample_and_aggregate

NUMBERS = np.random.default_rng(8).normal(3, 1, 40_000)


def medians(block):
    return np.median(block["x"])


@pytest.mark.theorem("A Alg 1", "A Thm 8.2")
@pytest.mark.parametrize("aggregate", ["winsorized mean", "mean"])
@pytest.mark.parametrize("unit", [Unit.row(), Unit.row(Relation.CHANGE_ONE), Unit("u"), Unit("u", Relation.CHANGE_ONE)])
def test_the_price_is_epsilon_under_either_relation_and_for_any_unit(aggregate, unit):
    plan = subsample_and_aggregate(
        medians, ["x"], 100, (-10, 10), epsilon=2, version="median", aggregate=aggregate, unit=unit
    )
    assert plan.guarantee.sum_form == (2, 0)
    assert plan.guarantee.relation is unit.relation


@pytest.mark.parametrize("aggregate", ["winsorized mean", "mean"])
def test_a_black_box_is_answered_near_the_truth(aggregate):
    plan = subsample_and_aggregate(medians, ["x"], 400, (-10, 10), epsilon=4, version="median", aggregate=aggregate)
    table = Table.of({"x": NUMBERS})
    values = [outcome.column(outcome.shown[0])[0] for outcome in (plan.run(table, Bits()) for _ in range(3))]
    # the mean of bounds 20 wide over 400 blocks at ε = 2 has scale 1/40; 30 scales are passed with chance e^−30
    assert all(abs(value - 3) < 1 for value in values)


def test_several_numbers_share_the_budget():
    plan = subsample_and_aggregate(
        lambda block: (np.median(block["x"]), np.std(block["x"])),
        ["x"],
        400,
        {"middle": (-10, 10), "spread": (0, 10)},
        epsilon=8,
        version="two",
        aggregate="mean",
    )
    assert plan.guarantee.sum_form == (8, 0)
    outcome = plan.run(Table.of({"x": NUMBERS}), Bits())
    told = {item.name: outcome.column(item)[0] for item in outcome.shown}
    assert abs(told["middle"] - 3) < 1
    assert abs(told["spread"] - 1) < 1


def test_failures_are_the_default():
    def fails(block):
        raise RuntimeError(block)

    plan = subsample_and_aggregate(fails, ["x"], 1000, (0, 10), epsilon=9, version="f", default=2, aggregate="mean")
    outcome = plan.run(Table.of({"x": [1, 2, 3]}), Bits())
    assert abs(outcome.column(outcome.shown[0])[0] - 2) < 0.1  # scale 10/9000: e^−90
    assert plan.results[0].default == 2
    assert subsample_and_aggregate(fails, ["x"], 2, (0, 10), epsilon=1, version="f").results[0].default == 5


@pytest.mark.parametrize("rows", [[], [np.nan]], ids=["empty", "nan"])
def test_hardly_any_rows_still_give_an_answer(rows):
    plan = subsample_and_aggregate(medians, ["x"], 3, (0, 1), epsilon=1, version="median")
    outcome = plan.run(Table.of({"x": rows}), Bits())
    assert 0 <= outcome.column(outcome.shown[0])[0] <= 1


@pytest.mark.parametrize(
    "change",
    [
        {"columns": "x"},
        {"columns": []},
        {"blocks": 0},
        {"blocks": 2.0},
        {"bounds": (1, 0)},
        {"bounds": (1, 1)},
        {"bounds": {}},
        {"epsilon": 0},
        {"version": ""},
        {"aggregate": "median"},
        {"default": 7},
        {"f": 3},
    ],
    ids=str,
)
def test_bad_questions_are_refused_by_name(change):
    asked = {"f": medians, "columns": ["x"], "blocks": 5, "bounds": (0, 1), "epsilon": 1, "version": "v"}
    with pytest.raises(InvalidParameter):
        subsample_and_aggregate(**asked | change)


@pytest.mark.theorem("A Thm 8.1")
def test_a_normal_statistic_has_a_private_version_with_the_same_limit():
    """Means of blocks: with n^(3/4) of them noise is of order n^(−3/4), and the law is that of the mean of all rows.

    The noise falls as n^(−3/4), so its part of the deviation as n^(−1/4), to nothing.
    """

    def mean(block):
        return block["x"].mean() if len(block["x"]) else 0.5

    shares = []
    for n in (10**4, 10**8, 10**12):
        plan = subsample_and_aggregate(
            mean, ["x"], min(round(n**0.75), 2**20), (0, 1), epsilon=1, version="m", aggregate="mean"
        )
        parts = plan.plan.plan
        scale = float(parts.mechanism.scale * parts.query.lattice.step) / 2 / round(n**0.75)
        shares.append(math.sqrt(2) * scale / (math.sqrt(1 / 12) / math.sqrt(n)))
    assert shares[0] == pytest.approx(10 * shares[1], rel=0.02) == pytest.approx(100 * shares[2], rel=0.05)
    rng, n, found = np.random.default_rng(), 1000, []
    plan = subsample_and_aggregate(mean, ["x"], 250, (0, 1), epsilon=4, version="m", aggregate="mean")
    for _ in range(100):
        outcome = plan.run(Table.of({"x": rng.random(n)}), Bits())
        found.append(outcome.column(outcome.numbers[0])[0] - 0.5)
    spread = float(np.std(found)) * math.sqrt(n) / math.sqrt(1 / 12)
    assert 0.6 < spread < 1.7  # blocks of different sizes weigh alike, which adds some; six deviations are .42
    scaled = np.sort(found) / np.std(found)
    assert np.abs(ndtr(scaled) - np.arange(1, 101) / 100).max() < 0.33  # Dvoretzky, Kiefer and Wolfowitz at 1e-9
