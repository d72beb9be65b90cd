import pyarrow as pa
import pytest

from dalenius.sql.after.blocks import BlockScope, Reads, aggregates_of, comparable
from dalenius.sql.engine import language
from dalenius.sql.tables.joinable import read_public
from dalenius.sql.tables.table import QueryTable

CALENDAR, _ = read_public("days", pa.table({"day": ["a", "b"], "n": [1, 2]}))
TABLES = {
    "days": CALENDAR,
    "sales": QueryTable("sales", "source", {"person": "BIGINT", "shop": "VARCHAR", "spent": "DOUBLE"}, "person"),
    "people": QueryTable("people", "people", {"id": "BIGINT", "sex": "VARCHAR"}, "id"),
}
SCOPE = BlockScope.of(TABLES, {"kept": ("shop", "n")})


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("SELECT * FROM sales", Reads.ROWS),
        ("SELECT * FROM days", Reads.PUBLIC),
        ("SELECT COUNT(*) FROM days WHERE n > 1", Reads.PUBLIC),
        ("SELECT n FROM days UNION ALL SELECT 2 * n FROM days", Reads.PUBLIC),
        ("WITH d AS (SELECT n FROM days) SELECT MAX(n) FROM d", Reads.PUBLIC),
        ("SELECT * FROM sales JOIN days ON shop = day", Reads.ROWS),
        ("SELECT COUNT(*) FROM sales JOIN days ON shop = day", Reads.MEASURED),
        ("SELECT n FROM days UNION ALL SELECT COUNT(*) FROM sales", Reads.AFTER),
        ("SELECT * FROM days JOIN (SELECT shop, COUNT(*) AS c FROM sales GROUP BY 1) AS q ON shop = day", Reads.AFTER),
        ("SELECT shop, COUNT(*) FROM sales GROUP BY shop", Reads.MEASURED),
        ("SELECT COUNT(*) FROM sales", Reads.MEASURED),
        ("SELECT person, COUNT(*) FROM sales GROUP BY person", Reads.ROWS),
        ("SELECT person AS p, shop, COUNT(*) FROM sales GROUP BY 1, 2", Reads.ROWS),
        ("SELECT AVG(n) FROM (SELECT person AS p, COUNT(*) AS n FROM sales GROUP BY 1)", Reads.MEASURED),
        (
            "SELECT p, MAX(n) FROM (SELECT person AS p, shop, COUNT(*) AS n FROM sales GROUP BY 1, 2) GROUP BY p",
            Reads.ROWS,
        ),
        ("SELECT s.person, COUNT(*) FROM sales s JOIN people p ON s.person = p.id GROUP BY p.id, s.person", Reads.ROWS),
        ("SELECT AVG(n) FROM (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop)", Reads.AFTER),
        ("WITH m AS (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop) SELECT * FROM m", Reads.AFTER),
        ("WITH sales AS (SELECT shop, n FROM kept) SELECT COUNT(*) FROM sales", Reads.AFTER),
        ("SELECT COUNT(*) FROM sales UNION ALL SELECT COUNT(*) FROM people", Reads.AFTER),
        ("SELECT shop FROM sales UNION ALL SELECT sex FROM people", Reads.ROWS),
        ("SELECT ROW_NUMBER() OVER (PARTITION BY person ORDER BY spent) AS r, * FROM sales", Reads.ROWS),
        ("SELECT COUNT(*) OVER () FROM sales", Reads.ROWS),
        ("SELECT DISTINCT person FROM sales", Reads.ROWS),
        ("SELECT shop, n FROM kept", Reads.AFTER),
        ("SELECT * FROM (VALUES (1)) AS t(x)", Reads.WRITTEN),
        ("SELECT SUM(x) FROM (VALUES (1)) AS t(x)", Reads.AFTER),
        ("SELECT COUNT(*) FROM sales JOIN (VALUES ('a')) AS t(k) ON t.k = shop", Reads.MEASURED),
        ("SELECT COUNT(*) FROM unknown", Reads.MEASURED),
        ("SELECT COUNT(*) FROM read_csv('x')", Reads.MEASURED),
    ],
)
def test_a_select_is_known_by_what_it_reads(text, reads):
    assert SCOPE.block(language.read(text)).reads is reads


def test_what_over_applies_to_is_no_aggregate_of_rows():
    (term,) = language.read("SELECT SUM(COUNT(*)) OVER (ORDER BY MAX(x)) / AVG(y) FILTER (WHERE z)").expressions
    assert sorted(map(language.written, aggregates_of(term))) == ["AVG(y) FILTER(WHERE z)", "COUNT(*)", "MAX(x)"]


def test_a_column_is_the_same_with_or_without_its_table_unless_two_tables_have_it():
    sources = SCOPE.sources(language.read("SELECT 1 FROM sales s JOIN people p ON s.person = p.id"))
    assert comparable(language.read("s.SHOP"), sources) == comparable(language.read('"shop"'), sources)
    both = SCOPE.sources(language.read("SELECT 1 FROM sales a JOIN sales b ON a.person = b.person"))
    assert comparable(language.read("a.shop"), both) != comparable(language.read("b.shop"), both)
