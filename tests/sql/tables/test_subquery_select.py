from fractions import Fraction

import pytest
from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql import Policy
from dalenius.sql.rows import Typed
from dalenius.sql.tables.subquery_select import SubqueryColumns, SubquerySelect
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse
from dalenius.sql.types.kinds import Kind

POLICY = Policy.declare(
    *("t", {"who": "BIGINT", "k": "VARCHAR", "x": "FLOAT", "raw": "BLOB"}),
    unit="who",
    contributions=1,
    keys={"k": ["a"]},
    bounds={"x": (0, 1)},
    fill={"x": 3},
)
STEP = SubquerySelect(
    parse("SELECT x FROM t WHERE TRUE"), QueryTable.first(POLICY), POLICY, exp.select("*").from_("source")
)


def test_a_column_keeps_what_is_known_of_it():
    told = SubqueryColumns()
    assert told.column("new", "k", STEP).sql() == '"source"."k"'
    told.column("y", "x", STEP)
    assert told == SubqueryColumns(
        {"new": "VARCHAR", "y": "FLOAT"}, {"new": Keys("new", ["a"])}, {"y": (0, 1)}, {"y": 3}
    )
    with pytest.raises(UnsupportedQuery, match="no type for"):
        told.column("raw", "raw", STEP)


def test_an_expression_has_what_follows():
    told = SubqueryColumns()
    told.expression("n", Typed(Kind.NUMBER, exp.null(), (Fraction(1), Fraction(2)), (1, 2)))
    told.expression("d", Typed(Kind.DATE, exp.null(), (Fraction(738000), Fraction(738001))))
    assert told.columns == {"n": "DOUBLE", "d": "DATE"}
    assert told.bounds == {"n": (1, 2), "d": ("2021-07-29", "2021-07-30")}
    assert told.keys == {"n": Keys("n", [1, 2])}
    told.expression("far", Typed(Kind.NUMBER, exp.null(), None, (1e200, 1)))
    assert "far" not in told.keys
    with pytest.raises(UnsupportedQuery, match="no type"):
        told.expression("z", Typed(Kind.NULL, exp.null()))


def test_rows_are_those_where_the_condition_holds():
    assert STEP.source.select("1").sql() == 'SELECT 1 FROM (SELECT * FROM source) AS "source" WHERE TRUE'
