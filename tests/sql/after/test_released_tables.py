import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.after.released_tables import Shape, run, type_of
from dalenius.sql.engine import language

SHAPE = Shape(("shop", "n", "mean"), ("text", "whole", "real"))


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
