from fractions import Fraction

import pytest
from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.plans.region import FINE, STEP_EXPONENT, Region
from dalenius.neighbors import Metric
from dalenius.numerics import ball, precision


def test_the_radius_is_a_public_multiple_that_is_no_smaller_than_asked():
    rows = UnitRows(Box.declare((0, 1), 5), 1)
    made = Region.of("0.3", rows)
    assert made.radius >= Fraction("0.3") * Fraction(rows.radius)
    assert made.wholes == made.radius * FINE
    assert made.facts() == {"radius": str(made.radius)}


@pytest.mark.parametrize("wrong", [0, -1, 17, float("nan"), "x"])
def test_bounds_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        Region.of(wrong, UnitRows(Box.declare((0, 1), 1), 1))


def test_inside_outside_and_open_are_told_apart():
    region, cells = Region(Fraction(1)), []
    with precision(128):
        assert region.holds([ball(Fraction(3, 5)), ball(Fraction(4, 5)) * (1 + arb(2) ** -60)], cells) is False
        assert region.holds([arb(0.5), arb(0.25, 1.0)], cells) is None
        assert region.holds([arb(0).log()], cells) is None
        assert region.holds([arb(0.5, 1e-30)], cells) is None  # on the edge of a cell
        assert cells == []
        assert region.holds([arb(0.5) + arb(2) ** -50, -(arb(2) ** -50)], cells) is True
    assert cells == [2 ** (-STEP_EXPONENT - 1), -1]


def test_in_l1_sizes_add_up_and_no_root_of_d_is_taken():
    region, cells = Region.of(1, UnitRows(Box.declare((0, 1), 8), 1), Metric.L1), []
    assert region.radius == 1
    with precision(128):
        assert region.holds([ball(Fraction(3, 5)), ball(Fraction(-4, 5))], cells) is False
        assert region.holds([ball(Fraction(3, 5)), ball(Fraction(-1, 5))], cells) is True
