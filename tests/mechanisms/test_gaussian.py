import math
from fractions import Fraction

import mpmath
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import GDP
from dalenius.mechanisms import Gaussian, calibrate, classic_gaussian_scale
from dalenius.neighbors import Metric, Relation, Sensitivity

ONE = Sensitivity(1, Metric.L2)


def exact_delta(sigma, epsilon):
    """The Gaussian profile at 40 digits, by its definition."""
    with mpmath.workdps(40):
        s, e = mpmath.mpf(sigma.numerator) / sigma.denominator, mpmath.mpf(str(epsilon))
        return mpmath.ncdf(1 / (2 * s) - e * s) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * s) - e * s)


@pytest.mark.theorem("A Thm 13.1", "A §9.3 Gaussian mechanism")
def test_mu_is_sensitivity_over_scale_exactly():
    assert Gaussian(2).guarantee(ONE) == GDP(0.5)
    assert Gaussian(2).guarantee(Sensitivity.root(3, Metric.L2)) == GDP.root(Fraction(3, 4))
    assert Gaussian(1).guarantee(ONE, Relation.CHANGE_ONE) == GDP(1, Relation.CHANGE_ONE)
    with pytest.raises(MixedMetrics, match="ℓ2"):
        Gaussian(1).guarantee(Sensitivity(1, Metric.L1))


@pytest.mark.theorem("A Thm 9.3")
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-5), (0.1, 1e-9), (8, 1e-3), (1e-3, 0.3)])
def test_the_scale_is_the_least_that_the_exact_profile_allows(epsilon, delta):
    scale = calibrate(Gaussian, ONE, epsilon=epsilon, delta=delta).scale
    assert exact_delta(scale, epsilon) <= delta
    assert exact_delta(scale * (1 - Fraction(1, 10**9)), epsilon) > delta


def test_the_pinned_scale():
    # the root of the profile at ε = 1, δ = 1e-5, by mpmath.findroot at 40 digits
    with mpmath.workdps(40):
        root = mpmath.findroot(
            lambda s: mpmath.ncdf(1 / (2 * s) - s) - mpmath.e * mpmath.ncdf(-1 / (2 * s) - s) - mpmath.mpf("1e-5"), 3.7
        )
    found = calibrate(Gaussian, ONE, epsilon=1, delta=1e-5).scale
    assert 0 <= found - Fraction(str(root)) <= Fraction(1, 10**9)
    assert float(found) == pytest.approx(3.7306316, abs=1e-7)


@pytest.mark.theorem("A Thm 13.1")
def test_mu_and_rho_are_met_exactly_and_pure_never():
    assert calibrate(Gaussian, Sensitivity(3, Metric.L2), mu=0.5).scale == 6  # Δ/μ
    assert calibrate(Gaussian, ONE, mu=0.3).guarantee(ONE) == GDP(0.3)
    assert calibrate(Gaussian, ONE, rho=0.5).guarantee(ONE) == GDP(1)
    irrational = calibrate(Gaussian, ONE, rho=0.1).guarantee(ONE).square / 2
    assert Fraction(1, 10) * (1 - Fraction(1, 10**30)) <= irrational <= Fraction(1, 10)
    for target in ({"epsilon": 1}, {"epsilon": 1, "delta": 0}):
        with pytest.raises(UnprovenClaim, match="gaussian"):
            calibrate(Gaussian, ONE, **target)


@pytest.mark.theorem("A Thm 9.3", "A Rem 9.3")
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.4, 0.9])
def test_the_classic_rule_holds_below_one_and_wastes_noise(epsilon, delta):
    scale = classic_gaussian_scale(epsilon, delta, ONE)
    with mpmath.workdps(30):
        c = mpmath.sqrt(max(2 * mpmath.log(mpmath.mpf("1.32") / mpmath.mpf(str(delta))), mpmath.mpf(9) / 4))
        assert float(scale) == pytest.approx(float(c / epsilon), rel=1e-12)
    assert exact_delta(scale, epsilon) <= delta
    assert calibrate(Gaussian, ONE, epsilon=epsilon, delta=delta).scale < scale


def test_the_printed_floor_of_the_classic_constant_is_not_used():
    # errata: max(2 log(1.32/δ), 3/2) is printed; the proof needs c ≥ 3/2, so 9/4 under the root
    assert classic_gaussian_scale("1/2", "9/10", ONE) == pytest.approx(3.0)
    assert float(classic_gaussian_scale("1/2", "9/10", ONE)) > math.sqrt(1.5) / 0.5


@pytest.mark.theorem("A Rem 9.4")
def test_the_textbook_step_fails_where_the_remark_says():
    for delta in (1e-2, 1e-9):
        epsilon = Fraction(19, 20)
        c = Fraction(classic_gaussian_scale(epsilon, delta, ONE)) * epsilon  # the constant that the code takes
        assert c**2 == pytest.approx(max(2 * math.log(1.32 / delta), 9 / 4), rel=1e-9)
        assert c**2 - epsilon + epsilon**2 / (4 * c**2) < c**2 - Fraction(8, 9)


@pytest.mark.parametrize("epsilon", [1, 1.5, 0, -1, float("nan")])
def test_the_classic_rule_refuses_epsilon_outside_zero_to_one(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        classic_gaussian_scale(epsilon, 1e-5, ONE)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 2])
def test_the_classic_rule_refuses_a_delta_that_is_none(delta):
    with pytest.raises(InvalidParameter, match="delta"):
        classic_gaussian_scale(0.5, delta, ONE)


def test_a_target_of_nothing_is_refused():
    for target in (GDP(0),):
        with pytest.raises(InvalidParameter, match="target"):
            Gaussian.least(ONE, target)


@pytest.mark.theorem("A Thm 9.3")
@pytest.mark.parametrize(
    ("constant", "delta", "holds", "fails"),
    [(1.25, 1e-5, 8.3, 8.45), (1.32, 1e-5, 8.4, 8.55), (1.25, 0.1, 5.70, 5.75), (1.32, 0.1, 5.8, 5.9)],
)
def test_beyond_one_the_classic_constant_fails_where_the_errata_say(constant, delta, holds, fails):
    for epsilon, kept in ((holds, True), (fails, False)):
        sigma = math.sqrt(2 * math.log(constant / delta)) / epsilon
        assert (exact_delta(Fraction(sigma), epsilon) <= delta) == kept
        assert (Gaussian(Fraction(sigma)).guarantee(ONE).delta(epsilon) <= delta) is kept
