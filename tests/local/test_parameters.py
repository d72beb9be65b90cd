import pytest

from dalenius.errors import InvalidParameter
from dalenius.local.parameters import inner_level, normal_radius, whole_number


def test_levels_lie_inside_and_radii_are_normal_quantiles():
    assert normal_radius(0.95) == pytest.approx(1.959963984540054)
    assert normal_radius(0.95, 10) == pytest.approx(2.8070337683438042)  # the quantile at 0.9975
    for bad in (0, 1, -0.1, 2):
        with pytest.raises(InvalidParameter):
            inner_level(bad)


def test_whole_numbers_keep_their_limits():
    assert whole_number(3, "k", 1, 3) == 3
    for bad in (0, 4, True, 2.0, "3"):
        with pytest.raises(InvalidParameter, match="k must be a whole number from 1 to 3"):
            whole_number(bad, "k", 1, 3)
    with pytest.raises(InvalidParameter, match="≥ 0"):
        whole_number(-1, "k")
