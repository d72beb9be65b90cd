import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, Coin
from tests.noise.fit import FALSE_ALARM, binomial_p_value
from tests.noise.seeded import ScriptedBits

ONE = 1 << 64


@pytest.mark.parametrize("numerator", [ONE // 3, ONE // 500, 200 << 56, (69 << 56) + (1 << 55), ONE - ONE // 7])
def test_heads_come_with_the_stated_chance(numerator):
    n = 3_000_000
    heads = int(Coin(numerator).flags(Bits(), n).sum())
    assert binomial_p_value(heads, n, numerator / ONE) > FALSE_ALARM
    for wrong in (0.75, 1.25):
        off = min(1.0, wrong * numerator / ONE)
        assert binomial_p_value(heads, n, off) < FALSE_ALARM


def test_ties_of_the_first_byte_are_settled_by_the_rest():
    class Ties(Bits):
        """Every first byte is the numerator's own."""

        def words(self, dtype, size):
            drawn = super().words(dtype, size)
            if drawn.itemsize == 1:
                drawn[:] = 69
            return drawn

    n = 200_000
    heads = int(Coin((69 << 56) + (1 << 55)).flags(Ties(), n).sum())
    assert binomial_p_value(heads, n, 0.5) > FALSE_ALARM
    assert not Coin(69 << 56).flags(Ties(), n).any()


def test_a_toss_is_heads_exactly_below_the_numerator():
    coin = Coin(1000)
    assert coin.toss(ScriptedBits(999))
    assert not coin.toss(ScriptedBits(1000))
    assert Coin(ONE).toss(ScriptedBits(ONE - 1))
    assert not Coin(0).toss(ScriptedBits(0))
    assert Coin(ONE).flags(Bits(), 100).all()
    assert not Coin(0).flags(Bits(), 100_000).any()


def test_moments_are_those_of_a_coin():
    coin = Coin(3 << 62)
    assert coin.chance == Fraction(3, 4)
    assert coin.mean == 0.75
    assert math.isclose(coin.variance, 3 / 16)
    assert coin.log_mass(1) == math.log(0.75)
    assert set(coin.sample(Bits(), 1000).tolist()) == {0, 1}


@pytest.mark.parametrize("numerator", [-1, ONE + 1, 0.5, True])
def test_bad_numerators_are_refused(numerator):
    with pytest.raises(InvalidParameter, match="numerator must be"):
        Coin(numerator)
