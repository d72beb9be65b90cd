import pyarrow as pa
import pytest

import dalenius
from dalenius.sql import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.tables.types_read import types_read
from dalenius.sql.text.parse import parse

POLICY = Policy.declare("t", {"who": "BIGINT", "x": "INTEGER", "y": "DOUBLE", "k": "VARCHAR"}, unit="who")
OTHERS = {
    "b": QueryTable("b", "table b", {"who": "BIGINT", "x": "DATE"}, "who", owned=True),
    "p": QueryTable("p", "public", {"k": "VARCHAR"}),
}


@pytest.mark.parametrize(
    ("query", "types"),
    [
        ("SELECT COUNT(*) FROM t", {}),
        ("SELECT COUNT(*) FROM t WHERE x > 1", {"t.x": "whole"}),
        ("SELECT AVG(Y) FROM t GROUP BY k", {"t.y": "DOUBLE", "t.k": "VARCHAR"}),
        ("SELECT AVG(t.y) FROM t JOIN p USING (k)", {"t.y": "DOUBLE", "t.k": "VARCHAR"}),
        ("SELECT COUNT(*) FROM t JOIN b USING (who)", {"t.who": "whole", "b.who": "whole"}),
        (
            "SELECT COUNT(*) FROM b WHERE EXISTS (SELECT 1 FROM t WHERE t.who = b.who)",
            {"t.who": "whole", "b.who": "whole"},
        ),
        ("SELECT COUNT(*) FROM (SELECT * FROM b) AS q", {"b.who": "whole", "b.x": "DATE"}),
    ],
)
def test_the_types_of_what_is_named_are_read(query, types):
    assert types_read(parse(query), POLICY, OTHERS) == types


INTEGER = pa.int32()
COUNTED = "SELECT COUNT(*) AS n FROM sales WHERE x > 1"
ABOVE = "SELECT n, n / 2 AS half FROM (SELECT COUNT(*) AS n FROM sales WHERE x > 1) AS s"


def session(tmp_path, kind, other=INTEGER):
    rows = {"who": range(9), "x": pa.array([1, 2, 3] * 3).cast(kind), "z": pa.array([1] * 9).cast(other)}
    terms = {"unit": "row", "budget": {"epsilon": 9}, "ledger": tmp_path / "sales.ledger"}
    return dalenius.connect(pa.table(rows), table="sales", **terms)


@pytest.mark.parametrize("query", [COUNTED, ABOVE])
def test_over_a_column_of_another_type_the_same_text_is_another_question(tmp_path, query):
    first = session(tmp_path, pa.int32()).sql(query, epsilon=1)
    for kind in (pa.float64(), pa.float32()):
        before = session(tmp_path, kind).budget.epsilon
        session(tmp_path, kind).sql(query, epsilon=1)
        assert session(tmp_path, kind).budget.epsilon == before - 1
    left = session(tmp_path, pa.int32()).budget.epsilon
    for kind, other in ((pa.int32(), pa.int32()), (pa.int64(), pa.int32()), (pa.int32(), pa.string())):
        assert list(session(tmp_path, kind, other).sql(query, epsilon=1)) == list(first)
    assert session(tmp_path, pa.int32()).budget.epsilon == left == 6


def test_an_answer_from_before_types_were_told_stays_free(tmp_path):
    db = session(tmp_path, pa.int32())
    told, db._curator.types_read = db._curator.types_read, lambda plan: {}
    first = db.sql(COUNTED, epsilon=1)
    db._curator.types_read = told
    assert db.sql(COUNTED, epsilon=1).value == first.value
    assert db.budget.epsilon == 8
