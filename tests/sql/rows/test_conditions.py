import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("x > 2 AND NOT flag", False), ("x IS NULL", False), ("flag IS TRUE", True), ("x BETWEEN 2 AND 3", True)),
        *(("j IN (1, 7)", True), ("k LIKE 'A_'", True), ("k NOT LIKE 'A_'", False), ("k ILIKE 'aB'", True)),
        *(("who IS NOT DISTINCT FROM NULL", True), ("who > 1", None), ("d = '2024-02-29'", True), ("ts > d", True)),
    ],
)
def test_a_condition_is_true_false_or_null(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    "text", ["x = k", "x LIKE 'a'", "k LIKE note", "x IN (k)", "NOT x", "x IS y", "x BETWEEN SYMMETRIC 2 AND 1"]
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
