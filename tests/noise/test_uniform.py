import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, UniformInteger
from tests.noise.fit import FALSE_ALARM, chi_square


@pytest.mark.parametrize("count", [2, 6, 255, 256, 257, 1000])
def test_every_value_is_equally_likely(count):
    drawn = np.bincount(UniformInteger(count).sample(Bits(), 1_000_000), minlength=count).astype(float)
    assert len(drawn) == count
    assert chi_square(drawn, np.full(count, 1 / count)) > FALSE_ALARM
    leaning = np.linspace(0.75, 1.25, count)
    assert chi_square(drawn, leaning / leaning.sum()) < FALSE_ALARM


@pytest.mark.parametrize("count", [2**31 + 1, 2**32 + 1, 3 * 2**60, 2**63])
def test_large_counts_fill_their_range(count):
    drawn = UniformInteger(count).sample(Bits(), 400_000)
    assert drawn.min() >= 0
    assert int(drawn.max()) < count
    shares = np.bincount((drawn / (count / 16)).astype(int), minlength=16).astype(float)
    assert chi_square(shares[:16], np.full(16, 1 / 16)) > FALSE_ALARM


def test_a_modulo_instead_of_a_second_draw_is_noticed():
    count, word = 200, Bits().words(np.uint8, 1_000_000)
    assert chi_square(np.bincount(word % count, minlength=count).astype(float), np.full(count, 1 / count)) < FALSE_ALARM


def test_what_the_law_says_of_itself_is_counted():
    law = UniformInteger(6)
    assert law.mean == 2.5
    assert law.variance == math.nextafter(35 / 12, 3) or law.variance == 35 / 12
    assert Fraction(law.variance) >= Fraction(35, 12)
    assert law.tail(4) >= Fraction(1, 6) > law.tail(4) - 1e-16
    assert law.tail(5) == 0
    assert law.tail(-1) == 1
    assert [law.quantile(p) for p in (0.01, Fraction(1, 6), 0.17, 0.999)] == [0, 0, 1, 5]
    assert law.log_mass(3) == -math.log(6)
    assert law.log_mass(6) == law.log_mass(0.5) == -math.inf


@pytest.mark.parametrize("count", [0, -1, 2**63 + 1, 1.5, True])
def test_bad_counts_are_refused(count):
    with pytest.raises(InvalidParameter, match="count must be"):
        UniformInteger(count)
