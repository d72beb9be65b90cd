import math
from fractions import Fraction

import mpmath
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import BernoulliExp, Bits
from tests.noise.fit import FALSE_ALARM, binomial_p_value


@pytest.mark.parametrize("exponent", [Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(7, 2), Fraction(9)])
def test_the_chance_of_one_is_the_exponential(exponent):
    n = 4_000_000
    hits = int(BernoulliExp(exponent).sample(Bits(), n).sum())
    chance = float(mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator))
    assert binomial_p_value(hits, n, chance) > FALSE_ALARM
    for wrong in (0.75, 1.25):
        off = float(mpmath.exp(-wrong * mpmath.mpf(exponent.numerator) / exponent.denominator))
        assert binomial_p_value(hits, n, off) < FALSE_ALARM


def test_the_ends():
    assert BernoulliExp(0).sample(Bits(), 1000).all()
    assert not BernoulliExp(10**300).sample(Bits(), 1000).any()
    assert BernoulliExp(1e300).log_mass(1) == -1e300
    assert BernoulliExp("1e400").log_mass(1) == -math.inf  # below every float
    for exponent in (10**9, 10**12, 10**20):  # no mass is written out digit by digit
        assert not BernoulliExp(exponent).sample(Bits(), 1000).any()
    assert BernoulliExp(10**300).variance == 5e-324


def test_moments_are_those_of_a_coin():
    law = BernoulliExp(Fraction(1, 2))
    with mpmath.workdps(40):
        p = mpmath.exp(-mpmath.mpf("0.5"))
        assert law.mean == float(p)
        assert p * (1 - p) <= law.variance <= p * (1 - p) * (1 + mpmath.mpf(2) ** -52)
        assert p <= law.tail(0) <= p * (1 + mpmath.mpf(2) ** -52)
        assert law.log_mass(0) == float(mpmath.log(1 - p))
    assert law.quantile(0.39) == 0
    assert law.quantile(0.40) == 1


@pytest.mark.parametrize("exponent", [-1, float("nan"), float("inf")])
def test_bad_exponents_are_refused(exponent):
    with pytest.raises(InvalidParameter, match="exponent must be"):
        BernoulliExp(exponent)
