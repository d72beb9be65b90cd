import pytest

from tests.sql.after.regions.released import carried, exact, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40}


@pytest.mark.parametrize(
    "window",
    [
        "SUM(n) OVER (ORDER BY k)",
        "SUM(n) OVER ()",
        "AVG(n) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
        "COUNT(*) OVER (ORDER BY k)",
        "MAX(n) OVER (ORDER BY k DESC)",
        "LAG(n, 2) OVER (ORDER BY k)",
        "LEAD(n, 1, 0) OVER (ORDER BY k)",
        "FIRST_VALUE(n) OVER (ORDER BY k)",
        "LAST_VALUE(n) OVER (ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        "RANK() OVER (ORDER BY n DESC)",
        "PERCENT_RANK() OVER (ORDER BY n)",
        "SUM(n) OVER (PARTITION BY k < 'c')",
        "SUM(n) OVER w",
    ],
)
def test_windows_are_those_of_duckdb(window):
    text = f"SELECT k, {window} AS x FROM t WINDOW w AS (ORDER BY k) ORDER BY k"
    statement, _, rows = carried(text, {"t": source(COUNTS, [0] * 4)})
    assert rows == exact(text, {"t": COUNTS})
    assert not statement.columns[1].reason


@pytest.mark.parametrize(
    "window", ["NTILE(2) OVER (ORDER BY n)", "SUM(n) OVER (ORDER BY n)", "LAG(k) OVER (ORDER BY n)"]
)
def test_what_has_no_rule_says_so(window):
    statement, _, _ = carried(f"SELECT k, {window} AS x FROM t", {"t": source(COUNTS, [0] * 4)})
    assert "no rule" in statement.columns[1].reason
