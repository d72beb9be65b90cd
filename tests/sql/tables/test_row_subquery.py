import duckdb
import numpy as np
import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables.row_subquery import inner_queries
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity import grammar, language

TRUE = [
    *(one.format(who="t.who", number="t.y") for one in language.TIED),
    "EXISTS (SELECT 1 FROM b WHERE b.who = t.who AND (b.z > t.x OR b.g = t.k))",
    "EXISTS (SELECT * FROM t AS i WHERE i.who = t.who AND i.d < t.d AND t.d - i.d < 400 LIMIT 1)",
    "t.k IN (SELECT i.g FROM b AS i WHERE i.who = t.who)",
    "t.note NOT IN (SELECT i.note FROM t AS i WHERE i.who = t.who AND i.x > 0)",
    "EXISTS (SELECT 1 FROM b AS i WHERE i.who = t.who "
    "AND EXISTS (SELECT 1 FROM t AS v WHERE v.who = i.who AND v.x > i.z))",
    "t.x = (SELECT MIN(i.x) FROM t AS i WHERE i.who = t.who)",
    "COALESCE((SELECT MAX(i.z) FROM b AS i WHERE i.who = t.who), -1) < 0",
]


@pytest.fixture(scope="module")
def connection():
    """One database whose numbers are tame, in which some rows are nobody's, and views of somebody's rows."""
    random, held = np.random.default_rng(3), {"t": [], "b": [], "c": [], "e": []}
    for _ in range(8):
        for name, rows in language.world(random, people=(*range(20), None), most=60).items():
            held[name] += [row for row in rows if not any(isinstance(x, float) and not abs(x) < 7 for x in row)]
    held["b"] += [(None, "p", 5.0, "f"), (3, "p", 5.0, "f")]
    with duckdb.connect() as opened:
        opened.register("public rows", language.PUBLIC_ROWS)
        opened.execute(f'CREATE TABLE "{language.PUBLIC.place}" AS SELECT * FROM "public rows"')
        language.load(opened, [held])
        for name, place in (("t", "source"), ("b", "table b")):
            opened.execute(f'CREATE VIEW {name} AS SELECT * FROM "{place}" WHERE who IS NOT NULL')
        opened.execute(
            'CREATE VIEW p AS SELECT * REPLACE (CASE WHEN isnan(v) THEN NULL ELSE v END AS v) FROM "public rows"'
        )
        yield opened


def counted(connection, query, spoilt=None):
    terms = grammar.policy("who", 2**20)
    compiled = compile_query(query, terms, others={"b": language.BESIDE, "p": language.PUBLIC})
    (group,) = compiled.groups
    statement = compiled.scan if spoilt is None else spoilt(compiled.scan)
    ((_, whole),) = connection.execute(statement).fetchall()
    return whole * group.lattice.step


@pytest.mark.parametrize("condition", TRUE)
def test_a_query_inside_of_a_condition_is_what_the_engine_says_of_somebodys_rows(connection, condition):
    query = f"SELECT COUNT(*) AS n FROM t WHERE {condition}"
    (true,) = connection.execute(query).fetchone()
    assert counted(connection, query) == true


def test_rows_of_nobody_do_not_empty_a_not_in(connection):
    query = "SELECT COUNT(*) AS n FROM t WHERE who NOT IN (SELECT who FROM b WHERE z > 4)"
    (true,) = connection.execute(query).fetchone()
    assert connection.execute('SELECT COUNT(*) FROM "table b" WHERE who IS NULL AND z > 4').fetchone()[0] > 0
    assert counted(connection, query) == true > 0

    def kept(scan):
        """The mutant: every row of the subquery is compared, nobody's too."""
        start, end = scan.index("EXISTS(SELECT 1 FROM"), scan.index(' AS "(IN 0)"')
        inner = scan[start:end].replace("EXISTS(SELECT 1", '("source"."who" IN (SELECT "inner0"."c0"')
        return scan[:start] + inner[: inner.rindex(" WHERE NOT")] + "))" + scan[end:]

    assert counted(connection, query, kept) == 0


@pytest.mark.parametrize(
    "condition",
    [
        *("k IN (SELECT g FROM b)", "EXISTS (SELECT 1 FROM b)", "EXISTS (SELECT 1 FROM b WHERE b.g = t.k)"),
        *("x > (SELECT AVG(z) FROM b)", "x > (SELECT AVG(i.x) FROM t AS i WHERE i.k = t.k)"),
        *("j IN (SELECT who FROM b)", "EXISTS (SELECT 1 FROM b WHERE b.who = t.who OR b.z > 1)"),
        *("EXISTS (SELECT 1 FROM b WHERE b.who <= t.who)", "EXISTS (SELECT 1 FROM b WHERE b.who = t.j)"),
        "EXISTS (SELECT 1 FROM b WHERE b.who = t.who + 0)",
    ],
)
def test_a_query_that_is_not_tied_by_the_unit_is_refused(condition):
    with pytest.raises(UnboundedQuery, match="lets one person decide over the rows of others"):
        compile_query(f"SELECT COUNT(*) FROM t WHERE {condition}", grammar.policy(), others={"b": language.BESIDE})


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("x > (SELECT i.x FROM t AS i WHERE i.who = t.who)", "is one aggregate"),
        ("x IN (SELECT z, who FROM b)", "one column"),
        ("EXISTS (SELECT 1)", "from a table"),
        ("x > (SELECT STDDEV(i.x) FROM t AS i WHERE i.who = t.who)", "no rule in a subquery"),
        ("EXISTS (SELECT who FROM b WHERE b.who = t.who GROUP BY who HAVING COUNT(*) > 1)", "join it"),
    ],
)
def test_what_has_no_rule_is_refused(condition, words):
    with pytest.raises(UnsupportedQuery, match=words):
        compile_query(f"SELECT COUNT(*) FROM t WHERE {condition}", grammar.policy(), others={"b": language.BESIDE})


def test_where_rows_are_units_public_tables_alone_may_be_asked():
    others, terms = {"p": language.PUBLIC}, grammar.policy("row")
    compile_query("SELECT COUNT(*) FROM t WHERE k IN (SELECT pk FROM p)", terms, others=others)
    with pytest.raises(UnboundedQuery, match="decide over the rows of others"):
        compile_query("SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS i WHERE i.who = t.who)", terms)


def test_a_public_table_is_no_outer_table_of_people():
    query = (
        "SELECT COUNT(*) FROM t JOIN (SELECT pk FROM p WHERE EXISTS (SELECT 1 FROM b WHERE b.g = p.pk)) AS q ON pk = k"
    )
    with pytest.raises(UnboundedQuery, match="decide over the rows of others"):
        compile_query(query, grammar.policy(), others={"b": language.BESIDE, "p": language.PUBLIC})


def test_large_units_are_compared_as_they_are_and_not_as_doubles():
    """2⁵³ and 2⁵³ + 1 are two people, and one double."""
    rows = "SELECT * FROM (VALUES (9007199254740992, 1.0), (9007199254740993, 5.0)) AS v(who, z)"
    with duckdb.connect() as opened:
        opened.execute(f"CREATE TABLE \"table b\" AS SELECT *, 'p' AS g, 'f' AS sex FROM ({rows})")
        columns = ", ".join(
            f"CAST(NULL AS {kind}) AS {name}" for name, kind in grammar.COLUMNS.items() if name != "who"
        )
        opened.execute(f'CREATE TABLE "source" AS SELECT 9007199254740992 AS who, {columns}')
        assert counted(opened, "SELECT COUNT(*) AS n FROM t WHERE who IN (SELECT who FROM b WHERE z > 3)") == 0
        assert counted(opened, "SELECT COUNT(*) AS n FROM t WHERE EXISTS (SELECT 1 FROM b WHERE b.who = t.who)") == 1


def test_queries_of_from_and_with_are_none_of_a_rows():
    tree = parse(
        "WITH a AS (SELECT 1) SELECT 1 FROM (SELECT 2) AS b JOIN (SELECT 3) AS c ON TRUE WHERE x IN (SELECT 4)"
    )
    assert len(inner_queries(tree)) == 1
    assert len(inner_queries(parse("SELECT (SELECT 1), EXISTS (SELECT 2) FROM t"))) == 2


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT MAX(i.z) FROM b AS i {}",
        "SELECT COUNT(*) FROM b AS i {}",
        *(f"SELECT 1 FROM b AS i {{}} {end}" for end in ("LIMIT 0", "LIMIT 1 - 1", "FETCH FIRST 0 ROWS ONLY")),
    ],
)
def test_exists_of_what_is_always_or_never_there_is_refused(inner):
    query = f"SELECT COUNT(*) FROM t WHERE EXISTS ({inner.format('WHERE i.who = t.who')})"
    with pytest.raises(UnsupportedQuery, match="always true"):
        compile_query(query, grammar.policy("who", 3), others={"b": language.BESIDE})
