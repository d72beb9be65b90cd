"""Sums against exact fractions, log-space sums against arb."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dalenius.errors import InvalidParameter
from dalenius.numerics.enclosure import precision
from dalenius.numerics.floats import Vector
from dalenius.numerics.sums import logsumexp_lower, logsumexp_upper, sum_lower, sum_upper

numbers = arrays(np.float64, array_shapes(max_dims=1, max_side=60), elements=st.floats(-1e300, 1e300))
exponents = arrays(np.float64, array_shapes(max_dims=1, max_side=60), elements=st.floats(-1e4, 1e4))


def log_of_sum(x: Vector) -> arb:
    """A ball of 192 bits: it settles all but the ties, where an end is the truth itself."""
    return sum((arb(value).exp() for value in x.tolist() if value > -math.inf), arb(0)).log()


@given(numbers)
def test_sum_lies_between_its_ends(x: Vector) -> None:
    truth = sum(map(Fraction, x.tolist()), Fraction(0))
    assert Fraction(float(sum_lower(x))) <= truth <= Fraction(float(sum_upper(x)))


@pytest.mark.parametrize("size", [1, 7, 128, 100_000])
def test_ends_of_a_sum_of_nonnegative_numbers_are_close(size: int) -> None:
    x = np.random.default_rng(1).random(size)
    assert sum_upper(x) <= sum_lower(x) * (1 + 3 * (size + 4) * 2.0**-53)
    assert sum_lower(x) <= math.fsum(x) <= sum_upper(x)


def test_a_plain_sum_falls_outside_the_exact_one_where_the_ends_do_not() -> None:
    x = np.array([1.0] + [2.0**-53] * 4095)
    one_by_one = np.cumsum(x)[-1]
    truth = math.fsum(x)
    assert one_by_one < truth
    assert sum_lower(x) <= truth <= sum_upper(x)
    assert sum_lower(x[::-1]) <= truth <= sum_upper(x[::-1])


def test_sums_run_along_an_axis() -> None:
    x = np.arange(12.0).reshape(3, 4)
    assert np.all(sum_lower(x, 0) <= x.sum(0))
    assert np.all(x.sum(0) <= sum_upper(x, 0))
    assert logsumexp_upper(x, 0).shape == logsumexp_lower(x, 0).shape == (4,)
    for j in range(4):
        assert logsumexp_upper(x, 0)[j] == logsumexp_upper(x[:, j])


def test_zeros_sum_to_zero_and_overflow_to_infinity() -> None:
    assert sum_upper(np.zeros(5)) == sum_lower(np.zeros(5)) == sum_upper([]) == 0.0
    assert sum_upper([1e308, 1e308]) == math.inf
    assert sum_lower([1e308, 1e308]) <= 2e308
    assert sum_lower([-1.0, math.inf, -math.inf]) == -math.inf
    assert sum_upper([5e-324, 5e-324]) >= 1e-323


def test_nan_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="NaN"):
        sum_upper([1.0, math.nan])
    with pytest.raises(InvalidParameter, match="NaN"):
        logsumexp_lower([math.nan])


@given(exponents)
def test_log_of_a_sum_lies_between_its_ends(x: Vector) -> None:
    with precision(192):
        truth = log_of_sum(x)
        assert not truth < arb(float(logsumexp_lower(x)))
        assert not truth > arb(float(logsumexp_upper(x)))


@given(exponents)
def test_ends_of_a_log_sum_are_close(x: Vector) -> None:
    lower, upper = float(logsumexp_lower(x)), float(logsumexp_upper(x))
    assert upper - lower <= 1e-13 + 8 * math.ulp(lower)


def test_log_sum_of_many_terms_is_enclosed() -> None:
    x = -np.random.default_rng(1).exponential(200.0, 20_000)
    with precision(192):
        truth = log_of_sum(x)
        assert not truth < arb(float(logsumexp_lower(x)))
        assert not truth > arb(float(logsumexp_upper(x)))


def test_minus_infinity_is_a_term_of_zero() -> None:
    assert logsumexp_upper([-math.inf] * 3) == logsumexp_lower([-math.inf] * 3) == -math.inf
    assert logsumexp_upper([]) == -math.inf
    assert logsumexp_upper([math.inf, 0.0]) == logsumexp_lower([math.inf, 0.0]) == math.inf
    assert logsumexp_lower([-math.inf, 3.0]) == 3.0
    assert 3.0 <= logsumexp_upper([-math.inf, 3.0]) <= 3.0 + 1e-14
    assert logsumexp_lower([1e308, -1.7e308]) <= 1e308 <= logsumexp_upper([1e308, -1.7e308])
