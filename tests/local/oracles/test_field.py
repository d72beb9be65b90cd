import itertools

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local.oracles.field import Field, is_field_order


@pytest.mark.parametrize("order", [2, 3, 4, 5, 7, 8, 9, 16, 25, 27])
def test_the_axioms_of_a_field_hold(order):
    over, elements = Field(order), np.arange(order)
    a, b, c = (np.array(column) for column in zip(*itertools.product(range(order), repeat=3), strict=True))
    for operation in (over.add, over.multiply):
        assert np.array_equal(operation(a, b), operation(b, a))
        assert np.array_equal(operation(operation(a, b), c), operation(a, operation(b, c)))
    assert np.array_equal(over.multiply(a, over.add(b, c)), over.add(over.multiply(a, b), over.multiply(a, c)))
    assert np.array_equal(over.add(elements, over.negative(elements)), np.zeros(order))
    assert np.array_equal(over.multiply(elements[1:], over.inverse(elements[1:])), np.ones(order - 1))
    assert np.array_equal(over.add(elements, 0 * elements), elements)
    assert np.array_equal(over.multiply(elements, 0 * elements + 1), elements)


def test_orders_are_prime_powers():
    assert [order for order in range(30) if is_field_order(order)] == [
        2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29
    ]  # fmt: skip
    assert is_field_order(65_537)
    assert not is_field_order(512)  # a table of it would be large, and primes are near
    for bad in (0, 1, 6, 10, 512):
        with pytest.raises(InvalidParameter, match="order must be"):
            Field(bad)


def test_the_modulus_is_the_first_irreducible_polynomial():
    assert [Field(order).modulus for order in (4, 8, 16, 9)] == [7, 11, 19, 10]  # x²+x+1, x³+x+1, x⁴+x+1; x²+1 over 3
    assert Field(7).modulus == 0


def test_digits_stand_from_the_highest_on():
    assert [int(digit) for digit in Field(5).digits(np.array(37), 3)] == [1, 2, 2]
