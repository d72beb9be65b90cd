from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.means import LocalLaplace


@pytest.mark.theorem("A Ex 4.2")
def test_noise_has_the_scale_of_the_width_over_epsilon():
    oracle = LocalLaplace(Fraction(2))
    assert oracle.noise.scale == Fraction(1024, 2)  # (b − a)/ε in steps: neighbors move by the whole grid at most
    assert oracle.variance(0.0) == pytest.approx(8 / 4, rel=1e-3)
    # the ratio of two neighbors' masses is e^(|Δ|/scale) ≤ e^ε, attained at the ends of the grid
    gap = oracle.noise.log_mass(0) - oracle.noise.log_mass(1024)
    assert gap == pytest.approx(2.0, rel=1e-12)


def test_sums_of_squares_do_not_overflow():
    oracle = LocalLaplace(Fraction(1))
    rows = np.array([2**31 - 1] * 1000 + [-(2**31) + 1] * 1000, "<i4").view(np.uint8).reshape(-1, 4)
    first, second = oracle.moments(oracle.tally(rows))
    assert first == 0
    assert second == pytest.approx(2000 * 4 * (2**31 - 1) ** 2 / 1024**2)
    assert not oracle.valid(np.array([-(2**31)], "<i4").view(np.uint8).reshape(1, 4)).any()
