"""What every aggregate of the catalog promises; a new entry is covered before its author writes a test."""

import math

import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.sql.catalog import CATALOG, MeasuredBy
from tests.sql.error_channel import extremes
from tests.sql.sensitivity import test_sensitivity

EVERY = pytest.mark.parametrize("one", CATALOG, ids=[one.name for one in CATALOG])
WITH_INTERVAL = [one for one in CATALOG if one.measured in (MeasuredBy.SUMS, MeasuredBy.DISTINCT)]
"""A choice is off by ranks or rows, and has no interval in its own units."""
TERMS = {
    **{"table": "t", "unit": "who", "contributions": 2, "bounds": {"x": (0, 200)}, "keys": {"k": ["a", "b"]}},
    "budget": {"epsilon": 100},
}


def asked(one, number="x", key="k"):
    return one.example.replace("amount", number).replace("category", key)


def opened(rows, folder):
    return dalenius.connect(rows, ledger=folder / "ledger", **TERMS)


@EVERY
def test_no_person_moves_it_by_more_than_its_sensitivity(one):
    with duckdb.connect(config={"threads": 1}) as connection:
        for contributions in (1, 3):
            test_sensitivity.check(connection, f"SELECT {asked(one)} FROM t", contributions, contributions)
        test_sensitivity.check(connection, f"SELECT k, {asked(one, 'y')} FROM t GROUP BY k", 2, 5)


@EVERY
def test_no_row_makes_it_fail(one, tmp_path):
    odd = extremes.person(7)
    rows = pa.table({name: odd[name] for name in ("who", "k", "x")})
    answer = opened(rows, tmp_path).sql(f"SELECT {asked(one)} AS a FROM t", epsilon=1)
    value = answer.value  # None where noise leaves a formula without a value
    assert value is None or isinstance(value, str) or math.isfinite(value)


@pytest.mark.parametrize("one", WITH_INTERVAL, ids=[one.name for one in WITH_INTERVAL])
def test_its_interval_holds_the_true_value(one, tmp_path):
    """Noise lies outside of the interval once in 10⁹."""
    rows = pa.table({"who": range(900), "k": ["a", "b", "a"] * 300, "x": [float(i % 150) + 0.5 for i in range(900)]})
    answer = opened(rows, tmp_path).sql(f"SELECT {asked(one)} AS a FROM t", epsilon=1)
    t = rows  # noqa: F841 - the engine reads it by its name
    (true,) = duckdb.connect().execute(f"SELECT {asked(one)} FROM t").fetchone()
    low, high = answer.interval(1 - 1e-9)
    assert low <= true <= high
