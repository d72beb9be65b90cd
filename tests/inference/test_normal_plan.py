from fractions import Fraction

import numpy as np
import pytest

from dalenius import inference
from dalenius.curator import Curator, Facts
from dalenius.errors import InvalidParameter
from dalenius.inference.normal_plan import paired_differences
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from tests.inference.releases import release_of

CHANGED = Unit.row(Relation.CHANGE_ONE)


def curator(tmp_path, x, rows=None):
    ledger = Ledger.open(tmp_path / "normal.ledger")
    ledger.create("people", 3, unit=CHANGED)
    return Curator({"x": x}, unit=CHANGED, ledger=ledger, dataset="people", rows=rows or len(x))


def test_it_is_charged_once_and_another_number_of_rows_before_any_charge(tmp_path):
    x = np.random.default_rng(1).normal(50, 2, 800)
    gate = curator(tmp_path, x)
    plan = inference.plan_normal_mean("x", mean_within=(-500, 500), deviation=(".1", 50), epsilon=2, about=gate)
    release = gate.release(plan)
    assert gate.ledger.remaining("people").epsilon == 1
    found = inference.normal_mean(release)
    assert found.interval[0] < x.mean() < found.interval[1]
    assert type(release).from_dict(release.to_dict()).notes == release.notes
    facts = Facts.declare(unit=CHANGED, rows=799)
    other = inference.plan_normal_mean("x", mean_within=(-500, 500), deviation=2, epsilon=1, about=facts)
    with pytest.raises(InvalidParameter, match="another number of rows"):
        gate.release(other)
    assert gate.ledger.remaining("people").epsilon == 1
    assert "of ε" in str(plan.explain())


def test_the_steps_cost_what_is_charged_and_each_step_at_most_its_share():
    plan = inference.plan_normal_mean(
        "x",
        mean_within=(-500, 500),
        deviation=(".1", 50),
        epsilon=2,
        about=Facts.declare(unit=CHANGED, rows=800),
    )
    design = plan.design
    assert design.scale_share + design.place_share + design.rest == 1
    sums = plan._sums(Fraction(0), Fraction(10)).guarantee
    assert sums.epsilon(0) <= float(2 * design.rest) + 1e-12
    assert (
        plan.fingerprint
        != inference.plan_normal_mean(
            "x",
            mean_within=(-500, 501),
            deviation=(".1", 50),
            epsilon=2,
            about=Facts.declare(unit=CHANGED, rows=800),
        ).fingerprint
    )


def test_one_row_moves_one_difference_in_whatever_order_rows_come():
    """The same random order on both sides: neighbors differ in one place of the differences at most."""

    class Same(Bits):
        def words(self, kind, size):
            return np.random.default_rng(9).integers(0, 2**63, size).astype(kind)

    x = np.arange(21.0) ** 2
    for row in range(21):
        other = x.copy()
        other[row] = np.nan
        one, two = (paired_differences(column, Same()) for column in (x, other))
        assert np.sum(~((one == two) | (np.isnan(one) & np.isnan(two)))) <= 1
        assert len(one) == 10


def test_orders_are_uniform():
    """Four rows have three pairings, each with a chance of 1/3: 600 draws within 6 standard errors."""
    x, bits = np.array([0.0, 1.0, 10.0, 100.0]), Bits()
    seen = [tuple(sorted(paired_differences(x, bits).tolist())) for _ in range(600)]
    times = [seen.count(one) for one in set(seen)]
    assert len(times) == 3
    assert max(abs(time - 200) for time in times) < 6 * (600 * 2 / 9) ** 0.5


def test_rows_that_hold_no_number_make_nothing_fail():
    plan = inference.plan_normal_mean(
        "x", mean_within=(-9, 9), deviation=(".5", 2), epsilon=9, about=Facts.declare(unit=CHANGED, rows=400)
    )
    x = np.array([None, "text", float("inf"), float("-inf"), float("nan"), *([1.0] * 395)], object)
    found = inference.normal_mean(release_of(plan, {"x": x}))
    assert -9 <= found.interval[0] <= found.interval[1] <= 9
