import numpy as np
import pytest

from tests.sql.after.regions.released import carried, exact, outside, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40, "e": 31}
WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
WINDOWS = [
    "SUM(n) OVER (ORDER BY n DESC)",
    "COUNT(*) OVER (ORDER BY n)",
    "AVG(n) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING)",
    "MAX(n) OVER (ORDER BY n)",
    "MIN(n) OVER (PARTITION BY k < 'c' ORDER BY n DESC)",
    "SUM(n) FILTER (WHERE k > 'b') OVER (ORDER BY n, k)",
    "MEDIAN(n) OVER (ORDER BY n)",
    f"MAX(n) OVER (ORDER BY n {WHOLE})",
    "FIRST_VALUE(n) OVER (ORDER BY n DESC)",
    f"LAST_VALUE(n) OVER (ORDER BY n DESC {WHOLE})",
    f"NTH_VALUE(n, 2) OVER (ORDER BY n {WHOLE})",
    "n - LAG(n) OVER (ORDER BY n)",
    "LEAD(n, 2, 0) OVER (ORDER BY n DESC)",
    "LAG(n) OVER (PARTITION BY k < 'c' ORDER BY n)",
]


@pytest.mark.parametrize("window", WINDOWS)
def test_windows_are_those_of_duckdb(window):
    text = f"SELECT k, {window} AS x FROM t ORDER BY k"
    _, _, rows = carried(text, {"t": source(COUNTS, [0] * 5)})
    assert rows == [(key, pytest.approx(value)) for key, value in exact(text, {"t": COUNTS})]


@pytest.mark.parametrize("window", WINDOWS)
def test_no_table_of_the_region_gives_a_row_outside_of_its_ends(window):
    missed, seen = outside(f"SELECT k, {window} AS x FROM t", COUNTS, np.random.default_rng())
    assert missed == []
    assert seen >= 70


@pytest.mark.parametrize(
    "window",
    [
        "SUM(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "LAST_VALUE(n) OVER (ORDER BY n)",
        "NTH_VALUE(n, 2) OVER (ORDER BY n)",
        "LAG(n, 1 + 1) OVER (ORDER BY n)",
    ],
)
def test_what_has_no_rule_says_so(window):
    statement, _, _ = carried(f"SELECT k, {window} AS x FROM t", {"t": source(COUNTS, [0] * 5)})
    assert "rule" in statement.columns[1].reason or "written out" in statement.columns[1].reason


def test_a_row_that_is_surely_first_is_known():
    counts = {"a": 10, "b": 1000, "c": 20}
    statement, _, _ = carried(
        "SELECT k, FIRST_VALUE(n) OVER (ORDER BY n DESC) AS x FROM t", {"t": source(counts, [0] * 3)}
    )
    low, high = statement.ends(1, 0.95, False)[0]
    assert 900 < low < 1000 < high < 1100
