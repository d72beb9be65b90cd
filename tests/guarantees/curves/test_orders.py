import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.orders import order_of


@pytest.mark.parametrize(
    ("value", "order"), [(1, 1), ("1.5", Fraction(3, 2)), (Fraction(7, 3), Fraction(7, 3)), (2.5, 2.5)]
)
def test_an_order_is_the_number_written(value, order):
    assert order_of(value) == order


def test_infinity_is_an_order_of_its_own():
    assert order_of(math.inf) is None


@pytest.mark.parametrize("value", [0, "0.999", -1, -math.inf, math.nan])
def test_below_one_there_is_no_order(value):
    with pytest.raises(InvalidParameter):
        order_of(value)
