import math

import pytest

from dalenius.curator.answer.rounded import Digits, number_shown, places_of, radius_above


@pytest.mark.parametrize(
    ("radius", "shown"),
    [(4512.3, "4,600"), (0.0123, "0.013"), (0.0, "0"), (math.inf, "∞"), (None, "–"), (1e-9, "1.1e-9"), (9.91, "10")],
)
def test_an_error_is_rounded_up_to_two_digits(radius, shown):
    assert radius_above(radius) == shown


def test_a_column_keeps_the_decimals_that_its_smallest_error_leaves_meaning_to():
    assert [places_of(errors) for errors in ([4512.3], [0.0123, 5], [None, math.inf], [1e-30])] == [0, 3, 3, 6]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1234.567, "1,234.57"),
        (7, "7"),
        (None, "–"),
        (-0.001, "0.00"),
        ("a\x1b", r"a\x1b"),
        (True, "True"),
        (10**20, f"{10**20:,}"),
        (10**400, f"{10**400:,}"),
        (math.nan, "NaN"),
        (-math.inf, "-inf"),
    ],
)
def test_a_number_is_shown_with_as_many_decimals(value, shown):
    assert number_shown(value, 2) == shown


def test_a_count_is_shown_as_a_whole_number_with_what_rounding_moved_in_its_error():
    digits = Digits.of([8.97, 8.97], counts=True)
    assert (digits.number(11299.87), digits.radius(8.97)) == ("11,300", "10")
    assert digits.radius(8.5) == "9"
    assert digits.radius(None) == "–"
    assert digits.radius(math.inf) == "∞"


@pytest.mark.parametrize(("errors", "counts"), [([8.97], False), ([0.4], True), ([0.4, 3.0], True), ([None], True)])
def test_the_fraction_stays_where_it_means_something(errors, counts):
    assert Digits.of(errors, counts).number(3.26) != "3"


def test_a_count_on_the_whole_numbers_keeps_its_own_error():
    assert Digits.of([9], counts=True).radius(9) == "9"
