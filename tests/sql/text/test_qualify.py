import pytest

from dalenius.errors import UnknownName
from dalenius.sql.text.parse import parse
from dalenius.sql.text.qualify import qualify_names
from tests.sql.cases import policy


def test_a_column_gets_the_policys_spelling_and_the_tree_that_was_given_stays():
    tree = parse("SELECT SUM(PRICE) AS Total FROM Purchases p WHERE p.Gift")
    before = tree.copy()
    columns = {(column.table, column.name) for column in qualify_names(tree, policy()).find_all(type(parse_column()))}
    assert {name for _, name in columns} == {"price", "gift"}
    assert len({table for table, _ in columns}) == 1
    assert tree == before


def test_a_name_that_nobody_declared_is_refused():
    with pytest.raises(UnknownName):
        qualify_names(parse("SELECT SUM(amount) FROM purchases"), policy())


def parse_column():
    return parse("SELECT price FROM purchases").expressions[0]
