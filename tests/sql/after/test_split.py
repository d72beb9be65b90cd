import pytest

from dalenius.errors import InvalidParameter, UnsupportedQuery
from tests.sql.after.world import close, session, truth

BY_SHOP = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
BY_YEAR = "SELECT year, COUNT(*) AS n, SUM(spent) AS s FROM sales WHERE shop <> 'closed' GROUP BY year"
STATEMENTS = (
    f"WITH m AS ({BY_SHOP}) SELECT AVG(n) AS mean, MAX(n) AS peak, MIN(n) AS least, COUNT(*) AS shops FROM m",
    f"SELECT year, n, SUM(n) OVER (ORDER BY year) AS running FROM ({BY_YEAR}) t ORDER BY year",
    f"WITH y AS ({BY_YEAR}) SELECT year, n, n - LAG(n) OVER (ORDER BY year) AS change FROM y ORDER BY year",
    f"SELECT shop, RANK() OVER (ORDER BY n DESC) AS r FROM ({BY_SHOP}) q ORDER BY shop",
    "SELECT 'a' AS k, COUNT(*) AS n FROM sales WHERE shop = 'north' UNION ALL "
    "SELECT 'b', COUNT(*) FROM sales WHERE shop = 'south'",
    f"SELECT n FROM ({BY_SHOP}) WHERE shop = 'north' UNION SELECT n FROM ({BY_SHOP}) WHERE shop = 'west' ORDER BY n",
    "SELECT shop, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS share FROM sales GROUP BY shop ORDER BY shop",
    f"WITH y AS ({BY_YEAR}) SELECT a.year, a.n - b.n AS more, a.s / b.s AS grown FROM y a JOIN y b "
    "ON a.year = b.year + 1 ORDER BY 1",
    "SELECT shop, ROUND(AVG(spent), 1) AS r, CASE WHEN COUNT(*) > 900 THEN 'big' ELSE 'small' END AS size "
    "FROM sales GROUP BY shop ORDER BY shop",
    "SELECT MEDIAN(spent) + 1 AS m, NULLIF(COUNT(*), 0) AS n FROM sales WHERE shop <> 'closed'",
    "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) <= 2 "
    "ORDER BY n DESC",
    f"SELECT DISTINCT n > 900 AS big FROM ({BY_SHOP}) ORDER BY 1",
    f"SELECT shop, n FROM ({BY_SHOP}) WHERE n > 500 ORDER BY n DESC LIMIT 2",
    f"WITH m AS ({BY_SHOP}), t AS (SELECT SUM(n) AS total FROM m) SELECT shop, n / total AS share FROM m, t ORDER BY 1",
    "WITH r AS (SELECT * FROM sales WHERE spent >= 50), m AS (SELECT shop, COUNT(*) AS n FROM r GROUP BY 1) "
    "SELECT MAX(n) AS most FROM m",
    "SELECT (SELECT COUNT(*) FROM sales WHERE shop = 'north') * 100.0 / "
    "(SELECT COUNT(*) FROM sales WHERE shop IN ('north', 'south', 'east', 'west')) AS percent",
    f"SELECT CASE WHEN n > 900 THEN 'big' ELSE 'small' END AS size, COUNT(*) AS k, SUM(n) AS n FROM ({BY_SHOP}) "
    "GROUP BY 1 ORDER BY 1",
    f"SELECT year % 2 AS odd, SUM(n) AS n FROM ({BY_YEAR}) GROUP BY ROLLUP (1) ORDER BY 1 NULLS LAST",
    f"SELECT shop, n FROM ({BY_SHOP}) m WHERE n > (SELECT AVG(n) FROM ({BY_SHOP})) ORDER BY shop",
    "SELECT UPPER(shop) AS shop, COUNT(*) AS n FROM sales GROUP BY shop HAVING COUNT(*) > 500 ORDER BY COUNT(*) DESC",
    "SELECT shop, year, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY year) AS of_year FROM sales "
    "GROUP BY shop, year ORDER BY shop, year",
    f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP})",
    f"SELECT m.shop, m.n / t.goal AS met FROM ({BY_SHOP}) m JOIN (VALUES ('north', 10), ('south', 20)) "
    "AS t(shop, goal) ON t.shop = m.shop ORDER BY 1",
    "WITH t(shop, goal) AS (VALUES ('north', 10), ('west', 20)) SELECT t.shop, COUNT(*) AS n, RANK() OVER (ORDER BY "
    "COUNT(*)) AS r FROM sales s JOIN t ON t.shop = s.shop GROUP BY t.shop ORDER BY 1",
    f"SELECT shop FROM ({BY_SHOP}) WHERE n > 900 EXCEPT SELECT 'south' ORDER BY 1",
)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return session(tmp_path_factory.mktemp("split"))


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_above_the_release_is_that_of_duckdb_over_exact_answers(db, text):
    assert close(list(db.sql(text, epsilon=10**5)), truth(text))


def test_one_table_that_is_read_twice_is_released_once(db):
    text = f"WITH y AS ({BY_YEAR}) SELECT a.n - b.n AS more FROM y a JOIN y b ON a.year = b.year + 1"
    assert db.explain(text, epsilon=1).cells == 3
    sums = BY_YEAR.replace("COUNT(*) AS n, ", "")
    twice = f"SELECT a.n, b.s FROM ({BY_YEAR}) a JOIN ({sums}) b USING (year)"
    assert len([line for line in db.explain(twice, epsilon=1).notes if line.startswith("part")]) == 1


def test_rows_and_released_tables_are_not_mixed(db):
    with pytest.raises(UnsupportedQuery, match="cannot be joined with a released table"):
        db.sql(f"WITH m AS ({BY_SHOP}) SELECT COUNT(*), MAX(n) FROM sales JOIN m USING (shop)", epsilon=1)
    with pytest.raises(UnsupportedQuery, match="UNION"):
        db.sql(f"{BY_SHOP} UNION ALL SELECT shop, spent FROM sales", epsilon=1)
    with pytest.raises(UnsupportedQuery, match="above the release"):
        db.sql(f"SELECT (SELECT spent FROM sales LIMIT 1) AS x, n FROM ({BY_SHOP})", epsilon=1)
    with pytest.raises(UnsupportedQuery, match="RECURSIVE"):
        db.sql(f"WITH RECURSIVE m AS ({BY_SHOP}) SELECT MAX(n) FROM m", epsilon=1)
    with pytest.raises(UnsupportedQuery, match="stands outside of an aggregate"):
        db.sql("SELECT ROUND(spent), COUNT(*) FROM sales GROUP BY shop", epsilon=1)


def test_a_statement_that_is_one_private_select_goes_the_road_of_tables(db):
    plain = db.sql("WITH r AS (SELECT * FROM sales) SELECT shop, COUNT(*) AS n FROM r GROUP BY shop", epsilon=10)
    assert plain.outcome.tables == ()
    assert plain.outcome.labels is None
    with pytest.raises(InvalidParameter, match="within= is for one SELECT"):
        db.sql(f"SELECT MAX(n) FROM ({BY_SHOP})", within=10)


def test_distinct_rows_inside_of_a_question_are_refused_with_the_count_of_them(tmp_path):
    db = session(tmp_path, epsilon=10)
    for text in (
        "WITH s AS (SELECT DISTINCT shop FROM sales) SELECT COUNT(*) FROM s",
        "SELECT COUNT(*) FROM (SELECT DISTINCT shop FROM sales)",
    ):
        with pytest.raises(UnsupportedQuery, match=r"write SELECT COUNT\(DISTINCT shop\)"):
            db.sql(text, epsilon=1)
