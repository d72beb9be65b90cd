import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.sql import Policy
from dalenius.sql.tables.table import QueryTable

ROWS = pa.table({"who": [1, 1, 1, 2, None], "sex": ["m", "f", None, None, "f"], "x": [1.0, 2, 3, 4, 5]})
POLICY = Policy.declare(
    "t", {"who": "BIGINT", "sex": "VARCHAR", "x": "DOUBLE"}, unit="who", contributions=3, attributes=["Sex"]
)


def test_an_attribute_is_the_least_of_a_unit_s_rows():
    table = QueryTable.first(POLICY)
    with duckdb.connect() as plain:
        plain.register("source", ROWS)
        read = table.read("q", frozenset({"sex"})).sql(dialect="duckdb")
        found = sorted(plain.execute(f"SELECT who, sex, x FROM {read}").fetchall())
    assert found == [(1, "f", 1.0), (1, "f", 2.0), (1, "f", 3.0), (2, None, 4.0)]


def test_an_attribute_called_like_the_unit_s_own_place_holds_no_person():
    """Taken for the person, a text that is no number would fail the query: an error that tells of a row."""
    columns = {"who": "VARCHAR", "unit": "BIGINT", "least0": "BIGINT"}
    table = QueryTable.first(Policy.declare("t", columns, unit="who", contributions=3, attributes=["least0", "unit"]))
    with duckdb.connect() as plain:
        plain.register("source", pa.table({"who": ["ann", "bob", "bob"], "unit": [7, 9, 8], "least0": [3, 4, 5]}))
        read = table.read("q", frozenset({"unit", "least0"})).sql(dialect="duckdb")
        found = plain.execute(f"SELECT DISTINCT who, unit, least0 FROM {read} ORDER BY who").fetchall()
    assert found == [("ann", 7, 3), ("bob", 8, 4)]


def test_a_table_whose_attributes_nobody_asks_for_is_read_as_it_is():
    assert QueryTable.first(POLICY).read("source", frozenset({"x"})).sql(dialect="duckdb") == '"source"'
    assert QueryTable.first(POLICY).enforced(frozenset({"x"})) == ()


def test_the_terms_of_a_table_with_one_row_a_unit_let_it_count_once():
    single = QueryTable("q", "", {"who": "BIGINT"}, "who", owned=True, single=True)
    assert single.terms(POLICY).contributions == 1
    assert single.terms(POLICY).table == "q"
    assert QueryTable.first(POLICY).terms(POLICY) == POLICY
    assert QueryTable.first(POLICY).private
    assert not QueryTable("p", "public", {"id": "BIGINT"}).private


def connect(folder, **terms):
    given = {"table": "t", "unit": "who", "contributions": 3, "keys": {"sex": ["f", "m"]}, "attributes": ["sex"]}
    return dalenius.connect(ROWS, budget={"epsilon": 10**9}, ledger=folder / "l", **{**given, **terms})


def test_people_by_an_attribute_cost_the_price_of_one(tmp_path):
    query = "SELECT sex, COUNT(DISTINCT who) AS n FROM t GROUP BY sex ORDER BY sex"
    db = connect(tmp_path)
    assert [line.sensitivity for line in db.explain(query, epsilon=1).lines] == [1]
    assert [row[1] for row in db.sql(query, epsilon=100).rows] == [1, 0]
    further = "SELECT sex, x > 2 AS big, COUNT(DISTINCT who) AS n FROM t GROUP BY sex, big"
    assert [line.sensitivity for line in db.explain(further, epsilon=1).lines] == [2]
    other = connect(tmp_path, attributes=None)
    assert [line.sensitivity for line in other.explain(query, epsilon=1).lines] == [2]


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"attributes": ["x"]}, "an attribute is a text"),
        ({"attributes": ["who"]}, "an attribute is a text"),
        ({"attributes": "sex"}, "list of columns"),
        ({"unit": "row", "contributions": None}, "leave attributes= out"),
    ],
)
def test_what_cannot_be_an_attribute_is_refused(tmp_path, terms, said):
    with pytest.raises(InvalidParameter, match=said):
        connect(tmp_path, **terms)
