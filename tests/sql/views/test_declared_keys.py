import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError
from dalenius.sql.views import declared_keys
from dalenius.sql.views.declared_keys import LABEL
from dalenius.sql.views.description import Description

ROWS = pa.table({"who": [1, 2, 3], "k": ["a", "a", "z"], "j": [1, 1, 9], "cost": [1.0, 2.0, 3.0]})
TERMS = {
    **{"unit": "who", "contributions": 2, "bounds": {"cost": (0, 5)}, "budget": {"epsilon": 1}},
    "keys": {"k": ["b", "a", "a.c", "it's"], "j": [3, 1, 2]},
}


@pytest.fixture
def db(tmp_path):
    with dalenius.connect({"t": ROWS}, ledger=tmp_path / "ledger", **TERMS) as session:
        yield session


@pytest.mark.parametrize(
    ("where", "values"),
    [
        *(("", ["b", "a", None]), ("WHERE k IS NULL", [None]), ("WHERE k IS NOT NULL", ["b", "a"])),
        *(("WHERE k <> 'a'", ["b"]), ("WHERE NOT k = 'a'", ["b"]), ("WHERE k = 'a' OR k IS NULL", ["a", None])),
    ],
)
def test_null_is_in_the_list_where_it_is_a_key(tmp_path, where, values):
    terms = TERMS | {"keys": {"k": ["b", "a", None]}}
    with dalenius.connect({"t": ROWS}, ledger=tmp_path / "ledger", **terms) as session:
        assert session.sql(f"SELECT DISTINCT k FROM t {where}").to_arrow()["k"].to_pylist() == values


@pytest.mark.parametrize(
    ("query", "name", "values"),
    [
        ("SELECT DISTINCT k FROM t", "k", ["b", "a", "a.c", "it's"]),
        ("SELECT DISTINCT t.K AS letter FROM t ORDER BY k DESC", "letter", ["it's", "b", "a.c", "a"]),
        ("SELECT DISTINCT k FROM t WHERE k <> 'a' AND NOT k = 'b'", "k", ["a.c", "it's"]),
        ("SELECT DISTINCT k FROM t WHERE k IN ('a', 'z') OR k LIKE 'it%'", "k", ["a", "it's"]),
        ("SELECT DISTINCT k FROM t WHERE k LIKE 'a_c'", "k", ["a.c"]),
        ("SELECT DISTINCT k FROM t WHERE k LIKE 'b.'", "k", []),
        ("SELECT DISTINCT j FROM t WHERE j BETWEEN 2 AND 9 ORDER BY 1 LIMIT 1", "j", [2]),
        ("SELECT DISTINCT j FROM t WHERE j > -1", "j", [3, 1, 2]),
    ],
)
def test_the_declared_list_is_told_for_nothing_and_labelled(db, query, name, values):
    """Of z and 9, which rows hold, nothing is told, and neither is that nobody has b."""
    before = db.budget
    told = db.sql(query)
    assert isinstance(told, Description)
    assert told.value == {name: values, "about": [LABEL] * len(values)}
    assert db.budget == before


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT k FROM t WHERE cost > 2",
        "SELECT DISTINCT j FROM t WHERE cost > 2",
        "SELECT DISTINCT k, j FROM t",
        "SELECT DISTINCT k FROM t WHERE k = 'a' AND j = 1",
        "SELECT DISTINCT k FROM t JOIN t AS u USING (who)",
        "SELECT DISTINCT who FROM t",
        "SELECT DISTINCT cost FROM t",
        "SELECT DISTINCT UPPER(k) FROM t",
        "SELECT DISTINCT k FROM t WHERE k IN (SELECT k FROM t)",
        "SELECT DISTINCT k FROM t WHERE k = 1",
        "SELECT DISTINCT ON (j) k FROM t",
        "SELECT k FROM t",
        "SELECT DISTINCT k FROM (SELECT k FROM t WHERE cost > 2) AS u",
        "SELECT DISTINCT k FROM t TABLESAMPLE 10%",
        "SELECT DISTINCT k FROM t HAVING COUNT(*) > 1",
    ],
)
def test_whatever_would_read_rows_is_no_list(db, query):
    try:
        told = db.sql(query, epsilon="0.01")
    except DaleniusError:
        return
    assert not isinstance(told, Description)  # a question, which was paid


@pytest.mark.parametrize(
    ("guard", "query"),
    [("_is_same", "SELECT DISTINCT j FROM t WHERE cost > 2"), ("_is_plain", "SELECT DISTINCT ON (k) k FROM t")],
)
def test_a_list_given_where_rows_would_have_to_be_read_is_caught(db, monkeypatch, guard, query):
    monkeypatch.setattr(declared_keys, guard, lambda *_: True)
    with pytest.raises(AssertionError):
        test_whatever_would_read_rows_is_no_list(db, query)
