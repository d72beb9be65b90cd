import numpy as np

from dalenius.curator.formula.base import above, below, hull, outward


def test_rounding_goes_outward():
    low, high = outward(np.array([0.1]), np.array([0.1]))
    assert low[0] < 0.1 < high[0]
    assert (below(np.array([0.1]))[0], above(np.array([0.1]))[0]) == (low[0], high[0])


def test_the_hull_holds_all():
    low, high = hull(np.array([1.0, 5.0]), np.array([3.0]), np.array([2.0, 9.0]))
    assert (low.tolist(), high.tolist()) == ([1.0, 3.0], [3.0, 9.0])
