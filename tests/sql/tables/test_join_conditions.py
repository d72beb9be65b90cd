"""What binds a joined table: equalities of columns told from further conditions."""

import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.tables.join_conditions import JoinCondition
from dalenius.sql.tables.join_side import JoinSide
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse

LEFT = QueryTable("t", "source", {"who": "BIGINT", "n": "BIGINT", "day": "DATE", "ts": "TIMESTAMP"}, "who", owned=True)
RIGHT = QueryTable(
    "p", "public", {"id": "BIGINT", "date": "DATE", "at": "TIMESTAMP", "ns": "TIMESTAMP_NS", "v": "DOUBLE"}
)


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
        ("p.ns = t.ts AND t.day = p.ns", [], 2, set()),
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


def test_an_equality_in_where_binds_a_column_too():
    """`FROM t, p WHERE CAST(ts AS DATE) = date`; a condition on a table that is joined later says nothing yet."""
    (join,) = parse("SELECT 1 FROM t CROSS JOIN p").args["joins"]
    where = parse("SELECT 1 FROM t WHERE CAST(t.ts AS DATE) = p.date AND p.id = later.id AND n > 2").args["where"].this
    assert JoinCondition.of(join, *sides(), frozenset()).under(where, *sides()).fixed == {"date"}
