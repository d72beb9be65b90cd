import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.mechanisms.one_line import _nearest, _steps, gaussian, geometric, laplace
from dalenius.noise import Lattice

DRAWS = 40_000
ALARM = 1e-9


def fits(sample, law, alarm=ALARM):
    return stats.kstest(sample, law).pvalue > alarm


def test_the_noise_has_the_stated_law_and_not_one_a_quarter_off():
    """False-alarm rate 1e-9; 4e4 draws tell a scale that is 25 % off."""
    for sensitivity, epsilon in ((1, 1), (3, 0.5)):
        scale = sensitivity / epsilon
        sample = laplace(np.full(DRAWS, 42.5), sensitivity=sensitivity, epsilon=epsilon).value - 42.5
        # the array is one answer: its rounding, a step for each coordinate, is paid by a scale a bit larger
        paid = scale * (1 + DRAWS * 2.0**-20)
        assert fits(sample, stats.laplace(scale=paid).cdf)
        assert not fits(sample, stats.laplace(scale=1.25 * paid).cdf, 1e-3)


def test_rounding_is_paid_and_the_claim_is_what_was_asked():
    """ε = (Δ + d·g) / scale holds exactly, so the scale is more than Δ/ε."""
    noisy = laplace(42.5, sensitivity=1, epsilon=1)
    assert noisy.guarantee.sum_form == (1, 0) or noisy.guarantee.epsilon(0) == 1.0
    step = Lattice.under(1).step
    for a, b in ((0.1, 1.1), (1 / 3, 4 / 3), (1e6 + 0.7, 1e6 + 1.7)):
        moved = abs(_nearest(a, step) - _nearest(b, step)) * step
        assert moved <= abs(Fraction(b) - Fraction(a)) + step


def test_the_lattice_is_chosen_from_sensitivity_and_epsilon_alone():
    """Every output is a multiple of the same step, whatever the value was: no digit tells of it."""
    step = float(Lattice.under(2).step)
    for value in (0.1, math.pi, 1e5 + 1e-7, -7.3):
        assert (laplace(value, sensitivity=1, epsilon=0.5).value / step).is_integer()


def test_no_value_makes_it_fail_and_none_is_shown():
    for value in (math.nan, math.inf, -math.inf, 1e308, 5e-324):
        assert math.isfinite(laplace(value, sensitivity=1, epsilon=1).value)
    assert _steps([math.nan], Lattice(-20))[0].tolist() == [0]
    text = repr(laplace(123456.789, sensitivity=10**6, epsilon=1))
    assert "123456.789" not in text
    assert "charged to no ledger" in text
    with pytest.raises(InvalidParameter) as refused:
        geometric(41.75, epsilon=1)
    assert "41.75" not in str(refused.value)


def test_whole_numbers_stay_whole_and_gaussian_noise_needs_a_delta():
    assert isinstance(dalenius.geometric(42, epsilon=1).value, int)
    assert dalenius.geometric(np.array([1, 2]), epsilon=1).value.dtype == np.int64
    sample = gaussian(np.zeros(DRAWS), sensitivity=1, epsilon=1, delta=1e-5).value
    sigma = 3.7306316 * (1 + DRAWS * 2.0**-20)  # of sensitivity 1 at (1, 1e-5), the analytic Gaussian mechanism
    assert fits(sample, stats.norm(scale=sigma).cdf)
    assert not fits(sample, stats.norm(scale=0.8 * sigma).cdf, 1e-3)
    for wrong in ({"delta": 0}, {"delta": 1}):
        with pytest.raises(InvalidParameter, match="delta"):
            gaussian(1.0, sensitivity=1, epsilon=1, **wrong)
    for given in ("x", [], [None]):
        with pytest.raises(InvalidParameter, match="number"):
            laplace(given, sensitivity=1, epsilon=1)
    assert float(dalenius.laplace(1, sensitivity=1, epsilon=100)) == pytest.approx(1, abs=1)
    assert "± 95 %" in laplace(1, sensitivity=1, epsilon=1)._repr_html_()
    assert np.asarray(laplace([1.0, 2.0], sensitivity=1, epsilon=1)).shape == (2,)
