import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.curator import formula as f
from dalenius.errors import InvalidParameter
from tests.curator.formula.formulas import Box, numbers, truth

grid = st.integers(-40, 40).map(lambda n: Fraction(n, 4))


@given(numbers, grid, grid)
def test_the_value_is_what_arithmetic_gives(node, a, b):
    got = node.value({"a": np.array([float(a)]), "b": np.array([float(b)])})[0]
    want = truth(node, {"a": a, "b": b})
    # where rounding decides between branches, only the enclosure promises anything
    low, high = (ends[0] for ends in node.ends(Box({"a": _at(a), "b": _at(b)})))
    assert low <= got <= high or math.isnan(got)
    if want is not None:
        assert low <= want <= high


@given(numbers, grid, grid, st.integers(0, 16), st.integers(0, 16), st.integers(0, 16), st.integers(0, 16))
def test_ends_hold_the_value_at_every_point_between(node, a, b, wide, high, i, j):
    cells = {"a": _between(a, wide), "b": _between(b, high)}
    inside = {"a": a + Fraction(wide * i, 64), "b": b + Fraction(high * j, 64)}
    want = truth(node, inside)
    if want is not None:
        low, high = (ends[0] for ends in node.ends(Box(cells)))
        assert low <= want <= high


def test_a_sum_of_columns_is_one_statement_and_a_product_is_two():
    total = f.Minus(f.Times(f.Number(3), f.Plus(f.Cell("a"), f.Cell("b"))), f.Over(f.Cell("a"), f.Number(2)))
    assert total.linear() == f.Linear.of({"a": Fraction(5, 2), "b": Fraction(3)})
    assert len(total.statements) == 1
    assert len(f.Times(f.Cell("a"), f.Cell("b")).statements) == 2
    assert f.Times(f.Cell("a"), f.Cell("b")).linear() is None
    assert len(f.mean(total, f.Cell("b"), 0, 1).statements) == 1
    assert f.Number(3).statements == frozenset()
    n, one = f.Cell("a"), f.Number(Fraction(7, 2))
    shifted = (n, f.Plus(n, one), f.Minus(one, n), f.Times(n, one), f.Minus(f.Times(one, n), f.Number(Fraction(1))))
    assert len(frozenset().union(*(formula.statements for formula in shifted))) == 1  # all of one noise
    assert len(f.Minus(n, f.Cell("b")).statements | f.Plus(n, f.Cell("b")).statements) == 2


def test_a_mean_is_held_and_has_a_declared_result_without_a_count():
    node = f.mean(f.Cell("a"), f.Cell("b"), 0, 10)
    values = node.value({"a": np.array([30.0, 7.0, 7.0, 200.0]), "b": np.array([6.0, 0.0, -2.0, 4.0])})
    assert values.tolist() == [5.0, 5.0, 5.0, 10.0]
    low, high = node.ends(Box({"a": (np.array([1.0]), np.array([2.0])), "b": (np.array([-1.0]), np.array([4.0]))}))
    assert (low[0], high[0]) == (0.0, 10.0)


def test_reversed_ends_are_refused():
    with pytest.raises(InvalidParameter, match="reversed"):
        f.Held(f.Cell("a"), 1, 0)


def test_a_ratio_of_what_is_no_sum_is_refused():
    with pytest.raises(InvalidParameter, match="sums of columns"):
        f.Ratio(f.Times(f.Cell("a"), f.Cell("b")), f.Cell("a"), 0, 1)
    with pytest.raises(InvalidParameter, match="reversed"):
        f.Ratio(f.Cell("a"), f.Cell("b"), 1, 0)


def test_names_are_those_of_the_columns_read():
    assert f.mean(f.Cell("a"), f.Plus(f.Cell("b"), f.Number(1)), 0, 1).names == {"a", "b"}


def _at(x):
    return np.array([float(x)]), np.array([float(x)])


def _between(x, quarters):
    return np.array([float(x)]), np.array([float(x + Fraction(quarters, 4))])


def test_infinite_ends_that_cancel_are_the_whole_line_also_inside_a_case():
    """a / b is anywhere, since b may be 0; so is (a / b) / (1 + √(a / b)), though ∞ / ∞ is no number."""
    box = Box({"a": (np.array([1.0]), np.array([2.0])), "b": (np.array([-1.0]), np.array([1.0]))})
    share = f.Over(f.Cell("a"), f.Cell("b"))
    lost = f.Over(share, f.Plus(f.Number(1), f.Root(share)))
    case = f.Case(((f.Compare(">", f.Cell("a"), f.Number(5)), lost),), f.Number(0))
    for node in (lost, case):
        low, high = node.ends(box)
        assert (low[0], high[0]) == (-math.inf, math.inf)


def test_a_number_beyond_floats_is_infinite_and_does_not_fail():
    far = f.Number(Fraction(10**400))
    assert far.value({})[0] == math.inf
    assert f.Held(f.Cell("a"), -(10**400), 10**400).value({"a": np.array([3.0])})[0] == 3.0


def test_a_root_that_is_surely_positive_decides_and_one_that_may_be_absent_does_not():
    """Where the lower end of the root is above 0, so is the root; a test that may be NULL says nothing by its ends."""
    a, zero = f.Cell("a"), f.Number(Fraction(0))
    root = f.Root(f.Times(a, a))
    ratio = f.IfPositive(root, f.Over(a, root), zero)
    assert [end[0] for end in ratio.ends(Box({"a": (Fraction(3.0), Fraction(4.0))}))] == pytest.approx([3 / 4, 4 / 3])
    assert [end[0] for end in ratio.ends(Box({"a": (Fraction(0.0), Fraction(4.0))}))] == [-math.inf, math.inf]
    assert [end[0] for end in f.IfPositive(f.Root(a), a, zero).ends(Box({"a": (Fraction(-4.0), Fraction(-3.0))}))] == [
        -math.inf,
        math.inf,
    ]
    assert [end[0] for end in f.IfPositive(f.Over(a, a), a, zero).ends(Box({"a": (Fraction(3.0), Fraction(4.0))}))] == [
        -math.inf,
        math.inf,
    ]


def test_what_divides_or_takes_a_root_may_be_absent_and_sums_of_columns_never_are():
    a, one = f.Cell("a"), f.Number(Fraction(1))
    mean = f.IfPositive(a, f.Over(one, a), one)
    for never in (a, one, f.Plus(a, one), f.Minus(a, one), f.Times(a, a), f.Held(a, 0, 1), f.Ratio(a, a, 0, 1), mean):
        assert never.never_absent
        assert f.Plus(never, f.Held(never, 0, 1)).never_absent
    for maybe in (f.Over(a, a), f.Root(a), f.Absent(), f.IfPositive(a, f.Over(one, one), f.Over(one, a))):
        assert not maybe.never_absent
        assert not f.Times(maybe, a).never_absent
        assert not f.Held(maybe, 0, 1).never_absent


def test_what_stands_in_for_a_ratio_without_a_divisor_is_told_with_no_bound():
    """A divisor that is surely not above 0 leaves no number to enclose: not even the one that is shown for it."""
    a, b = f.Cell("a"), f.Cell("b")
    mean = f.IfPositive(a, f.Over(b, a), f.Number(Fraction(7)))
    cells = {"a": (Fraction(-3), Fraction(-2)), "b": (Fraction(1), Fraction(2))}
    assert mean.value({"a": np.array([-2.0]), "b": np.array([1.0])})[0] == 7
    assert [end[0] for end in mean.ends(Box(cells))] == [-math.inf, math.inf]
    assert [end[0] for end in f.Held(mean, 0, 9).ends(Box(cells))] == [0, 9]
