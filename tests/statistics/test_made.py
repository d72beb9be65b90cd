from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Measure
from dalenius.curator.formula import Cell
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Moments, Table
from dalenius.statistics import covariance, mean, variance
from dalenius.statistics.made import made
from tests.statistics.releases import many, values

PARTS = Measure.calibrated(Moments("x", (0, 1), keys=Keys("g", ["a"])), epsilon=1, unit=Unit.row(), name="m")


def test_keys_come_first_and_the_error_is_told_for_n_rows():
    plan = made(PARTS, {"share": Cell("m.b1")}, "a share", Fraction(2), 1)
    assert [item.name for item in plan.layout] == ["g", "share"]
    assert "a share, within ± 6 / n with n rows" in str(plan.explain())  # 2·ln(20) = 5.99, rounded up
    outcome = plan.run(Table.of({"x": [1, 1], "g": ["a", "b"]}), Bits())
    assert outcome.keys == Keys("g", ["a"])


def test_bounds_whose_square_no_float_holds_are_refused_before_the_charge():
    with pytest.raises(InvalidParameter, match="rescale"):
        variance("x", (0, 1e160), epsilon=1)
    with pytest.raises(InvalidParameter, match="rescale"):
        covariance(["x", "y"], [(0, 1), (0, 1e160)], epsilon=1)


@pytest.mark.parametrize("place", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("make", [mean, variance])
def test_the_expected_error_is_not_exceeded_more_often_than_told(make, place):
    """20 000 releases: at 5 % misses, 1 200 are more than six standard deviations away (chance below 1e-9)."""
    n = 100_000
    data = np.where(np.arange(n) < place * n, 1.0, 0.0) if make is mean else np.full(n, place)
    for about in (None, Unit.row(Relation.CHANGE_ONE)):
        plan = make("x", (0, 1), epsilon=1, unit=about)
        told = float(str(plan.explain()).split("within ± ")[1].split(" /")[0])
        found = values(many(plan, Table.of({"x": data}), 20_000))
        truth = data.mean() if make is mean else data.var()
        assert np.count_nonzero(abs(found - truth) > told / n * 1.01) <= 1_200
