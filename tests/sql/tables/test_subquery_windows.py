import itertools

import duckdb
import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables import subquery_windows
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy

TERMS = Policy.declare(
    *("t", {"who": "BIGINT", "day": "DATE", "k": "VARCHAR", "a": "DOUBLE"}),
    unit="who",
    contributions=100,
    bounds={"a": (-9, 9), "day": ("2024-01-01", "2024-12-31")},
)
ROWS = [
    *((1, "2024-01-01", "u", 1.0), (1, "2024-01-05", "v", 2.5), (1, "2024-01-09", "u", None), (1, None, "w", 4.0)),
    *((2, "2024-02-01", "v", -3.0), (2, "2024-02-02", "v", 0.25), (None, "2024-01-01", "u", 8.0)),
]
W = "PARTITION BY who ORDER BY day"


def shown(select, rows=ROWS):
    """The rows of a subquery, as the engine computes them."""
    query = f"SELECT COUNT(*) AS n FROM ({select}) AS q"
    tree = resolve(parse(query), TERMS, {}).rows
    with duckdb.connect() as opened:
        opened.execute('CREATE TABLE "source" (who BIGINT, day DATE, k VARCHAR, a DOUBLE)')
        opened.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?)', [list(row) for row in rows])
        return sorted(map(str, opened.execute(tree.sql(dialect="duckdb")).fetchall())), opened.execute(
            select.replace("FROM t", 'FROM "source"')
        ).fetchall()


@pytest.mark.parametrize(
    "value",
    [
        *(f"ROW_NUMBER() OVER ({W})", f"RANK() OVER ({W})", f"DENSE_RANK() OVER ({W} DESC)", f"NTILE(2) OVER ({W})"),
        *(f"LAG(a) OVER ({W})", f"LEAD(day, 1) OVER ({W} DESC)", f"LAG(k, 2, 'none') OVER ({W})", "COUNT(*) OVER w"),
        *(
            f"FIRST_VALUE(k) OVER ({W})",
            f"SUM(a) OVER ({W})",
            "AVG(a) OVER (PARTITION BY who, k)",
            f"MAX(a) OVER ({W})",
        ),
        f"SUM(a) OVER ({W} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        f"LAST_VALUE(k) OVER ({W} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        f"PERCENT_RANK() OVER ({W})",
        f"DATE_DIFF('day', LAG(day) OVER ({W}), day)",
        f"COUNT(*) OVER ({W} ROWS UNBOUNDED PRECEDING)",
        f"SUM(a) OVER ({W} rows between 1 preceding and current row)",
        f"SUM(a) OVER ({W} RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW)",
        f"COUNT(*) OVER ({W} RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND INTERVAL 2 DAY FOLLOWING)",
        "COUNT(*) OVER (PARTITION BY who ORDER BY a RANGE BETWEEN 2 PRECEDING AND CURRENT ROW)",
        f"MAX(a) OVER ({W} RANGE UNBOUNDED PRECEDING)",
    ],
)
def test_a_window_is_what_the_engine_says_where_nothing_is_tied(value):
    named = " WINDOW w AS (PARTITION BY who)" if value.endswith("w") else ""
    own, true = shown(f"SELECT who, day, {value} AS v FROM t{named}")
    plain = sorted(
        str(tuple(float(x) if isinstance(x, int) and i == 2 else x for i, x in enumerate(row))) for row in true
    )
    assert [row.replace(".0)", ")") for row in own] == [row.replace(".0)", ")") for row in plain]


def test_qualify_is_a_condition_on_windows_and_may_name_them():
    own, true = shown(f"SELECT who, day, ROW_NUMBER() OVER ({W}) AS r FROM t QUALIFY r = 1 AND who > 0")
    assert own == sorted(map(str, true))
    assert len(own) == 2


TIED = [(1, "2024-01-01", k, a) for k, a in [("u", 0.0), ("u", -0.0), ("v", 1.0), ("é", 1.0), ("z", None), ("u", 0.0)]]


@pytest.mark.parametrize(
    "value",
    [
        *(f"ROW_NUMBER() OVER ({W})", f"LAG(k) OVER ({W})", f"FIRST_VALUE(CAST(a AS VARCHAR)) OVER ({W})"),
        *(
            f"SUM(a) OVER ({W} ROWS UNBOUNDED PRECEDING)",
            f"NTILE(3) OVER ({W})",
            f"LEAD(CAST(a AS VARCHAR)) OVER ({W} DESC)",
        ),
    ],
)
def test_no_order_of_rows_decides_between_equals(value, monkeypatch):
    select = f"SELECT k, CAST(a AS VARCHAR) AS s, {value} AS v FROM t"
    orders = list(itertools.permutations(TIED))[::31]
    assert len({str(shown(select, order)[0]) for order in orders}) == 1
    monkeypatch.setattr(subquery_windows, "tie_breakers", lambda table: [])
    assert len({str(shown(select, order)[0]) for order in orders}) > 1


@pytest.mark.parametrize(
    "by", ["", "PARTITION BY k", "PARTITION BY j, d", "PARTITION BY who + 0", "PARTITION BY CAST(who AS VARCHAR)"]
)
def test_a_window_over_several_people_is_refused(by):
    query = f"SELECT COUNT(*) FROM (SELECT x, ROW_NUMBER() OVER ({by} ORDER BY d) AS r FROM t) AS q WHERE r = 1"
    with pytest.raises(UnboundedQuery, match="must PARTITION BY who"):
        compile_query(query, policy())


@pytest.mark.parametrize(
    "select",
    [
        "SELECT DISTINCT ON (who) who, day, k FROM t WHERE who > 0 ORDER BY who, day DESC NULLS LAST",
        f"SELECT DISTINCT who, FIRST_VALUE(k) OVER ({W}) AS f FROM t WHERE who > 0",
        f"SELECT DISTINCT who, k FROM t WHERE who > 0 QUALIFY ROW_NUMBER() OVER ({W}) <= 2",
        "SELECT who, day FROM t WHERE who > 0 ORDER BY day DESC",
    ],
)
def test_distinct_rows_of_windows_are_what_the_engine_makes_of_them(select):
    own, true = shown(select)
    assert own == sorted(map(str, true))


@pytest.mark.parametrize(
    "select",
    [
        "SELECT who, LAG(x) OVER (PARTITION BY who) AS v FROM t",
        "SELECT who, LAG(x, j) OVER (PARTITION BY who ORDER BY d) AS v FROM t",
        "SELECT who, LAG(x) IGNORE NULLS OVER (PARTITION BY who ORDER BY d) AS v FROM t",
        "SELECT who, LAST_VALUE(x) OVER (PARTITION BY who ORDER BY d) AS v FROM t",
        "SELECT who, SUM(x) OVER (PARTITION BY who ORDER BY x, j RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) v FROM t",
        "SELECT who, SUM(x) OVER (PARTITION BY who ORDER BY k RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS v FROM t",
        "SELECT who, SUM(x) OVER (PARTITION BY who ORDER BY d RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS v FROM t",
        "SELECT who, SUM(x) OVER (PARTITION BY who ORDER BY x RANGE BETWEEN j PRECEDING AND CURRENT ROW) AS v FROM t",
        "SELECT who, SUM(x) OVER (PARTITION BY who ORDER BY d RANGE BETWEEN INTERVAL 99999 YEAR PRECEDING AND "
        "CURRENT ROW) AS v FROM t",
        "SELECT who, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY who ORDER BY who) AS v FROM t GROUP BY who",
        "SELECT who, MEDIAN(x) OVER (PARTITION BY who) AS v FROM t",
        "SELECT who, x FROM t WHERE ROW_NUMBER() OVER (PARTITION BY who ORDER BY d) = 1",
        "SELECT pk, ROW_NUMBER() OVER (PARTITION BY pk ORDER BY v) AS v FROM p",
        "SELECT who, ROW_NUMBER() OVER other AS v FROM t WINDOW w AS (PARTITION BY who)",
    ],
)
def test_what_has_no_rule_is_refused(select):
    from tests.sql.sensitivity.language import PUBLIC

    with pytest.raises(UnsupportedQuery):
        compile_query(f"SELECT COUNT(*) FROM t JOIN ({select}) AS q ON q.who = t.who", policy(), others={"p": PUBLIC})
