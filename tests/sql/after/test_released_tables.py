import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.after import released_tables
from dalenius.sql.after.released_tables import TableShape, run, type_of
from dalenius.sql.engine import language

SHAPE = TableShape(("shop", "n", "mean"), ("text", "whole", "real"))


def test_an_empty_table_has_the_types_of_a_full_one():
    full = SHAPE.rows([("a", "b"), (1, None), (1, 2.5)])
    assert SHAPE.empty().schema == full.schema
    assert full.to_pydict() == {"shop": ["a", "b"], "n": [1, None], "mean": [1.0, 2.5]}


def test_types_are_those_of_the_values():
    assert type_of([True, False]) == "boolean"
    assert type_of([1, 2]) == "whole"
    assert type_of([1, 2.5]) == "real"
    assert type_of(["a"]) == "text"
    assert type_of([]) == "text"


def test_the_engine_holds_what_it_is_given_and_nothing_else():
    tables = {"m": SHAPE.rows([("a", "b"), (1, 2), (1, 2.5)])}
    assert run(language.read("SELECT SUM(n) AS n FROM m"), tables).to_pydict() == {"n": [3]}
    with pytest.raises(UnsupportedQuery, match="cannot answer"):
        run(language.read("SELECT other FROM m"), tables)
    with pytest.raises(UnsupportedQuery, match="cannot answer"):
        run(language.read("SELECT CAST(shop AS INTEGER) FROM m"), tables)


def test_a_statement_that_is_tried_over_no_rows_ends_soon_whatever_its_constants_are(monkeypatch):
    monkeypatch.setattr(released_tables, "TRY_SECONDS", 0.2)
    digits = " UNION ALL ".join(f"SELECT {digit} AS x" for digit in range(10))
    total = "+".join(f"d{place}.x" for place in range(12))
    names = ", ".join(f"d AS d{place}" for place in range(12))
    bomb = language.read(
        f"WITH d AS ({digits}) SELECT (SELECT MAX(n) FROM m) AS n, (SELECT SUM({total}) FROM {names}) AS s"
    )
    with pytest.raises(UnsupportedQuery, match=r"0\.2 seconds"):
        released_tables.tried(bomb, {"m": TableShape(("shop", "n"), ("text", "whole"))})
