"""What binds a joined table: equalities of columns told from further conditions."""

import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.tables.join_conditions import JoinCondition, conjuncts, from_where
from dalenius.sql.tables.join_side import JoinSide
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse

LEFT = QueryTable("t", "source", {"who": "BIGINT", "n": "BIGINT", "day": "DATE", "ts": "TIMESTAMP"}, "who", owned=True)
RIGHT = QueryTable("p", "public", {"id": "BIGINT", "date": "DATE", "at": "TIMESTAMP", "v": "DOUBLE"})


def sides():
    names = [{name: f"{table.name}.{name}" for name in table.columns} for table in (LEFT, RIGHT)]
    return [JoinSide("t", "source", names[0], LEFT)], JoinSide("p", "joined0", names[1], RIGHT)


@pytest.mark.parametrize(
    ("on", "pairs", "further", "fixed"),
    [
        ("t.n = p.id", [("n", "id")], 0, {"id"}),
        ("p.id = t.n AND (t.n > 3 AND p.v < 1)", [("n", "id")], 2, {"id"}),
        ("CAST(t.ts AS DATE) = p.date", [], 1, {"date"}),
        ("p.at = t.day", [], 1, {"at"}),
        ("p.at = CAST(p.date AS TIMESTAMP)", [], 1, set()),
        ("p.id = t.n + 1", [], 1, set()),
        ("p.date < t.day", [], 1, set()),
        ("p.id = t.n OR p.date = t.day", [], 1, set()),
        ("TRUE", [], 0, set()),
    ],
)
def test_only_exact_equalities_bind_a_column(on, pairs, further, fixed):
    """A whole number beside an expression is compared as a double, in which two of them may be one."""
    (join,) = parse(f"SELECT 1 FROM t JOIN p ON {on}").args["joins"]
    condition = JoinCondition.of(join, *sides(), frozenset())
    assert [(one, two) for (_, one), (_, two) in condition.pairs] == pairs
    assert (len(condition.further), condition.fixed) == (further, frozenset(fixed))


def test_columns_of_types_that_do_not_compare_are_refused():
    (join,) = parse("SELECT 1 FROM t JOIN p ON t.day = p.id").args["joins"]
    with pytest.raises(UnsupportedQuery, match="got DATE and BIGINT"):
        JoinCondition.of(join, *sides(), frozenset())


def test_a_condition_is_what_and_joins():
    where = parse("SELECT 1 FROM t WHERE a AND (b OR c) AND (d AND TRUE)").args["where"]
    assert [one.sql() for one in conjuncts(where.this)] == ["a", "b OR c", "d"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 1 FROM a, b WHERE a.x = b.y AND a.x > 1", "SELECT 1 FROM a JOIN b ON a.x = b.y WHERE a.x > 1"),
        ("SELECT 1 FROM a, b WHERE own = y", "SELECT 1 FROM a JOIN b ON own = y"),
        ("SELECT 1 FROM a, b WHERE x = 1", "SELECT 1 FROM a, b WHERE x = 1"),
        ("SELECT 1 FROM a, b WHERE a.x = a.own", "SELECT 1 FROM a, b WHERE a.x = a.own"),
        ("SELECT 1 FROM a LEFT JOIN b ON a.x = b.x, b AS c WHERE a.x = c.y", None),
    ],
)
def test_equalities_go_from_where_to_the_join_that_they_bind(query, expected):
    tree = parse(query)
    from_where(tree, [("a", frozenset({"x", "own"})), ("b", frozenset({"x", "y"}))])
    assert tree.sql() == (expected or parse(query).sql())
