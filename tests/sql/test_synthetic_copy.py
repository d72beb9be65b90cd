import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.sql.synthetic_copy import make_copy
from dalenius.sql.text.synthetic import read_creation

PRICE = {"epsilon": 1, "delta": "1e-6", "key": None}


@pytest.fixture
def session(tmp_path):
    people = pa.table({"id": ["a", "b", "c"] * 10, "sex": ["f", "m", "f"] * 10})
    visits = pa.table({"id": ["a", "b", "c"] * 10, "ward": ["x", "y", "x"] * 10})
    return dalenius.connect(
        people,
        table="people",
        tables={"visits": visits},
        unit="id",
        contributions=2,
        ledger=tmp_path / "x.ledger",
        budget={"epsilon": 10, "delta": "1e-3"},
        keys={"sex": ["f", "m"], "visits.ward": ["x", "y"]},
    )


def test_a_copy_of_one_table_is_charged_and_drawn(session):
    creation = read_creation("CREATE SYNTHETIC TABLE s AS SELECT sex FROM people", "people")
    copy, tables = make_copy(session, creation, PRICE)
    assert copy.receipt.dataset == "people"
    assert [rows.to_arrow().column_names for rows in tables] == [
        ["id", "sex"]
    ]  # rows of one made-up person share a number


def test_tables_that_join_on_anything_but_the_unit_are_refused_and_nothing_is_charged(session):
    text = "CREATE SYNTHETIC TABLES s, t AS SELECT people.sex, visits.ward FROM people JOIN visits USING (sex)"
    with pytest.raises(InvalidParameter, match="joined on the unit"):
        make_copy(session, read_creation(text, "people"), PRICE)
    assert session.ledger.entries("people") == []
