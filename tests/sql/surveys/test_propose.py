from datetime import date

from dalenius.sql.engine import ColumnFacts
from dalenius.sql.surveys.propose import bounds_of, cut_off, keys_of


def facts(quantiles=(), **more):
    known = {"name": "x", "kind": "DOUBLE", "rows": 1000, "nulls": 0, "distinct": 900, "quantiles": tuple(quantiles)}
    return ColumnFacts(**{**known, **more})


def test_bounds_hold_all_but_the_farthest_values():
    outlier = facts([-1, 26, 43, 100, 262, 575, 1492, 5949, 17045, 33870, 4326657])
    assert bounds_of(outlier, "DOUBLE") == [0, 18000]
    assert cut_off(outlier, [0, 18000])
    ages = facts([1, 1, 2, 7, 25, 48, 71, 89, 94, 95, 96])
    assert bounds_of(ages, "BIGINT") == [0, 96]
    assert not cut_off(ages, [0, 96])
    assert bounds_of(facts([-7.0] * 11), "DOUBLE") == [-7, -7]
    assert bounds_of(facts(), "DOUBLE") is None
    assert bounds_of(facts([0] * 11), "VARCHAR") is None


def test_dates_are_whole_months_without_the_far_ones():
    days = [date(1900, 1, 1), *[date(2024, 1, 5)] * 5, *[date(2024, 6, 3)] * 4, date(9999, 12, 31)]
    assert bounds_of(facts(days), "DATE") == ["2024-01-01", "2024-06-30"]


def test_keys_are_all_values_or_a_reason():
    texts = {"kind": "VARCHAR", "distinct": 2, "values": ("a", "b")}
    assert keys_of(facts(**texts), "VARCHAR") == (["a", "b"], None)
    assert keys_of(facts(**{**texts, "values": None, "distinct": 501}), "VARCHAR")[1] == "more than 500 values"
    assert keys_of(facts(**{**texts, "distinct": 800}), "VARCHAR")[1] is not None
    assert keys_of(facts(kind="BIGINT", distinct=1, values=(2**60,)), "BIGINT")[0] == []
    assert keys_of(facts(**texts), "DOUBLE") == ([], None)
