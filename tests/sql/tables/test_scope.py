import pytest
from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.tables.scope import Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse

POLICY = Policy.declare("t", {"who": "BIGINT"}, unit="who", contributions=1)


def made(tree, name, scope):
    return QueryTable(name, "", dict.fromkeys(scope.tables, "BIGINT"), rows=tree)


SCOPE = Scope(POLICY, {"t": QueryTable.first(POLICY)}, made)


def test_a_subquery_may_name_those_before_it():
    scope = SCOPE.within(parse("WITH a AS (SELECT 1), B AS (SELECT 2) SELECT 3 FROM a"))
    assert list(scope.tables) == ["t", "a", "b"]
    assert list(scope.tables["a"].columns) == ["t"]
    assert list(scope.tables["b"].columns) == ["t", "a"]
    assert SCOPE.within(parse("SELECT 1 FROM t")).tables == SCOPE.tables


def test_a_table_is_found_by_its_name_and_called_as_the_query_calls_it():
    source = parse("SELECT 1 FROM T AS Q").args["from_"].this
    assert SCOPE.named(source) == (SCOPE.tables["t"], "q")
    table, called = SCOPE.named(parse("SELECT 1 FROM (SELECT 2) AS Sub").args["from_"].this)
    assert (table.name, called) == ("Sub", "sub")
    table, called = SCOPE.named(parse("SELECT 1 FROM (SELECT 2)").args["from_"].this)
    assert (table.name, called) == ("subquery", "subquery")
    assert isinstance(table.rows, exp.Select)


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("nothing", UnknownName, "the owner declares tables= or public="),
        ("elsewhere.t", UnsupportedQuery, "name alone"),
        ("read_csv('x')", UnsupportedQuery, "name alone"),
        ("t AS q(a)", UnsupportedQuery, "rename"),
        ("(SELECT 1) AS q TABLESAMPLE (9 PERCENT)", UnsupportedQuery, "takes a name"),
        ("(SELECT 1) AS q(a)", UnsupportedQuery, "rename"),
    ],
)
def test_what_is_no_table_is_refused(source, kind, said):
    with pytest.raises(kind, match=said):
        SCOPE.named(parse(f"SELECT 1 FROM {source}").args["from_"].this)
