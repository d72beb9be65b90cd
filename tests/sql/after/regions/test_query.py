import pytest

from dalenius.sql.after.regions.values import NoRule
from tests.sql.after.regions.released import carried, exact, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t WHERE n > 15 ORDER BY n DESC LIMIT 2 OFFSET 1",
        "SELECT DISTINCT k < 'c' AS g FROM t ORDER BY g",
        "WITH a(x, y) AS (SELECT * FROM t) SELECT y + 1 AS z FROM a WHERE x = 'b'",
        "SELECT l.k, r.n AS x FROM t l LEFT JOIN t r ON r.k > l.k AND l.k = 'c' ORDER BY 1",
        "SELECT l.k, l.n + r.n AS x FROM t l JOIN t r USING (k) ORDER BY k",
        "SELECT k, n FROM t WHERE k = 'a' UNION ALL (SELECT k, n FROM t WHERE k > 'b') ORDER BY 1 DESC LIMIT 2",
        "SELECT k, n FROM t QUALIFY RANK() OVER (ORDER BY n) = 1",
        "SELECT (SELECT MAX(n) FROM t) - (SELECT MIN(n) FROM t) AS x",
        "SELECT k, n FROM t ORDER BY k LIMIT 2",
    ],
)
def test_queries_are_those_of_duckdb(text):
    _, _, rows = carried(text, {"t": source(COUNTS, [0] * 4)})
    assert rows == exact(text, {"t": COUNTS})


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT n FROM t",
        "SELECT k FROM t EXCEPT SELECT 'a'",
        "SELECT * FROM t a FULL JOIN t b USING (k)",
        "SELECT k, (SELECT MAX(n) FROM t u WHERE u.k <= t.k) AS x FROM t",
        "SELECT k FROM t ORDER BY n LIMIT 50 PERCENT",
        "SELECT (SELECT n FROM t ORDER BY n LIMIT 1) AS x",
    ],
)
def test_what_has_no_rule_is_refused_by_name(text):
    with pytest.raises(NoRule):
        carried(text, {"t": source(COUNTS, [0] * 4)})


def test_rows_are_picked_by_noise_only_where_a_noisy_number_decides():
    for text, picked in (
        ("SELECT k, n FROM t ORDER BY n DESC", False),
        ("SELECT k, n FROM t ORDER BY k LIMIT 2", False),
        ("SELECT k, n FROM t ORDER BY n LIMIT 2", True),
        ("SELECT k, n FROM t WHERE n > 5", True),
        ("SELECT k, n FROM t WHERE k > 'a'", False),
    ):
        statement, _, _ = carried(text, {"t": source(COUNTS, [0] * 4)})
        assert statement.picked is picked
