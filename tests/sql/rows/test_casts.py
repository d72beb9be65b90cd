import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("CAST(note AS INTEGER) + 1", 13), ("CAST(k AS DOUBLE)", None), ("CAST('nan' AS DOUBLE)", None)),
        *(
            ("CAST(2.5 AS INTEGER)", 3),
            ("CAST(flag AS DOUBLE)", 1),
            ("CAST(x AS VARCHAR)", "2.5"),
            ("note::DATE", None),
        ),
        *(("CAST(d AS TIMESTAMP) < ts", True), ("TRY_CAST('x' AS BOOLEAN)", None)),
    ],
)
def test_a_cast_gives_a_value_or_null(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize("text", ["CAST(x AS DATE)", "CAST(x AS BLOB)", "x::UUID", "CAST(d AS DOUBLE)"])
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
