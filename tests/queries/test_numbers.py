import math
from decimal import Decimal

import numpy as np
import pytest

from dalenius.queries.numbers import doubles, readable


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((1, 1.0), (True, 1.0), (Decimal("0.5"), 0.5), (2**53 + 1, 2.0**53), (10**400, math.inf)),
        *((-(10**400), -math.inf), (np.float32(0.1), float(np.float32(0.1))), (-0.0, 0.0)),
    ],
)
def test_a_rows_number_is_the_nearest_double(value, number):
    assert doubles(readable(np.fromiter([value], object))).tolist() == [number]


@pytest.mark.parametrize("value", [None, "1", b"1", 1j, [1], Decimal("NaN"), Decimal("sNaN"), math.nan, object()])
def test_what_is_no_number_is_nan(value):
    assert np.isnan(doubles(readable(np.fromiter([value], object))))[0]


def test_doubles_are_not_copied():
    column = np.zeros(3)
    assert np.shares_memory(doubles(readable(column)), column)


def test_a_number_class_that_fails_is_no_number():
    class Odd(float):
        def __float__(self):
            raise RuntimeError("row 7")

    assert len(doubles(readable(np.fromiter([Odd(3)], object)))) == 1
