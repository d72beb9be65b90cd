import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("CASE WHEN y > 0 THEN 1 WHEN flag THEN 2 END", 2), ("CASE j WHEN 7 THEN 'a' ELSE 'b' END", "a")),
        *(("IF(flag, x, j)", 2.5), ("COALESCE(who, j)", 7), ("NULLIF(j, 7)", None), ("NULLIF(j, 6)", 7)),
    ],
)
def test_a_choice_takes_the_first_that_holds(text, expected):
    assert value(text) == expected


def test_a_choice_is_as_bounded_as_its_results():
    assert read("CASE WHEN flag THEN x ELSE 100 END").bounds == (-3, 100)
    assert read("CASE WHEN flag THEN x ELSE who END").bounds is None
    assert read("CASE WHEN flag THEN 'p' WHEN x > 1 THEN 'q' END").values == ("p", "q")


@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN x THEN 1 END",
        "CASE WHEN flag THEN NULL END",
        "COALESCE(NULL, NULL)",
        "CASE WHEN flag THEN 1 ELSE k END",
    ],
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
