import math
from fractions import Fraction

import pytest

from dalenius.local.means import Piecewise


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4"])
def test_variance_is_that_of_the_continuous_law_up_to_the_grid(epsilon):
    h = math.exp(float(epsilon) / 2)
    for t in (0.0, 0.5, 1.0):
        known = t * t / (h - 1) + (h + 3) / (3 * (h - 1) ** 2)
        assert Piecewise(Fraction(epsilon)).variance(t) == pytest.approx(known, rel=1e-3)
