import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning.data.box import Box, UnitRows
from tests.learning.adversary import rows

ANY = st.floats(allow_nan=True, allow_infinity=True)


def squared_lengths(steps: np.ndarray) -> list[int]:
    return [sum(int(x) ** 2 for x in row) for row in steps]


@pytest.mark.parametrize("centre", [None, (0.3, -2.0, 0.0, 1.0)])
@pytest.mark.parametrize("digits", [4, 12, 18])
def test_no_row_is_longer_than_the_unit_exactly(digits, centre):
    for seed in range(5):
        steps = UnitRows(Box.declare((-1, 1), 4), digits, centre=centre).steps(rows(seed))
        assert np.all(steps == np.trunc(steps))
        assert max(squared_lengths(steps)) <= 4**digits


@given(st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=5), st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_any_floats_stay_in_the_ball(found, low, width):
    unit = UnitRows(Box.declare((low, low + width), 3), 18)
    assert max(squared_lengths(unit.steps(np.array(found)))) <= 4**18


def test_a_skipped_clip_is_seen(monkeypatch):
    monkeypatch.setattr(UnitRows, "radius", property(lambda self: 0.5))
    steps = UnitRows(Box.declare((-1, 1), 4), 18).steps(rows())
    assert max(squared_lengths(steps)) <= 4**18  # a smaller radius still clips
    free = np.trunc(np.column_stack([Box.declare((-1, 1), 4).scaled(rows()), np.ones(len(rows()))]) * 2.0**18)
    assert max(squared_lengths(free)) > 4**18


def test_a_row_does_not_depend_on_the_others():
    unit, data = UnitRows(Box.declare((-1, 1), 4), 18), rows()
    whole = unit.steps(data)
    for kept in (np.arange(1, len(data)), np.arange(len(data))[::-1], np.arange(0, len(data), 7)):
        assert np.array_equal(unit.steps(data[kept]), whole[kept])


def test_coefficients_are_those_of_the_linear_function_on_unclipped_rows():
    box = Box.declare(([0, -10, 5], [4, 10, 6]), 3)
    for centre in (None, (0.1, 0.2, -0.1)):
        unit = UnitRows(box, 18, centre=centre)
        x = box.middle + 0.2 * box.half * np.array([[1, -1, 1], [0, 1, -1]])
        w = np.array([[0.5, -2.0, 1.0, 3.0]])
        coefficients, intercept = unit.unscaled(w)
        assert x @ coefficients.T + intercept == pytest.approx(unit.steps(x) @ w.T / 2**18, abs=1e-4)


@pytest.mark.parametrize(
    ("bounds", "error"),
    [
        (None, UnboundedQuery),
        ((1, -1), InvalidParameter),
        ((0, np.inf), InvalidParameter),
        ((0, 1, 2), InvalidParameter),
        (([0, 0], 1), InvalidParameter),
        (("a", 1), InvalidParameter),
        (3, InvalidParameter),
    ],
)
def test_bounds_that_are_none_are_refused(bounds, error):
    with pytest.raises(error):
        Box.declare(bounds, 3)


def test_a_constant_column_is_zero():
    assert np.all(Box.declare((2, 2), 1).scaled(np.array([[2.0], [5.0], [np.nan]])) == 0)
