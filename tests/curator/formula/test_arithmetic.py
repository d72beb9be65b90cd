import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.curator import formula as f
from dalenius.errors import InvalidParameter
from tests.curator.formula.formulas import numbers, truth

grid = st.integers(-40, 40).map(lambda n: Fraction(n, 4))


@given(numbers, grid, grid)
def test_the_value_is_what_arithmetic_gives(node, a, b):
    got = node.value({"a": np.array([float(a)]), "b": np.array([float(b)])})[0]
    want = truth(node, {"a": a, "b": b})
    # where rounding decides between branches, only the enclosure promises anything
    low, high = (ends[0] for ends in node.ends({"a": _at(a), "b": _at(b)}))
    assert low <= got <= high or math.isnan(got)
    if want is not None:
        assert low <= want <= high


@given(numbers, grid, grid, st.integers(0, 16), st.integers(0, 16), st.integers(0, 16), st.integers(0, 16))
def test_ends_hold_the_value_at_every_point_between(node, a, b, wide, high, i, j):
    cells = {"a": _between(a, wide), "b": _between(b, high)}
    inside = {"a": a + Fraction(wide * i, 64), "b": b + Fraction(high * j, 64)}
    want = truth(node, inside)
    if want is not None:
        low, high = (ends[0] for ends in node.ends(cells))
        assert low <= want <= high


def test_a_mutant_without_outward_rounding_is_caught():
    node = f.Over(f.Cell("a"), f.Number(3))
    low, high = (ends[0] for ends in node.ends({"a": _at(Fraction(1))}))
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert Fraction(1 / 3) != Fraction(1, 3)  # what the mutant would give for both ends


def test_a_mean_is_held_and_has_a_declared_result_without_a_count():
    node = f.mean(f.Cell("a"), f.Cell("b"), 0, 10)
    values = node.value({"a": np.array([30.0, 7.0, 7.0, 200.0]), "b": np.array([6.0, 0.0, -2.0, 4.0])})
    assert values.tolist() == [5.0, 5.0, 5.0, 10.0]
    low, high = node.ends({"a": (np.array([1.0]), np.array([2.0])), "b": (np.array([-1.0]), np.array([4.0]))})
    assert (low[0], high[0]) == (0.0, 10.0)


def test_a_share_has_ends_half_as_far_apart_as_its_parts_read_twice():
    cells = {name: (np.array([4970.0]), np.array([5030.0])) for name in ("a", "b")}
    plain = f.Over(f.Cell("a"), f.Plus(f.Cell("a"), f.Cell("b")))
    (low, high), (wide_low, wide_high) = f.Share(f.Cell("a"), f.Cell("b")).ends(cells), plain.ends(cells)
    assert (high - low)[0] < 0.51 * (wide_high - wide_low)[0]
    assert low[0] == pytest.approx(0.497)


def test_a_share_of_sums_that_noise_took_below_zero_is_held():
    value = f.Share(f.Cell("a"), f.Cell("b")).value({"a": np.array([-3.0, 8.0, -1.0]), "b": np.array([9.0, -2.0, 1.0])})
    assert value[:2].tolist() == [0.0, 1.0]
    assert np.isnan(value[2])


def test_reversed_ends_are_refused():
    with pytest.raises(InvalidParameter, match="reversed"):
        f.Held(f.Cell("a"), 1, 0)


def test_names_are_those_of_the_columns_read():
    assert f.mean(f.Cell("a"), f.Plus(f.Cell("b"), f.Number(1)), 0, 1).names == {"a", "b"}


def _at(x):
    return np.array([float(x)]), np.array([float(x)])


def _between(x, quarters):
    return np.array([float(x)]), np.array([float(x + Fraction(quarters, 4))])
