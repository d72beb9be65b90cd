import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Mean, MeanEstimate


def test_intervals_hold_the_mean_and_the_guaranteed_one_is_wider():
    estimate = MeanEstimate(5.0, 0.1, 1000, 0, (0.0, 10.0), 20.0, 0.005)
    low, high = estimate.interval(0.95)
    assert (low, high) == pytest.approx((5 - 0.195996 - 0.005, 5 + 0.195996 + 0.005), abs=1e-5)
    wide = estimate.guaranteed_interval(0.95)
    assert wide[0] < low < high < wide[1]
    assert estimate.poisoned_by(10) == pytest.approx(0.4)
    for bad in (0, 1, 2):
        with pytest.raises(InvalidParameter):
            estimate.interval(bad)
    with pytest.raises(InvalidParameter):
        estimate.poisoned_by(-1)
    with pytest.raises(InvalidParameter, match="no bound"):
        Mean(0, 1, 1, "laplace").simulate([0.5] * 10).guaranteed_interval(0.9)
