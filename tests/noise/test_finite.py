import math

import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Choice

LAW = Choice([0, 1, 3])
MASS = [math.exp(score) / (1 + math.e + math.exp(3)) for score in (0, 1, 3)]


def test_tail_quantile_and_moments_follow_from_the_masses():
    assert LAW.tail(0) == pytest.approx(MASS[1] + MASS[2], rel=1e-15)
    assert LAW.tail(2) == 0
    assert LAW.tail(-0.5) == 1
    assert [LAW.quantile(p) for p in (MASS[0] - 1e-9, MASS[0] + 1e-9, 0.999)] == [0, 1, 2]
    mean = MASS[1] + 2 * MASS[2]
    assert LAW.mean == pytest.approx(mean, rel=1e-15)
    assert LAW.variance == pytest.approx(MASS[1] + 4 * MASS[2] - mean**2, rel=1e-12)


def test_there_is_no_mass_elsewhere():
    assert LAW.log_mass(3) == LAW.log_mass(-1) == LAW.log_mass(0.5) == -math.inf


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.1, float("nan")])
def test_quantiles_outside_the_open_interval_are_refused(p):
    with pytest.raises(InvalidParameter):
        LAW.quantile(p)
