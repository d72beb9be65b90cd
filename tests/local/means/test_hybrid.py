from fractions import Fraction

import pytest

from dalenius.local.means import Duchi, Hybrid


@pytest.mark.parametrize(("epsilon", "stated"), [("1", 4.288992), ("2", 1.042336), ("4", 0.218979)])
def test_variance_does_not_depend_on_the_number(epsilon, stated):
    for t in (0.0, 0.4, 1.0):
        assert Hybrid(Fraction(epsilon)).variance(t) == pytest.approx(stated, rel=2e-3)


def test_below_the_change_it_is_the_two_point_randomizer():
    assert Hybrid(Fraction(1, 2)).mix == 0
    assert Hybrid(Fraction(1, 2)).variance(0.3) == Duchi(Fraction(1, 2)).variance(0.3)
