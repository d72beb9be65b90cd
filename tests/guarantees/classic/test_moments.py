import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP, RenyiDP, moment, moments_delta, moments_epsilon
from dalenius.guarantees.curves.sampled_curves import PoissonGaussianCurve

SGD = RenyiDP(PoissonGaussianCurve(Fraction(256, 60000), Fraction(100, 121)))


@pytest.mark.theorem("A Def 11.1", "A Rem 11.4")
def test_moment_of_the_gaussian():
    assert moment(GDP(1), 3) == pytest.approx(3 * 4 / 2)


@pytest.mark.theorem("A Thm 11.2", "A Rem 11.4")
def test_moments_add_under_composition():
    assert moment(SGD.repeat(50), 4) == pytest.approx(50 * moment(SGD, 4), rel=1e-12)


@pytest.mark.theorem("A Thm 11.2", "A Lem 6")
@pytest.mark.parametrize("guarantee", [GDP(1), PureDP(1), GDP("0.2").repeat(30)])
def test_moments_accountant_is_never_below_the_exact_answer(guarantee):
    for delta in (1e-2, 1e-6):
        assert moments_epsilon(guarantee, delta) >= guarantee.epsilon_interval(delta)[0]
    for epsilon in (0.5, 2, 5):
        assert moments_delta(guarantee, epsilon) >= guarantee.delta_interval(epsilon)[0]


@pytest.mark.theorem("A Thm 11.2", "A Thm 12.2")
def test_it_is_looser_than_the_tight_conversion():
    steps = SGD.repeat(14062)
    assert steps.epsilon(1e-5) < moments_epsilon(steps, 1e-5) < 1.3 * steps.epsilon(1e-5)


def test_needs_a_delta():
    with pytest.raises(InvalidParameter):
        moments_epsilon(GDP(1), 0)
    assert moments_epsilon(RenyiDP({2: 1}), 1e-6, orders=(5,)) == math.inf
