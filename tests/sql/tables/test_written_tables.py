import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.sql.tables.written_tables import join_written_tables
from dalenius.sql.text.parse import parse

ROWS = pa.table(
    {"who": range(60), "k": [("a", "b", "c", None)[n % 4] for n in range(60)], "x": [n % 9 for n in range(60)]}
)
FORMS = [
    "SELECT w.n AS g, COUNT(*) AS c FROM t JOIN (VALUES ('a', 'one'), ('c', 'two')) AS w(k, n) ON w.k = "
    "t.k GROUP BY w.n ORDER BY g",
    "SELECT w.k AS g, SUM(w.f * x) AS c FROM t JOIN (VALUES ('a', 2), ('b', -3)) AS w(k, f) ON t.k = "
    "w.k GROUP BY 1 ORDER BY 1",
    "SELECT w.n AS g, COUNT(*) AS c FROM t JOIN (VALUES (0, 3, 'low'), (3, 9, 'high')) AS w(lo, hi, n) "
    "ON x >= w.lo AND x < w.hi GROUP BY w.n ORDER BY g",
    "WITH w(k, y, n) AS (VALUES ('a', 1, 'p'), ('a', 2, 'q'), ('b', 1, 'r')) SELECT w.n AS g, COUNT(*) "
    "AS c FROM t JOIN w "
    "ON w.k = t.k AND w.y = x % 3 GROUP BY w.n ORDER BY g",
    "SELECT v.n AS g, COUNT(*) AS c FROM (VALUES ('a', 'one'), ('b', 'two')) AS v(k, n) JOIN t ON t.k = "
    "v.k GROUP BY v.n ORDER BY g",
    "SELECT t.k AS g, COUNT(w.n) AS c FROM t LEFT JOIN (VALUES (1, 'one'), (4, 'four')) AS w(x, n) ON w.x = t.x "
    "WHERE t.k IS NOT NULL GROUP BY t.k ORDER BY g",
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        ROWS,
        table="t",
        unit="who",
        contributions=1,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("written") / "ledger",
        bounds={"x": (0, 8)},
        keys={"k": ["a", "b", "c"]},
    )


@pytest.mark.parametrize("query", FORMS)
def test_a_written_table_is_joined_as_a_database_joins_it(db, query):
    with duckdb.connect() as plain:
        plain.register("t", ROWS)
        expected = plain.execute(query).fetchall()
    rows = db.sql(query, epsilon=10**8).rows
    assert [row[0] for row in rows] == [row[0] for row in expected]
    assert [row[1] for row in rows] == pytest.approx([float(row[1]) for row in expected], abs=0.01)


@pytest.mark.parametrize(
    ("joined", "said"),
    [
        ("JOIN (VALUES ('a', 1), ('a', 2)) AS w(k, n) ON w.k = t.k", "meet several"),
        ("JOIN (VALUES (0, 3), (3, 5)) AS w(lo, hi) ON x BETWEEN w.lo AND w.hi", "meet several"),
        ("JOIN (VALUES (0, 3), (4, 5)) AS w(lo, hi) ON x > w.lo", "meet several"),
        ("JOIN (VALUES (1), (1.0)) AS w(y) ON w.y = x", "meet several"),
        ("JOIN (VALUES ('a', 1)) AS w ON w.col0 = t.k", "has a name, and one for each column"),
        ("CROSS JOIN (VALUES ('a'), ('b')) AS w(k)", "is joined by"),
        ("RIGHT JOIN (VALUES ('a'), ('b')) AS w(k) ON w.k = t.k", "is joined by"),
        ("JOIN (VALUES (x), (2)) AS w(y) ON w.y = x", "rows of constants"),
        (
            "JOIN (VALUES (1), (2)) AS w(x) ON w.x = t.x WHERE EXISTS (SELECT 1 FROM t AS w WHERE w.who = t.who AND "
            "w.x > 5)",
            "two tables are called 'w'",
        ),
    ],
)
def test_what_may_count_a_row_twice_is_refused_before_a_charge(db, joined, said):
    left = db.budget
    with pytest.raises(UnsupportedQuery, match=said):
        db.sql(f"SELECT COUNT(*) AS n FROM t {joined}", epsilon=1)
    assert db.budget == left


def test_a_row_counts_once_whatever_is_written():
    """The joined table is gone: what is left reads each row of the first one time."""
    tree = parse("SELECT COUNT(*) AS n FROM t JOIN (VALUES (1, 2), (2, 3)) AS w(a, b) ON w.a = t.x WHERE w.b > t.y")
    join_written_tables(tree)
    assert not tree.args.get("joins")
    assert "VALUES" not in tree.sql()
