import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnboundedQuery, UnknownName, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.text.parse import parse

PURCHASES = pa.table(
    {
        "user_id": [1, 1, 2, 2, 3, 4],
        "amount": [10.0, 20, 300, 5, 7, 400],
        "cat": ["a", "b", "a", "a", "b", "b"],
        "day": pa.array([1, 2, 3, 4, 5, 6], pa.int32()).cast(pa.date32()),
        "gift": [True, False, None, True, False, False],
    }
)
VISITS = pa.table({"user_id": [1, 2, 2, 3], "age": [20, 30, 31, 40]})
SHOPS = pa.table({"cat": ["a", "b", "c"], "kind": ["x", "x", "y"]})
TOTALS = "WITH t AS (SELECT user_id, SUM(amount) AS total, COUNT(*) AS n FROM purchases GROUP BY user_id) "


def connect(folder, **terms):
    return dalenius.connect(
        PURCHASES,
        **{
            **{"table": "purchases", "unit": "user_id", "contributions": 9, "budget": {"epsilon": 10**9}},
            **{"bounds": {"amount": (0, 500), "visits.age": (0, 100)}, "keys": {"cat": ["a", "b"]}},
            **{"tables": {"visits": VISITS}, "public": {"shops": SHOPS}, "ledger": folder / "l"},
            **terms,
        },
    )


@pytest.mark.parametrize(
    "query",
    [
        TOTALS + "SELECT AVG(CLAMP(total, 0, 500)) AS a, SUM(CLAMP(n, 0, 9)) AS b, COUNT(DISTINCT user_id) AS c FROM t",
        TOTALS + "SELECT COUNT(*) AS n FROM t AS q WHERE q.total > 30 AND n < 2",
        TOTALS + "SELECT SUM(amount) AS s FROM purchases p JOIN t ON t.user_id = p.user_id WHERE total > 50",
        TOTALS + ", u AS (SELECT user_id, total / n AS mean FROM t) SELECT SUM(CLAMP(mean, 0, 500)) AS s FROM u",
        "SELECT many, COUNT(*) AS n FROM (SELECT COUNT(*) > 1 AS many FROM purchases WHERE amount > 6 "
        "GROUP BY user_id HAVING MAX(amount) < 350) AS q GROUP BY many ORDER BY many",
        "SELECT size, SUM(m) AS n FROM (SELECT user_id AS who, cat, CASE WHEN COUNT(*) > 1 THEN 'many' ELSE 'few' END "
        "AS size, MAX(amount) AS m FROM purchases GROUP BY 1, cat) AS q GROUP BY size ORDER BY size",
        "SELECT best, SUM(s) AS s FROM (SELECT MIN(cat) AS best, AVG(amount) AS s, MIN(day) AS d, BOOL_OR(gift) AS g "
        "FROM purchases GROUP BY user_id) AS q WHERE d < '1970-01-07' AND g IS NOT NULL GROUP BY best ORDER BY best",
        "SELECT one, COUNT(*) AS n FROM (SELECT ANY_VALUE(gift) AS one FROM purchases WHERE amount < 100 OR cat = 'b' "
        "GROUP BY user_id HAVING COUNT(DISTINCT gift) = 1) AS q GROUP BY one ORDER BY one",
        "SELECT cat, ANY_VALUE(cat) AS same, COUNT(*) AS n FROM purchases GROUP BY cat ORDER BY ANY_VALUE(cat) DESC",
        "SELECT SUM(a) AS s FROM (SELECT * FROM (SELECT amount AS a, cat FROM purchases WHERE gift) AS i) AS o",
        "SELECT SUM(amount) AS s FROM (SELECT p.*, v.age FROM purchases AS p JOIN visits AS v USING (user_id)) AS o "
        "WHERE age > 20",
        "WITH o AS (SELECT p.* FROM purchases AS p WHERE p.gift) SELECT SUM(o.amount) AS s FROM o",
        "SELECT COUNT(*) AS n FROM (SELECT DISTINCT user_id, cat FROM purchases) AS t",
        "SELECT SUM(d) AS n FROM (SELECT LEAST(COUNT(DISTINCT cat), 5) AS d FROM purchases GROUP BY user_id) AS t "
        "WHERE d BETWEEN 0 AND 5",
        "SELECT COUNT(kind) AS n FROM purchases JOIN (SELECT cat, kind FROM shops WHERE cat <> 'b') AS s USING (cat) "
        "WHERE kind = 'x'",
        "SELECT SUM(age) AS s FROM visits WHERE age > 20",
        "SELECT SUM(young) AS s FROM (SELECT user_id, MIN(age) AS young FROM visits GROUP BY user_id) AS v "
        "JOIN (SELECT user_id, COUNT(*) AS n FROM purchases GROUP BY user_id) AS p USING (user_id) WHERE n > 1",
    ],
)
def test_a_subquery_means_what_a_database_makes_of_it(tmp_path, query):
    query = query.replace("SUM(d)", "SUM(CLAMP(d, 0, 5))")
    answer = connect(tmp_path).sql(query, epsilon=10**8)
    found = list(zip(*map(answer.outcome.column, answer.outcome.shown), strict=True))
    with duckdb.connect() as plain:
        plain.execute("CREATE MACRO CLAMP(x, lo, hi) AS LEAST(GREATEST(x, lo), hi)")
        for name, table in {"purchases": PURCHASES, "visits": VISITS, "shops": SHOPS}.items():
            plain.register(name, table)
        expected = plain.execute(query).fetchall()
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert [value for value in row if isinstance(value, str)] == [v for v in other if isinstance(v, str)]
        numbers = [[v for v in values if not isinstance(v, str)] for values in (row, other)]
        assert numbers[0] == pytest.approx([float(v) for v in numbers[1]], abs=0.01)


@pytest.mark.parametrize(
    ("query", "kind", "said"),
    [
        (
            "WITH t AS (SELECT user_id + 0 AS u FROM purchases GROUP BY user_id + 0)",
            UnsupportedQuery,
            "tells people apart",
        ),
        ("WITH t AS (SELECT DISTINCT cat FROM purchases)", UnsupportedQuery, "inside of a question"),
        ("WITH t AS (SELECT FIRST(cat) AS c FROM purchases GROUP BY user_id)", UnsupportedQuery, "order of its own"),
        ("WITH t AS (SELECT LIST(cat) AS c FROM purchases GROUP BY user_id)", UnsupportedQuery, "LIST has no rule"),
        ("WITH t AS (SELECT SUM(amount) OVER () AS c FROM purchases)", UnboundedQuery, "PARTITION BY user_id"),
        ("WITH t AS (SELECT ROW_NUMBER() OVER (ORDER BY day) AS c FROM purchases)", UnboundedQuery, "PARTITION BY"),
        ("WITH t AS (SELECT amount FROM purchases LIMIT 3)", UnsupportedQuery, "LIMIT"),
        ("WITH t AS (SELECT amount FROM purchases ORDER BY day LIMIT 3)", UnsupportedQuery, "LIMIT"),
        ("WITH t AS (SELECT SUM(amount / 3 / gift) AS c FROM purchases GROUP BY user_id)", UnsupportedQuery, "number"),
        ("WITH t AS (SELECT SUM(user_id) AS c FROM purchases GROUP BY user_id)", UnboundedQuery, "needs bounds"),
        ("WITH t AS (SELECT SUM(DISTINCT amount) AS c FROM purchases GROUP BY user_id)", UnsupportedQuery, "DISTINCT"),
        ("WITH t AS (SELECT SUM(COUNT(*)) AS c FROM purchases GROUP BY user_id)", UnsupportedQuery, "inside"),
        ("WITH t AS (SELECT amount FROM purchases GROUP BY user_id)", UnsupportedQuery, "outside of an aggregate"),
        ("WITH t AS (SELECT COUNT(*) FROM purchases GROUP BY user_id)", UnsupportedQuery, "needs a name"),
        ("WITH t AS (SELECT NULL AS z FROM purchases)", UnsupportedQuery, "nothing but NULL"),
        ("WITH t AS (SELECT amount AS a, cat AS A FROM purchases)", UnsupportedQuery, "differ"),
        ("WITH t AS (SELECT *, * FROM purchases)", UnsupportedQuery, "differ"),
        (
            "WITH t AS (SELECT p.*, q.* FROM purchases AS p JOIN purchases AS q USING (user_id))",
            UnsupportedQuery,
            "diff",
        ),
        ("WITH t AS (SELECT x.* FROM purchases)", UnknownName, "'x'"),
        ("WITH t AS (SELECT p.* EXCLUDE (cat) FROM purchases AS p)", UnsupportedQuery, "EXCLUDE"),
        (
            "WITH t AS (SELECT * FROM purchases JOIN visits ON purchases.user_id = visits.user_id)",
            UnsupportedQuery,
            "two",
        ),
        ("WITH t AS (SELECT 1 AS x UNION SELECT 2)", UnsupportedQuery, "as a subquery"),
        ("WITH t AS (SELECT 1 AS x)", UnsupportedQuery, "as a subquery"),
        ("WITH RECURSIVE t AS (SELECT * FROM purchases)", UnsupportedQuery, "RECURSIVE"),
        ("WITH t(a) AS (SELECT amount FROM purchases)", UnsupportedQuery, "rename"),
        ("WITH visits AS (SELECT * FROM purchases), t AS (SELECT * FROM visits)", UnsupportedQuery, "name of its own"),
        ("WITH t AS (SELECT * FROM u), u AS (SELECT * FROM purchases)", UnknownName, "'u'"),
        ("WITH t AS (SELECT kind, COUNT(*) AS n FROM shops GROUP BY kind)", UnsupportedQuery, "is public"),
        ("WITH t AS (SELECT kind FROM shops)", UnsupportedQuery, "starts with a private table"),
        (
            "WITH t AS (SELECT amount FROM purchases WHERE amount IN (SELECT age FROM visits))",
            UnboundedQuery,
            "decide over the rows of others",
        ),
        ("WITH t AS (SELECT MAX(NULL) AS x FROM purchases GROUP BY user_id)", UnsupportedQuery, "nothing to ask"),
    ],
)
def test_what_has_no_rule_is_refused_before_the_charge(tmp_path, query, kind, said, monkeypatch):
    db = connect(tmp_path)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    with pytest.raises(kind, match=said):
        db.sql(f"{query} SELECT COUNT(*) AS n FROM t", epsilon=1)
    assert db.budget.epsilon == 10**9


def test_a_unit_that_has_one_row_moves_the_answer_by_one(tmp_path):
    """A row for each unit, or each unit and attribute, counts in full at the price of one, whatever `contributions`."""
    db = connect(tmp_path, attributes=["cat"])
    single = db.explain(TOTALS + "SELECT COUNT(*) AS n FROM t", epsilon=1)
    assert [line.sensitivity for line in single.lines] == [1]
    query = "SELECT COUNT(*) AS n FROM (SELECT user_id, {}, COUNT(*) AS m FROM purchases GROUP BY user_id, {}) AS q"
    for key, moved in (("cat", 1), ("gift", 9)):
        assert [line.sensitivity for line in db.explain(query.format(key, key), epsilon=1).lines] == [moved]
    again = "SELECT COUNT(*) AS n FROM purchases JOIN t USING (user_id)"
    assert [line.sensitivity for line in db.explain(TOTALS + again, epsilon=1).lines] == [9]


def test_a_unit_in_one_row_is_in_one_cell(tmp_path):
    db = connect(tmp_path)
    query = "SELECT n > 1 AS many, COUNT(DISTINCT user_id) AS c FROM t GROUP BY many"
    assert [line.sensitivity for line in db.explain(TOTALS + query, epsilon=1).lines] == [1]


def test_where_rows_are_units_a_subquery_makes_rows_alone(tmp_path):
    db = connect(tmp_path, unit="row", contributions=None, tables=None, bounds=None)
    assert db.sql("SELECT COUNT(*) AS n FROM (SELECT cat FROM purchases WHERE gift) AS q", epsilon=1000).value == 2
    for query in (
        "SELECT COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM purchases GROUP BY user_id) AS q",
        "SELECT COUNT(*) FROM purchases JOIN (SELECT cat FROM purchases) AS q USING (cat)",
    ):
        with pytest.raises(UnboundedQuery, match=r"each row is a unit|units themselves|needs public keys"):
            db.sql(query, epsilon=1)


def test_the_unit_goes_along_though_nobody_names_it(tmp_path):
    db = connect(tmp_path, contributions=1)
    assert db.sql("SELECT SUM(a) AS s FROM (SELECT 1 AS a FROM purchases) AS q", epsilon=10**7).value == pytest.approx(
        4
    )
    with pytest.raises(UnknownName, match=r"'\(unit\)'"):
        db.sql('SELECT COUNT(DISTINCT "(unit)") AS n FROM (SELECT cat FROM purchases) AS q', epsilon=1)
    with pytest.raises(UnboundedQuery, match="SELECT the column of the people"):
        db.sql("SELECT COUNT(*) FROM purchases JOIN (SELECT cat FROM purchases) AS q USING (cat)", epsilon=1)


def test_a_column_that_the_language_cannot_read_is_left_out_or_refused():
    """Some types make a scan fail at a row, which would tell of it."""
    columns = {"who": "BIGINT", "x": "DOUBLE", "at": "TIMESTAMP in milliseconds", "raw": "BLOB"}
    terms = Policy.declare("t", columns, unit="who", contributions=1, bounds={"x": (0, 1)})
    rows = resolve(parse("SELECT SUM(x) FROM (SELECT DISTINCT * FROM t) AS q"), terms, {}).rows
    assert rows is not None
    assert '"raw"' not in rows.sql()
    assert '"at"' not in rows.sql()
    for inner in ("SELECT who, raw FROM t", "SELECT who, at, COUNT(*) AS n FROM t GROUP BY who, at"):
        with pytest.raises(UnsupportedQuery, match="no type for"):
            compile_query(f"SELECT COUNT(*) FROM ({inner}) AS q", terms)


def test_tables_are_not_multiplied_without_end():
    terms = Policy.declare("t", {"who": "BIGINT", "x": "DOUBLE"}, unit="who", contributions=1)
    chain = ["WITH s0 AS (SELECT who FROM t)"]
    chain += [f"s{n} AS (SELECT a.who FROM s{n - 1} AS a JOIN s{n - 1} AS b ON a.who = b.who)" for n in range(1, 9)]
    with pytest.raises(UnsupportedQuery, match="may read 50 tables"):
        compile_query(f"{', '.join(chain)} SELECT COUNT(*) FROM s8", terms)
