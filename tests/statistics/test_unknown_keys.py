import json
import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator, Outcome
from dalenius.errors import BudgetExceeded, InvalidParameter, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Count, DistinctUnits, Keys, Table
from dalenius.statistics import unknown_keys
from tests.statistics.small import column, owned, row_pairs, unit_pairs

OPTIONS = {"epsilon": 1, "delta": 1e-6}


@pytest.mark.parametrize("relation", list(Relation))
def test_the_whole_costs_what_was_asked_whatever_is_named(relation):
    for options in ({"unit": Unit.row(relation)}, {"unit": Unit("u", relation), "groups": 3}):
        plan = unknown_keys("x", **OPTIONS, **options)
        assert plan.guarantee.sum_form == (1, Fraction(1, 10**6))
        assert plan.first.guarantee.sum_form == (Fraction(1, 2), Fraction(1, 10**6))
        for keys in (Keys.none("x"), Keys("x", ["a"]), Keys("x", [1, "b", 0.5])):
            second = plan.next(Outcome((), keys))
            assert second.guarantee.sum_form == (Fraction(1, 2), 0)


@pytest.mark.parametrize("relation", list(Relation))
def test_the_counts_of_every_neighbor_are_within_the_second_steps_sensitivity(relation):
    keys = Keys("x", ["a", "b"])
    rows = unknown_keys("x", **OPTIONS, unit=Unit.row(relation)).next(Outcome((), keys))
    for first, second in row_pairs(["a", "b", None, 3], 2, relation):
        moved = rows.query.evaluate(column(first)) - rows.query.evaluate(column(second))
        assert abs(moved).sum() <= rows.query.sensitivity(rows.unit).l1
    units = [["a"], ["a", "b"], ["b"] * 9, ["a", "b", "c", "d"]]
    for contributions in (None, 2):
        plan = unknown_keys("x", **OPTIONS, unit=Unit("u", relation), groups=1, contributions=contributions)
        query = plan.next(Outcome((), keys)).query
        for first, second in unit_pairs(units, [["a"]], relation):
            moved = query.evaluate(owned(first)) - query.evaluate(owned(second))
            assert abs(moved).sum() <= query.sensitivity(plan.unit).l1


def test_units_are_counted_where_nothing_bounds_their_rows():
    keys = Outcome((), Keys("x", ["a"]))
    units, rows = (
        unknown_keys("x", **OPTIONS, unit="u", groups=2, contributions=c).next(keys).query for c in (None, 5)
    )
    assert units == DistinctUnits(Contributions("u", 2), keys.keys)
    assert rows == Count(keys.keys, Contributions("u", 5))


def test_ten_answers_fit_in_a_budget_with_the_auto_filter_and_an_eleventh_does_not(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, delta=1e-7, unit="row", filter="auto")
    curator = Curator({"x": ["a"] * 5000 + ["b"] * 3000}, unit="row", ledger=ledger, dataset="people")
    for number in range(10):
        release = curator.release(unknown_keys("x", epsilon=0.1, delta=1e-9, name=f"n{number}"))
        assert release.value["x"] == ("a", "b")
    with pytest.raises(BudgetExceeded):
        curator.release(unknown_keys("x", epsilon=0.1, delta=1e-9, name="one more"))


def test_a_table_without_rows_is_an_answer_in_every_form(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=9, delta=1e-5, unit="u")
    for at, rows in enumerate(([], [None, math.nan], ["a"], [1, 2, 3])):
        data = {"x": rows, "u": list(range(len(rows)))}
        curator = Curator(data, unit="u", ledger=ledger, dataset="people", version=at)
        release = curator.release(unknown_keys("x", epsilon=1, delta=1e-6, unit="u", min_units=5))
        assert release.value == {"x": (), "count": ()}
        assert release.rows == []
        assert release.to_arrow().num_rows == len(release.to_pandas()) == len(release.to_polars()) == 0
        assert release.intervals(0.95, joint=True)["count_lower"] == ()
        assert "±" in repr(release)
        stored = json.loads(json.dumps(release.to_dict()))
        assert type(release).from_dict(stored).value == release.value


def test_the_order_of_rows_does_not_show():
    table = Table.of({"x": np.tile(np.array(["b", 10, "a", 2, 0.5], object), 300)})
    outcome = unknown_keys("x", epsilon=5, delta=1e-3).run(table, Bits())
    assert outcome.keys.values == (0.5, 2, 10, "a", "b")
    assert all(abs(count - 300) < 30 for count in outcome.columns[0].values)  # e^−75


def test_rare_values_are_not_named():
    # π(1) = 1e-12: the false alarm is 1e-9 for a thousand people who are alone with theirs
    alone = np.arange(1000)
    outcome = unknown_keys("x", epsilon=1, delta=1e-12).run(Table.of({"x": alone}), Bits())
    assert outcome.keys == Keys.none("x")


def test_a_second_step_that_costs_more_is_refused():
    plan = unknown_keys("x", **OPTIONS)
    dear = type(plan)(plan.first, unknown_keys("x", epsilon=3, delta=1e-6).next, plan.price)
    with pytest.raises(UnprovenClaim):
        dear.run(Table.of({"x": ["a"] * 100}), Bits())


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0},
        {"delta": 0},
        {"delta": 1},
        {"delta": -1},
        {"share": 0},
        {"share": 1},
        {"groups": 0},
        {"groups": 2},
        {"min_units": 0},
        {"salt": None},
        {"contributions": 2},
        {"name": "X"},
    ],
    ids=str,
)
def test_bad_questions_are_refused_by_name(change):
    with pytest.raises(InvalidParameter):
        unknown_keys("x", **OPTIONS | change)


def test_every_public_fact_is_in_the_fingerprint():
    plans = [
        unknown_keys("x", **OPTIONS),
        unknown_keys("y", **OPTIONS),
        unknown_keys("x", **OPTIONS, share=0.4),
        unknown_keys("x", **OPTIONS, min_units=4),
        unknown_keys("x", **OPTIONS, salt="s"),
        unknown_keys("x", **OPTIONS, name="n"),
        unknown_keys("x", **OPTIONS, unit="u"),
        unknown_keys("x", **OPTIONS, unit="u", groups=2),
        unknown_keys("x", **OPTIONS, unit="u", contributions=2),
        unknown_keys("x", **OPTIONS, unit=Unit.row(Relation.CHANGE_ONE)),
    ]
    assert len({plan.fingerprint for plan in plans}) == len(plans)
    assert "two keys" in str(plans[0].explain()) or "these two" in str(plans[0].explain())
