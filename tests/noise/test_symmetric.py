from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import DiscreteGaussian, DiscreteLaplace, RoundedGaussian, RoundedLaplace
from dalenius.noise.symmetric import width_of_bins

LAWS = [DiscreteLaplace(5), DiscreteGaussian(5), DiscreteGaussian(5000), RoundedLaplace(5), RoundedGaussian(5)]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_radius_is_where_the_tail_reaches_beta(law):
    for beta in (0.5, 0.05, 1e-9):
        radius = law.radius(beta)
        assert law.tail(radius) <= beta
        assert radius == 0 or law.tail(radius - law.lattice.step) > beta


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_quantiles_are_symmetric(law):
    for p in (Fraction(1, 1000), Fraction(1, 5), Fraction(2, 5)):
        assert abs(law.quantile(p) + law.quantile(1 - p)) <= law.lattice.step


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_negative_radius_holds_nothing(law):
    assert law.tail(-1) == 1.0


@pytest.mark.parametrize("beta", [0, -1, 2, float("nan")])
def test_bad_levels_are_refused(beta):
    with pytest.raises(InvalidParameter, match="beta must"):
        DiscreteLaplace(1).radius(beta)


@pytest.mark.parametrize("scale", [Fraction(128), Fraction(10_000), Fraction(2**50), Fraction(999, 7)])
def test_bins_have_between_64_and_128_cells_a_scale(scale):
    assert 64 <= scale / width_of_bins(scale) < 128
    assert width_of_bins(Fraction(127)) == 1
