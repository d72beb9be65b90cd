from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.queries import Bounds


def test_a_float_means_its_shortest_decimal():
    held = Bounds("x", (0.1, "1/3"))
    assert (held.lower, held.upper, held.width) == (Fraction(1, 10), Fraction(1, 3), Fraction(7, 30))
    assert held.facts() == {"lower": "1/10", "upper": "1/3", "missing": "drop"}


@pytest.mark.parametrize(
    ("ends", "missing", "fill"),
    [
        ((1, 2), "drop", None),
        ((1, 2), "nearest", 1),
        ((-2, -1), "nearest", -1),
        ((-2, 1), "nearest", 0),
        ((0, 9), 5, 5),
    ],
)
def test_the_rule_for_missing_numbers_is_declared(ends, missing, fill):
    assert Bounds("x", ends, missing).fill == fill


@pytest.mark.parametrize("ends", [(2, 1), (0, float("inf")), (0, "x"), (True, 2), (0,), 3, (0, 10**300), (0, 1e-300)])
def test_what_bounds_nothing_is_refused(ends):
    with pytest.raises(InvalidParameter, match="'x'"):
        Bounds("x", ends)


def test_no_bounds_is_no_bound():
    with pytest.raises(UnboundedQuery, match="declare"):
        Bounds("x", None)


@pytest.mark.parametrize("missing", [3, -1, "skip", None, float("nan")])
def test_what_stands_in_must_lie_within(missing):
    with pytest.raises(InvalidParameter, match="missing"):
        Bounds("x", (0, 2), missing)
