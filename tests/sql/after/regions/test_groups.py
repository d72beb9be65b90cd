import pytest

from dalenius.sql.after.regions.values import NoRule
from tests.sql.after.regions.released import carried, exact, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k < 'c' AS g, SUM(n) AS x FROM t GROUP BY 1",
        "SELECT CASE WHEN n > 25 THEN 'big' ELSE 'small' END AS g, COUNT(*) AS x FROM t GROUP BY g",
        "SELECT k < 'c' AS g, SUM(n) AS x FROM t GROUP BY ROLLUP (1)",
        "SELECT k < 'c' AS g, k < 'd' AS h, MAX(n) AS x FROM t GROUP BY CUBE (1, 2)",
        "SELECT k < 'c' AS g, COUNT(DISTINCT k) AS x FROM t GROUP BY ALL",
        "SELECT k < 'c' AS g, SUM(n) AS x FROM t GROUP BY 1 HAVING SUM(n) > 50",
        "SELECT 1 AS g, COUNT_IF(n > 25) AS x FROM t",
        "SELECT 1 AS g, SUM(n) FILTER (WHERE k > 'a') AS x FROM t",
    ],
)
def test_groups_are_those_of_duckdb(text):
    statement, names, rows = carried(text, {"t": source(COUNTS, [0] * 4)})
    assert sorted(rows, key=repr) == sorted(exact(text, {"t": COUNTS}), key=repr)
    assert not any(column.reason for column in statement.columns if not column.exact and "g" not in names[0])


def test_a_threshold_that_noise_leaves_open_counts_every_row_that_may_be_in_it():
    text = "SELECT CASE WHEN n > 25 THEN 'big' ELSE 'small' END AS g, COUNT(*) AS x FROM t GROUP BY g"
    statement, _, _ = carried(text, {"t": source(COUNTS, [0] * 4, scale=100)})
    assert statement.picked
    assert statement.ends(1, 1 - 1 / 20, False)[0] == (0.0, 4.0)


def test_groups_by_a_noisy_number_have_no_rule():
    with pytest.raises(NoRule, match="GROUP BY"):
        carried("SELECT n, COUNT(*) AS x FROM t GROUP BY n", {"t": source(COUNTS, [0] * 4)})
