from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.curator import formula as f

NODE = f.Spread(f.Cell("a"), f.Cell("b"), f.Cell("c"))
ends = st.tuples(st.integers(-8, 24), st.integers(0, 16))
boxes = st.tuples(ends, ends, ends)
places = st.tuples(*[st.integers(0, 8)] * 3)


def at(*sums):
    return {name: np.array([float(number)]) for name, number in zip("abc", sums, strict=True)}


def within(box):
    return {
        name: (np.array([float(low)]), np.array([float(low + wide)]))
        for name, (low, wide) in zip("abc", box, strict=True)
    }


def truth(a, b, c):
    return None if a + b + c == 0 else (a * c - b * b / 4) / (a + b + c) ** 2


@given(st.lists(st.fractions(0, 1, max_denominator=64), min_size=1, max_size=20))
def test_it_is_the_variance_of_places(rows):
    sums = sum((1 - t) ** 2 for t in rows), sum(2 * t * (1 - t) for t in rows), sum(t * t for t in rows)
    assert NODE.value(at(*sums))[0] == pytest.approx(np.var([float(t) for t in rows]), abs=1e-12)


@given(boxes, places)
def test_ends_hold_the_variance_at_every_point_that_true_sums_can_have(box, place):
    point = [low + Fraction(wide * i, 8) for (low, wide), i in zip(box, place, strict=True)]
    if min(point) < 0:
        return
    value = truth(*point)
    if value is not None and value >= 0:
        low, high = (end[0] for end in NODE.ends(within(box)))
        assert low <= value <= high


@given(boxes)
def test_ends_are_attained(box):
    """Nearly: a fine grid of the box comes close to both ends."""
    if min(low for low, _ in box) < 1:
        return
    low, high = (end[0] for end in NODE.ends(within(box)))
    grid = np.meshgrid(*(np.linspace(float(x), float(x + wide), 33) for x, wide in box))
    values = np.clip((grid[0] * grid[2] - grid[1] ** 2 / 4) / (grid[0] + grid[1] + grid[2]) ** 2, 0, 0.25)
    assert values.min() - low <= 1e-9
    assert high - values.max() <= 2e-3


def test_a_mutant_with_ends_at_corners_only_is_caught():
    """The largest variance of this box lies on an edge: b₀ = b₂ + b₁ + b₁²/2b₂ for b₁ = 0, b₂ = 5."""
    box = ((1, 9), (0, 0), (5, 0))
    assert NODE.ends(within(box))[1][0] >= 0.25
    assert max(truth(Fraction(a), Fraction(0), Fraction(5)) for a in (1, 10)) < Fraction(1, 4)


def test_noise_below_zero_and_nothing_at_all_stay_within_what_a_variance_can_be():
    value = NODE.value(
        {"a": np.array([-3.0, 9.0, 0.0]), "b": np.array([50.0, -4.0, 0.0]), "c": np.array([2.0, 9.0, -1.0])}
    )
    assert value[:2].tolist() == [0.0, 0.25]
    assert np.isnan(value[2])
    assert [end[0] for end in NODE.ends(within(((-5, 9), (-5, 9), (-5, 9))))] == [0.0, 0.25]


def test_it_is_stored():
    assert f.formula_of(NODE.to_dict()) == NODE
    assert NODE.names == {"a", "b", "c"}
