import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.charts import error_by_rows, save
from dalenius.charts.rates import exponent
from dalenius.errors import InvalidParameter
from dalenius.mechanisms import RandomizedResponse

FOUND = {
    "gradient": {n: [0.5 / n, 1 / n, 9 / n] for n in (100, 1000, 10_000)},
    "loss": {n: [n**-0.5] for n in (100, 1000, 10_000)},
}


def test_powers_are_told_and_medians_drawn():
    drawn = error_by_rows(FOUND).to_dict()
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["gradient: n^−1.00", "loss: n^−0.50"]
    assert drawn["data"]["values"][0] == {"rows": 100, "error": 0.01, "name": "gradient: n^−1.00"}
    assert exponent({1: 8.0, 2: 1.0}) == pytest.approx(-3)


def test_it_is_a_picture(tmp_path):
    assert save(error_by_rows(FOUND, "x"), tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("wrong", [{}, {"a": {1: [1.0]}}, {"a": {1: [1.0], 2: [0.0]}}, {"a": {0: [1.0], 2: [1.0]}}])
def test_what_has_no_slope_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        error_by_rows(wrong)


NS = [10**k for k in range(4, 13)]


@pytest.mark.theorem("A Rem 1.1", "A Ex 1.3")
def test_the_exponent_is_that_of_the_fastest_growing_term_whatever_the_constants():
    assert exponent({n: 6 * n**4 - 2 * n**3 + 5 for n in NS}) == pytest.approx(4, abs=1e-3)
    assert exponent({n: 1000 * n**4 for n in NS}) == pytest.approx(4, abs=1e-9)
    assert exponent({n: math.log(math.log(n)) / math.log(n) for n in NS}) < 0  # log log n is o(log n)
    far = [math.log(math.log(n)) / math.log(n) for n in (10**2, 10**4, 10**16, 10**256)]
    assert far == sorted(far, reverse=True)


@pytest.mark.theorem("A Ex 1.4", "A Thm 1.1", "A Rem 1.2", "A Cor 1.1")
def test_sampling_errs_by_exactly_the_root_of_n():
    """Means of n fair coins and the most likely share of a survey: the exponent is −½, and the limit is normal.

    A root of a mean of 40 000 squares is off by .4 %, so the slope over three decades by .001: .02 is beyond 1e-9. The
    law lies within .0164 of the normal one but for 1e-9 (Dvoretzky, Kiefer, Wolfowitz), and .004 for a step of the
    binomial; one whose deviation is 25 % off does not.
    """
    rng, spread = np.random.default_rng(), {}
    for n in (100, 1000, 10_000, 100_000):
        means = rng.binomial(n, 0.5, 40_000) / n
        spread[n] = float(np.sqrt(np.mean((means - 0.5) ** 2)))
        assert np.mean(np.abs(means - 0.5) >= 4 * math.sqrt(0.25 / n)) <= 1 / 16  # Chebyshev
    assert exponent(spread) == pytest.approx(-0.5, abs=0.02)
    scaled = np.sort((means - 0.5) * math.sqrt(n) / 0.5)
    seen, alarm = np.arange(1, 40_001) / 40_000, math.sqrt(math.log(2e9) / 80_000) + 0.004
    assert np.abs(ndtr(scaled) - seen).max() < alarm < np.abs(ndtr(scaled / 1.25) - seen).max()
    response, errors = RandomizedResponse(Fraction(1, 2)), {}
    for n in (200, 20_000):
        yes = rng.binomial(n, 0.5 * 0.3 + 0.25, 600)  # told the truth half of the time, else a fair coin
        found = [response.estimate(np.repeat([0, 1], [n - k, k]))[1] for k in yes.tolist()]
        errors[n] = float(np.sqrt(np.mean((np.array(found) - 0.3) ** 2)))
    assert exponent(errors) == pytest.approx(-0.5, abs=0.06)  # its deviation is .009
