import math
from fractions import Fraction

import pytest

from dalenius.local.means import Duchi


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_variance_is_the_known_formula(epsilon):
    e = math.exp(float(epsilon))
    for t in (0.0, 0.5, 1.0):
        assert Duchi(Fraction(epsilon)).variance(t) == pytest.approx(((e + 1) / (e - 1)) ** 2 - t * t, rel=1e-9)
    assert Duchi(Fraction(epsilon)).facts()["top"].isdigit()
