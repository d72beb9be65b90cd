import pytest
from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.tables.join_side import JoinSide, resolve_column, shown
from dalenius.sql.tables.table import QueryTable

COLUMNS = {"Who": "BIGINT", "x": "DOUBLE", "(unit)": "BIGINT"}
ONE = JoinSide("one", "source", {"Who": "Who", "x": "x"}, QueryTable("one", "", COLUMNS, hidden=frozenset({"(unit)"})))
TWO = JoinSide("two", "joined0", {"x": "two.x", "y": "two.y"}, QueryTable("two", "", {"x": "DOUBLE", "y": "DOUBLE"}))
UNSEEN = JoinSide(None, "joined1", {"z": "three.z"}, QueryTable("three", "", {"z": "DOUBLE"}))


def test_a_name_means_the_column_of_the_table_that_has_it():
    assert resolve_column(exp.column("who"), [ONE, TWO]) == (ONE, "Who")
    assert resolve_column(exp.column("x", table="TWO"), [ONE, TWO]) == (TWO, "x")
    assert resolve_column(exp.column("x"), [ONE, TWO], frozenset({"x"})) == (ONE, "x")
    assert TWO.of("x").sql() == '"joined0"."x"'


def test_a_name_that_means_two_columns_is_refused():
    with pytest.raises(UnsupportedQuery, match=r"one\.x or two\.x"):
        resolve_column(exp.column("x"), [ONE, TWO])


@pytest.mark.parametrize("name", ["z", "(unit)", "nothing"])
def test_what_the_analyst_may_not_name_is_not_there(name):
    with pytest.raises(UnknownName, match="has a column"):
        resolve_column(exp.column(name), [ONE, UNSEEN])


def test_a_table_that_gets_a_name_can_be_asked():
    assert resolve_column(exp.column("z"), [ONE, shown(UNSEEN, "three")])[1] == "z"
