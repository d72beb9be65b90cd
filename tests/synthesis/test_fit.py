import datetime
from collections import Counter

import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, InvalidParameter, UnboundedQuery, UnknownName, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.synthesis import Domain, Levels, Marginals, fit, plan


def curator(folder, data, unit="row", **terms):
    ledger = Ledger.open(folder / "y.ledger")
    ledger.create("d", epsilon=20, delta="1e-4", unit=unit)
    return Curator(data, unit=unit, ledger=ledger, dataset="d", **terms)


def test_people_with_several_rows_are_bounded_and_get_new_numbers(tmp_path):
    rng = np.random.default_rng(0)
    data = {"who": rng.integers(0, 300, 2000), "x": rng.integers(0, 3, 2000), "y": rng.integers(0, 2, 2000)}
    held = curator(tmp_path, data, unit="who", keys={"x": [0, 1, 2], "y": [0, 1]}, contributions=4)
    copy = fit(held, epsilon=5, delta=1e-5, nulls=[])
    assert copy.columns == ("x", "y")
    assert copy.rows == pytest.approx(300 * 4, abs=200)
    assert max(Counter(copy.sample().columns["who"]).values()) <= 4
    with pytest.raises(InvalidParameter, match="names people"):
        fit(held, ["who", "x"], epsilon=1)


def test_structural_zeros_never_occur_in_the_copy(tmp_path):
    data = {"a": [0, 1] * 500, "b": [0, 1] * 500}
    held = curator(tmp_path, data, keys={"a": [0, 1], "b": [0, 1, 2]})
    copy = fit(held, epsilon=1, nulls=[], allowed={("a", "b"): [(0, 0), (1, 1), (1, 2)]})
    drawn = copy.sample().columns
    assert set(zip(drawn["a"], drawn["b"], strict=True)) <= {(0, 0), (1, 1), (1, 2)}


@pytest.mark.parametrize("rows", [0, 3])
def test_a_table_of_no_or_three_rows_gives_a_copy(tmp_path, rows):
    held = curator(
        tmp_path, {"a": np.zeros(rows), "b": np.array(["x"] * rows, object)}, keys={"a": [0], "b": ["x", "y"]}
    )
    copy = fit(held, epsilon=1, delta=1e-6)
    assert len(copy.sample()) == copy.rows
    assert len(copy.sample(10)) == 10


def test_dates_nulls_and_constant_columns_are_copied(tmp_path):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i % 300) for i in range(900)]
    data = {"day": np.array(days, "datetime64[D]"), "k": np.array([None, "a", "b"] * 300, object), "c": [1] * 900}
    held = curator(tmp_path, data, keys={"k": ["a", "b"], "c": [1]})
    copy = fit(
        held, epsilon=5, delta=1e-6, bounds={"day": ("2020-01-01", "2020-12-31")}, kinds={"day": "date"}, bins=12
    )
    drawn = copy.sample().columns
    assert None in drawn["k"]
    assert {type(day) for day in drawn["day"]} <= {datetime.date, type(None)}
    assert drawn["k"].count(None) == pytest.approx(300, abs=120)


def test_levels_and_bounds_that_nobody_declared_are_found_and_paid(tmp_path):
    rng = np.random.default_rng(0)
    data = {"city": rng.choice(["Oslo", "Rome"], 4000).astype(object), "x": rng.normal(0, 50, 4000)}
    data["city"][0] = "a lonely village"
    held = curator(tmp_path, data)
    copy = fit(
        held, ["city", "x"], epsilon=10, delta="1e-5", keys={"city": "private"}, bounds={"x": "private"}, nulls=[]
    )
    assert copy.domain.attributes[0].values == ("Oslo", "Rome")
    assert copy.domain.attributes[1].upper in (128, 256)
    assert len(held.ledger.entries("d")) >= 3
    with pytest.raises(UnboundedQuery, match="price of δ"):
        fit(held, ["city"], epsilon=1, keys={"city": "private"})


def test_what_cannot_be_copied_is_refused_before_anything_is_charged(tmp_path):
    held = curator(tmp_path, {"a": [0, 1], "free": [1.0, 2.0]}, keys={"a": [0, 1]})
    cases = [
        (UnboundedQuery, {"columns": ["a", "free"]}),
        (InvalidParameter, {"columns": "a"}),
        (InvalidParameter, {"target": "b"}),
        (InvalidParameter, {"target": "a"}),
        (InvalidParameter, {"keys": {"free": "abc"}}),
        (InvalidParameter, {"keys": {"free": range(10_000)}}),
        (InvalidParameter, {"search_share": 2}),
        (InvalidParameter, {"epsilon": 0}),
        (InvalidParameter, {"delta": 1}),
        (InvalidParameter, {"columns": ["a", "a"]}),
        (InvalidParameter, {"keys": {"free": [1, "x"]}}),
        (InvalidParameter, {"keys": {"free": [1, 1]}}),
        (InvalidParameter, {"bounds": {"free": (1, 1)}}),
        (InvalidParameter, {"bounds": {"free": (-1e308, 1e308)}}),
        (InvalidParameter, {"bounds": {"free": (0, 2**70)}, "kinds": {"free": "integer"}}),
        (InvalidParameter, {"bounds": {"free": (0, float("inf"))}}),
        (InvalidParameter, {"bounds": {"free": (0, 9)}, "bins": 0}),
        (InvalidParameter, {"bounds": {"free": (0, 9)}, "kinds": {"free": "weird"}}),
        (InvalidParameter, {"bounds": {"free": ("soon", "later")}, "kinds": {"free": "date"}}),
        (UnboundedQuery, {"bounds": {"free": "private"}, "kinds": {"free": "date"}}),
        (InvalidParameter, {"impossible": {("a", "a"): [(0, 1)]}}),
        (InvalidParameter, {"keys": {"free": [1.0]}, "impossible": {("a", "free"): [(0,)]}}),
        (InvalidParameter, {"contributions": 3}),
        (UnknownName, {"impossible": {("a", "z"): [(0, 0)]}}),
        (InvalidParameter, {"keys": {"free": [1.0]}, "target": "a", "impossible": {("a", "free"): [(0, 1.0)]}}),
    ]
    for error, given in cases:
        with pytest.raises(error):
            fit(held, **({"epsilon": 1} | given))
    with pytest.raises(UnknownName):
        fit(held, epsilon=1, keys={"elsewhere": [1, 2]})
    assert held.budget.epsilon == 20
    with pytest.raises(BudgetExceeded):
        fit(held, epsilon=30)
    with pytest.raises(UnprovenClaim):
        fit({"a": [0, 1]}, epsilon=1)


def test_odd_values_are_counted_where_they_belong_and_never_stop_a_fit(tmp_path):
    """Not a number, infinite, text among numbers, times: each row's own value decides, and nothing warns."""
    data = {
        "x": np.array([np.nan, np.inf, -np.inf, 1.0] * 50),
        "t": np.array(["2020-01-01T05", "2020-06-01T07"] * 100, "datetime64[s]"),
        "s": np.array(["text", 3, None, 4.5] * 50, object),
        "b": np.array([True, False] * 100),
    }
    bounds = {"x": (0, 9), "t": ("2020-01-01", "2020-12-31"), "s": (0, 9)}
    copy = fit(
        curator(tmp_path, data), ["x", "t", "s", "b"], epsilon=15, delta="1e-5", bounds=bounds,
        keys={"b": [False, True]}, kinds={"t": "datetime"}, bins=3,
    )  # fmt: skip
    drawn = copy.sample().to_pandas()
    assert drawn["x"].isna().mean() == pytest.approx(0.25, abs=0.1)
    assert drawn["s"].isna().mean() == pytest.approx(0.5, abs=0.1)
    assert drawn["t"].dropna().between("2020-01-01", "2020-12-31").all()


def test_a_plan_can_be_released_by_hand():
    made = plan(Marginals(Domain((Levels("a", (0, 1)),))), epsilon=1)
    assert made.unit == Unit.row()
    assert made.guarantee.budget == 1
