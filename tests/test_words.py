import pytest

from dalenius.words import counted_people, counted_rows


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 people"), (1, "1 person"), (-1, "-1 people"), (1200, "1,200 people")]
)
def test_one_is_a_person_and_any_other_number_is_people(number, text):
    assert counted_people(number) == text


def test_one_is_a_row():
    assert (counted_rows(1), counted_rows(2)) == ("1 row", "2 rows")
