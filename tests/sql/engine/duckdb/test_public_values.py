import pytest
from sqlglot import parse_one

from dalenius.sql.engine import evaluated, is_understood


def tried(*texts, **columns):
    return set(evaluated([parse_one(text, dialect="duckdb") for text in texts], columns))


def test_every_combination_of_values_is_tried_once():
    columns = {"a": ("VARCHAR", ("x", "y", None)), "b": ("INTEGER", (1, 2))}
    assert tried('"source"."a"', '"source"."b" > 1', **columns) == {(a, b) for a in ("x", "y", None) for b in (0, 1)}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        *(("DATE '2024-02-29'", "2024-02-29"), ("TIMESTAMP '2024-02-29 13:00:00'", "2024-02-29 13:00:00")),
        *(("2.0::DOUBLE", 2), ("0.5::DOUBLE", 0.5), ("TRUE", True), ("'NaN'::DOUBLE", None), ("1e300::DOUBLE", None)),
        *(("'Straße'", "Straße"), ("NULL", None), ("-0.0::DOUBLE", 0)),
    ],
)
def test_a_result_is_a_key_or_none(text, key):
    assert tried(text) == {(key,)}


def test_the_database_holds_nothing_else():
    with pytest.raises(Exception, match="source"):
        tried('(SELECT COUNT(*) FROM "source")')


def test_what_the_engine_cannot_evaluate_is_told_apart():
    assert is_understood(parse_one("REGEXP_MATCHES('', 'a+')", dialect="duckdb"))
    assert not is_understood(parse_one("REGEXP_MATCHES('', '(')", dialect="duckdb"))
