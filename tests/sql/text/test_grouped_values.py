import pytest

from dalenius.sql.text.parse import parse


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("SELECT k, ANY_VALUE(k) AS v FROM t GROUP BY k", "SELECT k, k AS v FROM t GROUP BY k"),
        (
            "SELECT ANY_VALUE(t.k), FIRST(K) AS f FROM t GROUP BY k",
            'SELECT t.k AS "any_value_k", K AS f FROM t GROUP BY k',
        ),
        (
            "SELECT UPPER(k) AS u, LAST(UPPER(k)) AS v FROM t GROUP BY 1",
            "SELECT UPPER(k) AS u, UPPER(k) AS v FROM t GROUP BY 1",
        ),
        ("SELECT k FROM t GROUP BY ALL ORDER BY ANY_VALUE(k)", "SELECT k FROM t GROUP BY k ORDER BY k"),
    ],
)
def test_any_value_of_a_key_is_the_key(query, read):
    assert parse(query) == parse(read)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.k, ANY_VALUE(b.k) AS v FROM a JOIN b USING (x) GROUP BY a.k",
        "SELECT k, ANY_VALUE(x) AS v FROM t GROUP BY k",
        "SELECT k, ANY_VALUE(k) FILTER (WHERE x > 1) AS v FROM t GROUP BY k",
        "SELECT k, ANY_VALUE(k) AS v FROM t GROUP BY ROLLUP (k)",
        "SELECT ANY_VALUE(k) AS v FROM t",
        "SELECT FIRST(k ORDER BY x) AS v FROM t GROUP BY k",
        "SELECT x, ANY_VALUE(k) OVER (PARTITION BY x) AS v FROM t GROUP BY x, k",
    ],
)
def test_any_value_of_anything_else_stays(query):
    assert any(word in str(parse(query)) for word in ("ANY_VALUE", "FIRST"))
