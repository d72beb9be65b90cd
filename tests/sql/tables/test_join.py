import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName, UnsupportedQuery
from dalenius.sql.engine import DuckDB

SALES = pa.table({"who": [1, 1, 2, 3, None], "shop": [1, 2, 2, 9, 1], "x": [1.0, 2, 3, 4, 5], "ok": [True] * 5})
PEOPLE = pa.table({"who": [1, 2, 2, None], "age": [20, 30, 40, 50]})
SHOPS = pa.table({"id": pa.array([1, 2, 2], pa.int32()), "city": ["Lund", "Umeå", "Lund"], "x": [5.0, 6, 7]})
NAMES = pa.table({"city": ["Lund", "Umeå"], "county": ["Skåne", "Västerbotten"]})

MEETINGS = (
    *(
        "sales JOIN shops ON shop > id",
        "sales LEFT JOIN shops ON shop > id AND city = 'Lund'",
        "sales CROSS JOIN shops",
    ),
    *("sales JOIN shops ON shop = id OR sales.x > 3", "sales LEFT JOIN shops ON shop = id AND ok AND shops.x > 5"),
    *("sales JOIN shops ON shop = id + 1", "sales LEFT JOIN shops ON shop = shop", "sales JOIN shops ON TRUE"),
    *(
        "sales, shops",
        "shops, sales WHERE shop = id",
        "shops JOIN sales ON shop = id",
        "sales LEFT JOIN shops ON FALSE",
    ),
    *(
        "shops RIGHT JOIN sales ON shop = id",
        "sales JOIN shops ON sales.x + 3 >= shops.x OR NOT ok",
        "shops CROSS JOIN sales",
    ),
)
"""Ways in which rows may meet those of a public table."""


def connect(folder, **terms):
    terms = {
        **{"table": "sales", "unit": "who", "contributions": 9, "budget": {"epsilon": 10**9}},
        **{"bounds": {"x": (0, 10), "people.age": (0, 100)}, "tables": {"people": PEOPLE}},
        **{"public": {"Shops": SHOPS, "names": NAMES}, "ledger": folder / "sales.ledger"},
        **terms,
    }
    return dalenius.connect(SALES, **terms)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT city, COUNT(*) AS n FROM sales s JOIN shops p ON s.shop = p.id GROUP BY city ORDER BY city",
        "SELECT p.city, SUM(s.x) AS a, SUM(p.x) AS b FROM sales s LEFT JOIN shops p ON (p.id = s.shop) "
        "WHERE p.city IS NOT NULL GROUP BY p.city ORDER BY p.city",
        "SELECT COUNT(*) AS n, COUNT(city) AS m FROM sales LEFT OUTER JOIN shops ON shop = id",
        "SELECT COUNT(*) AS n, SUM(age) AS a, COUNT(DISTINCT sales.who) AS w FROM sales INNER JOIN people USING (who)",
        "SELECT COUNT(*) AS n, COUNT(age) AS m FROM sales LEFT JOIN people ON people.who = sales.who",
        "SELECT county AS place, SUM(age) AS a FROM sales JOIN people USING (who) JOIN shops ON id = shop "
        "JOIN names USING (city) GROUP BY place ORDER BY place",
        "SELECT COUNT(*) AS x FROM sales JOIN shops AS a ON shop = a.id JOIN shops AS b ON b.id = a.id ORDER BY x",
        *(
            f"SELECT COUNT(*) AS n, AVG(COALESCE(shops.x, 1)) AS a, COUNT(city) AS c FROM {source}"
            for source in MEETINGS
        ),
        "SELECT city, COUNT(*) AS n FROM names JOIN shops USING (city) JOIN sales ON shop = id GROUP BY 1 ORDER BY 1",
        "SELECT COUNT(*) AS n, SUM(age) AS a FROM sales, people WHERE sales.who = people.who AND people.age > 25",
        "SELECT COUNT(*) n, COUNT(age) m FROM sales LEFT JOIN people ON sales.who = people.who AND age > 25 * sales.x",
        "SELECT county AS c, COUNT(*) AS n FROM names AS q CROSS JOIN sales GROUP BY county ORDER BY c",
        "SELECT shops.x AS c, COUNT(*) AS n FROM shops JOIN sales ON sales.x + 3 >= shops.x GROUP BY 1 ORDER BY c",
        "SELECT shops.city AS county, names.county AS city, COUNT(*) AS n FROM sales JOIN shops ON shop = id "
        "JOIN names USING (city) GROUP BY shops.city, names.county HAVING COUNT(*) > 1 "
        "ORDER BY shops.city DESC, names.county",
        "SELECT LOWER(s.city) AS city, COUNT(*) AS n FROM (SELECT city FROM sales JOIN shops ON shop = id) AS s "
        "GROUP BY LOWER(s.city) ORDER BY LOWER(s.city)",
    ],
)
def test_a_join_means_what_a_database_makes_of_it(tmp_path, query):
    """Where nobody has more rows than count in full, and nobody is NULL, the answer is the plain one."""
    answer = connect(tmp_path).sql(query, epsilon=10**7)
    found = list(zip(*map(answer.outcome.column, answer.outcome.shown), strict=True))
    with duckdb.connect() as plain:
        for name, table in {"given": SALES, "people": PEOPLE, "shops": SHOPS, "names": NAMES}.items():
            plain.register(name, table)
        plain.execute("CREATE VIEW sales AS SELECT * FROM given WHERE who IS NOT NULL")
        expected = plain.execute(query).fetchall()
        names = [column[0] for column in plain.description]
    assert [item.name for item in answer.outcome.shown] == names
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert row == pytest.approx(other, abs=0.01) if not isinstance(other[0], str) else row[0] == other[0]
        assert row[1:] == pytest.approx(other[1:], abs=0.01)


def test_a_person_s_joined_rows_count_together_for_their_share(tmp_path):
    many = pa.table({"id": pa.array([1] * 50, pa.int32())})
    db = connect(tmp_path, public={"many": many}, contributions=3)
    answer = db.sql("SELECT COUNT(*) AS n FROM sales JOIN many ON shop = id", epsilon=10**7)
    assert answer.value == pytest.approx(3, abs=0.01)  # one person's fifty rows


def test_where_rows_are_units_each_meets_one_row_at_most(tmp_path):
    db = connect(tmp_path, unit="row", contributions=None, tables=None, bounds=None, public={"shops": SHOPS})
    with pytest.raises(UnboundedQuery, match="no value twice"):
        db.sql("SELECT COUNT(*) AS n FROM sales JOIN shops ON shop = id", epsilon=1)
    db = connect(tmp_path, unit="row", contributions=None, tables=None, bounds=None, public={"shops": SHOPS[:2]})
    assert db.sql("SELECT COUNT(*) AS n FROM sales JOIN shops ON shop = id", epsilon=1000).value == 4


def test_another_content_of_a_public_table_is_another_question(tmp_path):
    query = "SELECT COUNT(*) AS n FROM sales JOIN shops ON shop = id"
    connect(tmp_path).sql(query, epsilon=1)
    connect(tmp_path).sql(query, epsilon=1)
    assert connect(tmp_path).budget.epsilon == 10**9 - 1
    db = connect(tmp_path, public={"shops": SHOPS[:1]})
    db.sql(query, epsilon=1)
    assert db.budget.epsilon == 10**9 - 2


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("sales JOIN nowhere ON shop = id", UnknownName, "'nowhere' in this query; there is 'sales', 'people'"),
        ("sales JOIN shops ON shop = nothing", UnknownName, "'nothing'"),
        ("sales JOIN shops ON other.shop = id", UnknownName, "'other'"),
        ("sales JOIN shops ON x = id", UnsupportedQuery, "'x' may be sales.x or shops.x"),
        ("sales JOIN people ON shop = age", UnboundedQuery, "sales.who = people.who"),
        ("sales JOIN shops ON shop = id JOIN people ON id = people.who", UnboundedQuery, "holds people too"),
        ("sales JOIN shops ON sales.x = shops.x", UnsupportedQuery, "got DOUBLE and DOUBLE"),
        ("sales JOIN shops ON shop = city", UnsupportedQuery, "got BIGINT and VARCHAR"),
        ("sales RIGHT JOIN shops ON shop = id", UnsupportedQuery, "starts with a private table"),
        ("sales LEFT JOIN shops", UnsupportedQuery, "without ON"),
        ("sales, people", UnboundedQuery, "sales.who = people.who"),
        ("sales CROSS JOIN people", UnboundedQuery, "sales.who = people.who"),
        ("sales JOIN people ON sales.who > people.who", UnboundedQuery, "sales.who = people.who"),
        ("sales JOIN people ON sales.who = people.who OR ok", UnboundedQuery, "sales.who = people.who"),
        ("sales JOIN people ON sales.who + 0 = people.who", UnboundedQuery, "sales.who = people.who"),
        ("sales JOIN shops ON shop > COUNT(*)", UnsupportedQuery, "an aggregate has no rule there"),
        ("sales JOIN shops ON shop > (SELECT 1)", UnsupportedQuery, "an aggregate has no rule there"),
        ("sales JOIN shops ON shop + id", UnsupportedQuery, "ON takes a boolean"),
        ("shops LEFT JOIN sales ON shop = id", UnsupportedQuery, "starts with a private table"),
        ("sales NATURAL JOIN shops WHERE shop = id", UnsupportedQuery, "plain JOIN"),
        ("sales FULL JOIN shops ON shop = id", UnsupportedQuery, "FULL JOIN"),
        ("sales SEMI JOIN shops ON shop = id", UnsupportedQuery, "SEMI JOIN"),
        ("sales ANTI JOIN shops ON shop = id", UnsupportedQuery, "ANTI JOIN"),
        ("sales NATURAL JOIN shops", UnsupportedQuery, "plain JOIN"),
        ("sales ASOF JOIN shops ON shop = id", UnsupportedQuery, "plain JOIN"),
        ("sales JOIN (SELECT 1 AS id) AS q ON shop = id", UnsupportedQuery, "with a released table"),
        ("sales JOIN read_csv('x') AS q ON shop = id", UnsupportedQuery, "name alone"),
        ("sales JOIN elsewhere.shops ON shop = id", UnsupportedQuery, "name alone"),
        ("sales JOIN shops AS q(a, b, c) ON shop = a", UnsupportedQuery, "rename"),
        ("sales JOIN shops AS sales ON shop = id", UnsupportedQuery, "two tables are called"),
        ("shops", UnsupportedQuery, "starts with a private table"),
    ],
)
def test_what_has_no_rule_is_refused_before_the_charge(tmp_path, source, kind, said, monkeypatch):
    db = connect(tmp_path)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    with pytest.raises(kind, match=said):
        db.sql(f"SELECT COUNT(*) AS n FROM {source}", epsilon=1)
    assert db.budget.epsilon == 10**9


def test_where_rows_are_units_an_expression_may_pick_the_one_row_that_each_meets(tmp_path):
    public = {"shops": SHOPS, "names": NAMES}
    db = connect(tmp_path, unit="row", contributions=None, tables=None, bounds=None, public=public)
    by_text = "CASE WHEN shop = 1 THEN 'Lund' ELSE 'Umeå' END = names.city"
    assert db.sql(f"SELECT COUNT(*) AS n FROM sales JOIN names ON {by_text}", epsilon=10**7).value == 5
    for free in ("sales CROSS JOIN names", "sales JOIN names ON names.city > 'M'", "sales JOIN names ON city = county"):
        with pytest.raises(UnboundedQuery, match="no value twice"):
            db.sql(f"SELECT COUNT(*) AS n FROM {free}", epsilon=1)


def test_a_row_meets_no_more_public_rows_than_a_thousand_unless_an_equality_picks_them(tmp_path):
    db = connect(tmp_path, public={"many": pa.table({"id": pa.array(range(1001), pa.int32())})})
    equal = db.sql("SELECT COUNT(*) AS n FROM sales JOIN many ON shop = id", epsilon=10**7)
    assert equal.value == pytest.approx(4, abs=0.01)
    with pytest.raises(UnsupportedQuery, match="1000 rows at most"):
        db.sql("SELECT COUNT(*) AS n FROM sales JOIN many ON shop > id", epsilon=1)
    db = connect(tmp_path, public={"some": pa.table({"id": pa.array(range(40), pa.int32())})})
    with pytest.raises(UnsupportedQuery, match="1000 rows at most"):
        db.sql("SELECT COUNT(*) AS n FROM sales CROSS JOIN some AS a CROSS JOIN some AS b", epsilon=1)


def test_without_other_tables_a_join_is_refused_with_the_remedy(tmp_path):
    db = connect(tmp_path, tables=None, public=None, bounds=None)
    with pytest.raises(UnknownName, match="the owner declares tables= or public="):
        db.sql("SELECT COUNT(*) FROM sales JOIN shops ON shop = id", epsilon=1)


def test_a_column_that_is_called_like_another_table_s_is_refused(tmp_path):
    odd = SALES.append_column("Shops.city", pa.array(["a"] * 5))
    db = dalenius.connect(
        odd,
        table="t",
        unit="who",
        contributions=1,
        budget={"epsilon": 1},
        ledger=tmp_path / "l",
        public={"Shops": SHOPS},
    )
    with pytest.raises(UnsupportedQuery, match="rename it"):
        db.sql("SELECT COUNT(*) FROM t JOIN shops ON shop = id", epsilon=1)


def test_the_owner_s_tables_do_not_come_from_an_analyst(tmp_path):
    db = connect(tmp_path, tables=None, bounds=None)
    terms = {"policy": db.policy, "ledger": tmp_path / "sales.ledger"}
    with pytest.raises(InvalidParameter, match="tables"):
        dalenius.connect(SALES, tables={"people": PEOPLE}, **terms)
    other = dalenius.connect(SALES, public={"shops": SHOPS}, **terms)
    answer = other.sql("SELECT COUNT(*) AS n FROM sales JOIN shops ON shop = id", epsilon=10**7)
    assert answer.value == pytest.approx(5, abs=0.01)
