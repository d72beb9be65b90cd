import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("LOWER(k)", "ab"), ("UPPER(k)", "AB"), ("TRIM('  a ')", "a"), ("LENGTH(note)", 2), ("SUBSTR(k, 2, 1)", "b")),
        *(("SPLIT_PART(k, 'b', 1)", "A"), ("SPLIT_PART(k, 'b', 2)", ""), ("SPLIT_PART(k, 'b', 9)", "")),
        *(("CONTAINS(k, 'b')", True), ("STARTS_WITH(k, 'b')", False), ("SUBSTR(k, 2)", "b")),
    ],
)
def test_a_function_of_a_text_means_what_it_says(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SUBSTR(k, -1)",
        "SUBSTR(k, 5000000000)",
        "TRIM(k, 'x')",
        "LOWER(x)",
        "CONTAINS(k, note)",
        "REPLACE(k, note, 'b')",
        "LEFT(k, j)",
        "SPLIT_PART(k, note, 1)",
        "SPLIT_PART(k, '', 1)",
        "SPLIT_PART(k, '-', 0)",
        "SPLIT_PART(k, '-', -1)",
        "SPLIT_PART(k, '-', j)",
    ],
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)


def test_no_text_grows_without_end():
    """A failure for want of memory would tell of a row that has the text."""
    row = {"k": "x" * 100_000, "note": "x"}
    assert len(value("k || k", row)) == 1000
    assert len(value("CONCAT(k, k || k, k)", row)) == 1500
    assert len(value("REPLACE(k, 'x', 'yyyyyyyyyy')", row)) == 5000
    for text in ("REPLACE(k, 'x', 'yyyyyyyyyyy')", f"CONCAT({', '.join(['k'] * 11)})"):
        with pytest.raises(UnsupportedQuery, match="at most"):
            read(text)
