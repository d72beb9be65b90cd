import pyarrow as pa
import pytest

import dalenius
from dalenius.sql.dummy import dummy_rows
from dalenius.sql.tables.table import QueryTable

COLUMNS = {
    **{"who": "BIGINT", "town": "VARCHAR", "x": "DOUBLE", "n": "INTEGER", "d": "DATE", "w": "TIMESTAMP"},
    **{"f": "BOOLEAN", "s": "VARCHAR"},
}
TERMS = {"unit": "who", "contributions": 20, "keys": {"town": ["a", "b"]}, "bounds": {"x": (5, 6)}}


@pytest.fixture
def db(tmp_path):
    rows = {"who": [9999], "town": pa.array(["secret"]), "x": [77.5], "other": [1]}
    people = pa.table({"who": [9999], "sex": ["f"]})
    return dalenius.connect(
        {"t": pa.table(rows), "people": people}, budget={"epsilon": 1}, ledger=tmp_path / "l", **TERMS
    )


def test_questions_are_tried_on_made_up_rows_for_nothing(db):
    before = db.budget
    dry = db.dummy(500)
    answer = dry.sql("SELECT town, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY town", epsilon=1000)
    assert sum(answer["n"]) == pytest.approx(500, abs=5)
    assert all(5 <= mean <= 6 for mean in answer["m"])
    dry.sql("SELECT COUNT(*) FROM t JOIN people USING (who)", epsilon=1)
    assert db.budget == before
    assert db.ledger.entries("t") == []


def test_made_up_rows_have_the_declared_types_and_nothing_of_the_data():
    table = QueryTable("t", "source", COLUMNS, "who")
    rows = dummy_rows(table, 50)
    assert rows.column_names == list(COLUMNS)
    assert rows.num_rows == 50
    assert len(set(rows["who"].to_pylist())) == 5


def test_made_up_rows_are_null_where_null_is_a_group():
    rows = dummy_rows(QueryTable("t", "source", COLUMNS, "who", null_keys=frozenset({"town", "d"})), 500)
    nulls = {name: rows[name].null_count for name in COLUMNS}
    assert {name for name, count in nulls.items() if count} == {"town", "d"}


def test_an_interrupt_during_a_scan_leaves_session_and_ledger_usable(db, monkeypatch):
    """Ctrl-C: the charge stays, since rows may have been read, and the next question is answered."""
    engine = type(db._engine)
    whole = engine._scanned

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "_scanned", interrupted)
    with pytest.raises(KeyboardInterrupt):
        db.sql("SELECT COUNT(*) FROM t", epsilon="0.25")
    monkeypatch.setattr(engine, "_scanned", whole)
    assert db.budget.epsilon == dalenius.ledger.Amount.cost("0.75").epsilon
    assert abs(db.sql("SELECT COUNT(*) FROM t", epsilon="0.5", fresh=True).value) < 10_000
    assert db.ledger.verify() is not False
