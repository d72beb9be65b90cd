"""The ends that a search returns are proved by the bounds, whatever the search did."""

import math

import pytest

from dalenius.guarantees.loss.search import root, solved
from dalenius.guarantees.loss.ways import Start, Way


def falling(width):
    """Bounds on e^(−2ε), `width` apart."""
    return lambda epsilon: (math.exp(-2 * epsilon) * (1 - width), math.exp(-2 * epsilon) * (1 + width))


@pytest.mark.parametrize("width", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("start", [Start(0.1, 2.0), Start(9.0, 0.5), Start(-3.0, 40.0)])
def test_ends_hold_the_root_and_are_as_near_as_the_bounds(width, start):
    low, high = solved(Way((0.0, 0.0), falling(width), start), 1e-6, 1e-6, 1e-9)
    truth = -math.log(1e-6) / 2
    assert low <= truth <= high
    assert high - low <= 8 * width + 1e-9


def test_a_bound_that_never_falls_leaves_the_end_open():
    low, high = solved(Way((0.0, 0.0), lambda _: (0.0, 0.5), Start(1.0, 1.0)), 1e-6, 1e-6, 1e-6)
    assert (low, high) == (0.0, math.inf)


def test_nothing_is_needed_where_the_bound_at_zero_is_small_enough():
    assert solved(Way((0.0, 0.0), falling(0.0), Start(0.5, 2.0)), 2.0, 2.0, 1e-6) == (0.0, 0.0)


def test_the_root_is_found_from_far_away():
    epsilon, slope = root(falling(0.0), Start(40.0, 3.0), math.log(1e-3), 1e-9)
    assert epsilon == pytest.approx(-math.log(1e-3) / 2, rel=1e-6)
    assert slope == pytest.approx(-2, rel=0.1)
