import numpy as np
import pytest

from dalenius.learning.sums.bends import BEND_DIGITS, LogisticBends, PoissonBends

AT = np.linspace(-30, 30, 2001)


def test_bends_are_second_derivatives_and_never_above_the_most():
    logistic, most = LogisticBends(), 1 << (BEND_DIGITS - 2)
    assert logistic.at(AT, most) / 2.0**BEND_DIGITS == pytest.approx(1 / (2 + np.exp(AT) + np.exp(-AT)), abs=0.002)
    assert logistic.at(AT, most).max() <= most == logistic.most(np.ones(3), 1.0, True)
    poisson = PoissonBends(5.0)
    assert poisson.at(AT, 1 << 20) / 2.0**BEND_DIGITS == pytest.approx(np.minimum(np.exp(AT), 5) / 5, abs=0.002)
    assert poisson.at(AT, 17).max() == 17


def test_the_most_of_counts_is_the_rate_in_the_corner():
    weights = np.array([1.0, -2.0, 0.4])
    corner = np.exp((1 + 2 + 0.4) / 2) / 9
    assert PoissonBends(9.0).most(weights, 2.0, True) / 2.0**BEND_DIGITS == pytest.approx(corner, abs=0.003)
    assert PoissonBends(9.0).most(100 * weights, 2.0, True) == 1 << BEND_DIGITS
    assert PoissonBends(9.0).dispersion == 1 / 9
