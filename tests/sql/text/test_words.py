import pytest

from dalenius.sql.text.parse import parse
from dalenius.sql.text.words import word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x)", "F"),
        ("*", "*"),
        ("(SELECT 1)", "a subquery"),
        ("MEDIAN(x)", "MEDIAN"),
        ("a.b.c", "a column with a schema"),
    ],
)
def test_a_construct_is_called_as_people_say(text, expected):
    assert word(parse(f"SELECT {text}").expressions[0]) == expected
