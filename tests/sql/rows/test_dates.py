import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("YEAR(d)", 2024), ("MONTH(ts)", 2), ("DAYOFWEEK(d)", 4), ("ISODOW(d)", 4), ("EXTRACT(hour FROM ts)", 13)),
        *(("DATE_PART('minute', ts)", 5), ("WEEK(d)", 9), ("DAYOFYEAR(d)", 60), ("QUARTER(d)", 1), ("DAY(d)", 29)),
    ],
)
def test_a_part_of_a_date_means_what_it_says(text, expected):
    assert value(text) == expected


def test_parts_have_public_ranges():
    assert read("MONTH(d)").values == tuple(range(1, 13))
    assert read("YEAR(d)").values == (2023, 2024)
    assert read("YEAR(CAST(note AS DATE))").values is None


@pytest.mark.parametrize("text", ["HOUR(d)", "MONTH(x)", "EXTRACT(era FROM d)", "DATE_PART(k, d)", "WEEKDAY(d, d)"])
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
