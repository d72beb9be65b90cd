import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.parse import parse


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("SELECT k, COUNT(*) FROM t GROUP BY ALL", "SELECT k, COUNT(*) FROM t GROUP BY k"),
        ("SELECT a + 1 AS b, 'x', SUM(c) FROM t GROUP BY ALL", "SELECT a + 1 AS b, 'x', SUM(c) FROM t GROUP BY a + 1"),
        ("SELECT COUNT(*) FROM t GROUP BY ALL", "SELECT COUNT(*) FROM t"),
        ("SELECT k, j FROM t ORDER BY ALL DESC", "SELECT k, j FROM t ORDER BY 1 DESC, 2 DESC"),
        ("SELECT approx_count_distinct(k) FROM t", 'SELECT COUNT(DISTINCT k) AS "approx_count_distinct_k" FROM t'),
        ("SELECT APPROX_COUNT_DISTINCT(k) AS n FROM t", "SELECT COUNT(DISTINCT k) AS n FROM t"),
        (
            "SELECT GROUPING_ID(k, j), COUNT(*) FROM t GROUP BY CUBE (k, j) ORDER BY grouping_id(k)",
            'SELECT GROUPING(k, j) AS "grouping_id", COUNT(*) FROM t GROUP BY CUBE (k, j) ORDER BY GROUPING(k)',
        ),
        ("SELECT mean(x) FROM t", 'SELECT AVG(x) AS "mean_x" FROM t'),
        ("SELECT APPROX_QUANTILE(x, 0.5) AS m FROM t", "SELECT QUANTILE_CONT(x, 0.5) AS m FROM t"),
        ("SELECT k FROM t HAVING fsum(x) > 1", "SELECT k FROM t HAVING SUM(x) > 1"),
        (
            "SELECT QUANTILE_DISC(x, [0.1, 0.9]) AS q FROM t",
            'SELECT QUANTILE_CONT(x, 0.1) AS "q_0.1", QUANTILE_CONT(x, 0.9) AS "q_0.9" FROM t',
        ),
        (
            "SELECT QUANTILE_CONT(x, [0.5]), COUNT(*) FROM t",
            'SELECT QUANTILE_CONT(x, 0.5) AS "quantile_cont_x_0.5", COUNT(*) FROM t',
        ),
        ("SELECT HISTOGRAM(k) FROM t", 'SELECT k, COUNT(*) AS "histogram" FROM t GROUP BY k'),
        ("SELECT j, HISTOGRAM(k) AS h FROM t GROUP BY j", 'SELECT j, k, COUNT(*) AS "h" FROM t GROUP BY j, k'),
        ("SELECT j, HISTOGRAM(k) AS h FROM t GROUP BY ALL", 'SELECT j, k, COUNT(*) AS "h" FROM t GROUP BY j, k'),
        ("SELECT 1 FROM t WHERE k = ANY (SELECT j FROM u)", "SELECT 1 FROM t WHERE k IN (SELECT j FROM u)"),
        ("SELECT 1 FROM t WHERE k <> ALL (SELECT j FROM u)", "SELECT 1 FROM t WHERE NOT (k IN (SELECT j FROM u))"),
        ("SELECT 1 FROM t WHERE k = ANY (['a', 'b'])", "SELECT 1 FROM t WHERE k IN ('a', 'b')"),
        ("SELECT 1 FROM t WHERE k >= ALL (SELECT j FROM u)", "SELECT 1 FROM t WHERE k >= ALL (SELECT j FROM u)"),
        (
            "SELECT DISTINCT ON (who) who, k FROM t ORDER BY who, d DESC",
            "SELECT who, k FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY d DESC) = 1 "
            "ORDER BY who, d DESC",
        ),
        (
            "SELECT AVG(n) FROM (SELECT who, COUNT(*) AS n FROM t GROUP BY ALL) AS u",
            "SELECT AVG(n) FROM (SELECT who, COUNT(*) AS n FROM t GROUP BY who) AS u",
        ),
    ],
)
def test_another_form_is_read_as_the_usual_one(text, usual):
    assert language.written(parse(text)) == usual


@pytest.mark.parametrize(
    "text",
    [
        "SELECT HISTOGRAM(x, [1, 2]) FROM t",
        "SELECT HISTOGRAM(k), AVG(x) FROM t",
        "SELECT mean(x, y) FROM t",
        "SELECT QUANTILE_CONT(x, []) FROM t",
        "SELECT approx_percentile(x) FROM t",
    ],
)
def test_what_has_no_usual_form_is_refused_by_name(text):
    with pytest.raises(UnsupportedQuery):
        parse(text)
