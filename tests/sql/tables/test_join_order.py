"""A private table is joined first, whatever stands first in FROM."""

import pytest

from dalenius.errors import UnknownName
from dalenius.sql.tables.join_order import start_with_private
from dalenius.sql.tables.scope import Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse

TABLES = {
    "t": QueryTable("t", "source", {"who": "BIGINT", "n": "BIGINT", "c": "BIGINT"}, "who", owned=True),
    "p": QueryTable("p", "one", {"n": "BIGINT", "m": "BIGINT"}),
    "q": QueryTable("q", "two", {"m": "BIGINT", "c": "BIGINT"}),
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("t JOIN p ON t.n = p.n", "t JOIN p ON t.n = p.n"),
        ("p JOIN t ON t.n = p.n", "t JOIN p ON t.n = p.n"),
        ("p JOIN t USING (n)", "t JOIN p USING (n)"),
        ("p CROSS JOIN t", "t CROSS JOIN p"),
        ("p RIGHT JOIN t ON t.n = p.n", "t LEFT JOIN p ON t.n = p.n"),
        ("p JOIN q USING (m) JOIN t ON t.n = p.n", "t, p JOIN q USING (t.n = p.n)"),  # it holds both, and shows one
        ("p JOIN q ON p.m = q.m JOIN t ON t.n = p.n", "t, p JOIN q ON p.m = q.m AND t.n = p.n"),
        ("p LEFT JOIN t ON t.n = p.n", "p LEFT JOIN t ON t.n = p.n"),
        ("p JOIN q ON p.m = q.m", "p JOIN q ON p.m = q.m"),
        ("q JOIN p USING (m) JOIN t USING (c)", "q JOIN p USING (m) JOIN t USING (c)"),
    ],
)
def test_the_same_join_starts_with_a_private_table(source, expected):
    tree = parse(f"SELECT COUNT(*) FROM {source}")
    start_with_private(tree, Scope(None, TABLES, None))
    assert tree.sql().removeprefix("SELECT COUNT(*) FROM ") == expected


def test_a_table_that_there_is_not_is_refused_by_name():
    with pytest.raises(UnknownName, match="'nowhere'"):
        start_with_private(parse("SELECT COUNT(*) FROM p JOIN nowhere ON TRUE"), Scope(None, TABLES, None))
