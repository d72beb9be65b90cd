"""Brackets against exact rational roots; functions that cannot decide get wide brackets, never wrong ones."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.numerics.enclosure import precision
from dalenius.numerics.roots import (
    Bracket,
    _float,
    _rank,
    bracket_decreasing,
    bracket_increasing,
    bracket_integer,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
roots = st.floats(-1e6, 1e6)


@given(finite, finite)
def test_ranks_order_floats_and_neighbors_differ_by_one(x: float, y: float) -> None:
    assert _float(_rank(x)) == x
    assert (x < y) == (_rank(x) < _rank(y))
    assert _rank(math.nextafter(x, math.inf)) == _rank(x) + 1 or math.isinf(math.nextafter(x, math.inf))


@given(roots, st.floats(0, 1e-3))
@example(0.0, 1e-9)
@example(5e-324, 0.0)
def test_bracket_holds_the_root_and_is_as_narrow_as_asked(root: float, rtol: float) -> None:
    steps = 0

    def f(x: float) -> tuple[float, float]:
        nonlocal steps
        steps += 1
        sign = (Fraction(x) > Fraction(root)) - (Fraction(x) < Fraction(root))
        return float(sign), float(sign)

    below, above = bracket_increasing(f, 0.0, -1e7, 1e7, rtol=rtol)
    assert below <= root <= above
    assert _rank(above) - _rank(below) <= 1 or above - below <= rtol * min(abs(below), abs(above))
    assert steps <= 2 + 64


@given(roots, st.floats(0, 10.0))
def test_a_function_that_cannot_decide_gives_the_edges_of_its_doubt(root: float, doubt: float) -> None:
    steps = 0

    def f(x: float) -> tuple[float, float]:
        nonlocal steps
        steps += 1
        return x - doubt, x + doubt

    below, above = bracket_increasing(f, root, -1e7, 1e7, rtol=1e-6)
    assert below + doubt <= root <= above - doubt
    assert above - below <= 2 * doubt + 4e-6 * max(abs(below), abs(above), 1.0)
    assert steps <= 2 + 3 * 64


@given(st.floats(1e-3, 1e3), st.floats(-1e-5, 1e-5))
def test_a_guess_near_the_root_spares_evaluations_and_is_never_trusted(root: float, slip: float) -> None:
    seen = []

    def f(x: float) -> tuple[float, float]:
        seen.append(x)
        return x, x

    below, above = bracket_increasing(f, root, 0.0, 1e6, rtol=1e-4, guess=root * (1 + slip))
    assert below <= root <= above
    assert above - below <= 1e-4 * below
    assert len(seen) == 2


@given(st.floats(1e-3, 1e3), st.floats(allow_nan=True, allow_infinity=True))
def test_a_wrong_guess_costs_time_only(root: float, guess: float) -> None:
    below, above = bracket_increasing(lambda x: (x, x), root, 0.0, 1e6, rtol=1e-9, guess=guess)
    assert below <= root <= above
    assert above - below <= 1e-9 * above


def test_bracket_of_an_enclosure_is_that_of_the_true_root() -> None:
    with precision(128):
        below, above = bracket_increasing(lambda x: arb(x).exp(), 2.0, 0.0, 1.0, rtol=1e-15)
        assert arb(below) <= arb(2).log() <= arb(above)
    assert above - below <= 1e-15 * above


def test_bracket_of_a_decreasing_function_has_its_larger_value_first() -> None:
    with precision(128):
        found = bracket_decreasing(lambda x: (-arb(x)).exp(), 1e-30, 0.0, 1000.0, rtol=1e-12)
        assert arb(found.below) <= -arb(1e-30).log() <= arb(found.above)
    assert found.above - found.below <= 1e-12 * found.above


def test_an_exact_hit_is_both_ends() -> None:
    assert bracket_increasing(lambda x: (x, x), 4.0, 1.0, 16.0, rtol=0.0) == Bracket(4.0, 4.0)
    assert bracket_increasing(lambda x: (x, x), 16.0, 1.0, 16.0, rtol=0.0).above == 16.0
    assert bracket_increasing(lambda x: (x, x), 1.0, 1.0, 16.0, rtol=0.0).below == 1.0


def test_nan_decides_nothing() -> None:
    found = bracket_increasing(lambda x: (math.nan, math.nan) if 2 < x < 3 else (x, x), 2.5, 1.0, 4.0, rtol=1e-9)
    assert found.below <= 2 < 3 <= found.above
    assert found.above - found.below < 1 + 1e-8


@given(st.integers(-(10**40), 10**40), st.integers(1, 10**40), st.integers(1, 10**40))
def test_integers_bracket_any_size_of_step(step: int, left: int, right: int) -> None:
    steps = 0

    def f(n: int) -> tuple[float, float]:
        nonlocal steps
        steps += 1
        value = 1.0 if n >= step else -1.0
        return value, value

    found = bracket_integer(f, 0.0, step - left, step + right)
    assert found == (step - 1, step)
    assert steps <= 2 + (left + right).bit_length()


def test_integers_stay_clear_of_doubt() -> None:
    found = bracket_integer(lambda n: (n - 5.5, n + 5.5), 1000.0, 0, 10**9)
    assert found == (994, 1006)


@pytest.mark.parametrize(
    ("low", "high", "target", "words"),
    [
        (2.0, 3.0, 1.0, "lower is not provably"),
        (2.0, 3.0, 4.0, "upper is not provably"),
        (3.0, 2.0, 2.5, "finite low < high"),
        (-math.inf, 2.0, 1.0, "finite low < high"),
        (0.0, math.nan, 1.0, "finite low < high"),
    ],
)
def test_what_is_not_a_bracket_is_refused_by_name(low: float, high: float, target: float, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        bracket_increasing(lambda x: (x, x), target, low, high)


def test_other_misuse_is_refused_by_name() -> None:
    with pytest.raises(InvalidParameter, match="low < high"):
        bracket_integer(lambda n: (n, n), 0.0, 3, 3)
    with pytest.raises(InvalidParameter, match="not provably"):
        bracket_integer(lambda n: (n, n), 9.0, 0, 3)
    with pytest.raises(InvalidParameter, match="rtol"):
        bracket_increasing(lambda x: (x, x), 0.5, 0.0, 1.0, rtol=-1.0)
    with pytest.raises(InvalidParameter, match="not provably"):
        bracket_increasing(lambda x: (-x, -x), -5.0, 0.0, 10.0, guess=5.0)
