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
        "NTH_VALUE(n, 2) OVER (ORDER BY k)",
        "NTILE(3) OVER (ORDER BY n)",
        "CUME_DIST() OVER (ORDER BY n DESC)",
        "SUM(n) FILTER (WHERE k <> 'b') OVER (ORDER BY k)",
        "STDDEV_POP(n) OVER (ORDER BY k)",
        "COUNT(DISTINCT k) OVER ()",
        "SUM(n) OVER (ORDER BY LENGTH(k) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "AVG(n) OVER (ORDER BY k GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    ],
)
def test_windows_are_those_of_duckdb(window):
    text = f"SELECT k, {window} AS x FROM t WINDOW w AS (ORDER BY k) ORDER BY k"
    statement, _, rows = carried(text, {"t": source(COUNTS, [0] * 4)})
    assert rows == [(key, pytest.approx(value)) for key, value in exact(text, {"t": COUNTS})]
    assert not statement.columns[1].reason


@pytest.mark.parametrize(
    "window", ["NTILE(1 + 1) OVER (ORDER BY n)", "MODE(n) OVER (ORDER BY k)", "SUM(n) OVER (PARTITION BY n)"]
)
def test_what_has_no_rule_says_so(window):
    statement, _, _ = carried(f"SELECT k, {window} AS x FROM t", {"t": source(COUNTS, [0] * 4)})
    assert "no rule" in statement.columns[1].reason or "written out" in statement.columns[1].reason


@pytest.mark.parametrize(
    ("window", "known"),
    [
        ("ROW_NUMBER() OVER ()", False),
        ("n - LAG(n) OVER ()", False),
        ("FIRST_VALUE(n) OVER ()", False),
        ("SUM(n) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", False),
        ("n - LAG(n) OVER (ORDER BY k)", True),
        ("n - LAG(n) OVER (PARTITION BY k < 'c' ORDER BY 1)", False),
        ("RANK() OVER (ORDER BY k)", True),
        ("SUM(n) OVER ()", True),
    ],
)
def test_a_window_by_the_place_of_rows_that_noise_has_ordered_has_no_rule(window, known):
    for inner, order in (("n", known), ("k", True)):
        text = f"SELECT k, {window} AS x FROM (SELECT * FROM t ORDER BY {inner}) AS s"
        statement, _, _ = carried(text, {"t": source(COUNTS, [0] * 4)})
        assert ("into their order" not in statement.columns[1].reason) is order
