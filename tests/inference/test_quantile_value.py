import math

import numpy as np
import pytest
from scipy import stats

from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.quantile_value import Density, quantile_value, spacing
from tests.inference.releases import generator, least_hits, release_of

PLAN = st.quantile("x", "0.3", (-5, 15), epsilon=1, cells=4000)
TRIANGLE = Density("0.04", 2, 10)  # of x = 10√U: density x/50, at least .04 from 2 on


@pytest.mark.theorem("A Thm 7.6", "A Rem 7.2")
@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_quantile_is_held_and_declaring_four_times_the_density_misses_it(target):
    """200 draws; rows at hand have an interval that is shorter by √n, and both widths fall with n."""
    rng, hits, false_hits, n = generator(), 0, 0, 4000
    dense = Density("0.12", 2, 10)
    for _ in range(200):
        data = 10 * np.sqrt(rng.random(n))
        release = release_of(PLAN, {"x": data})
        truth = 10 * math.sqrt(0.3) if target == "population" else float(np.sort(data)[math.ceil(0.3 * n) - 1])
        told = quantile_value(release, PLAN, TRIANGLE, n, target=target)
        hits += told.interval[0] <= truth <= told.interval[1]
        false = quantile_value(release, PLAN, dense, n * 400, target=target)  # neither density nor rows are so many
        false_hits += false.interval[0] <= truth <= false.interval[1]
    assert hits >= least_hits(200, 0.95)
    assert false_hits < least_hits(200, 0.95)  # half of them hit: with a probability of 1 − 1e-20 too few
    assert told.width < (2.5 if target == "population" else 1.2)


@pytest.mark.theorem("A Thm 7.6")
def test_on_the_scale_of_values_the_noise_falls_as_one_over_epsilon_n_and_density():
    """The median of |T − X₍nα₎| over 300 draws, each off by .083 at most: a ratio is within a factor of 2 but for 1e-9.

    A rate of √n, √ε or √density would change it by 4, 2.8 and 4.
    """
    rng = generator()

    def error(n, epsilon, density):
        plan = st.median("x", (0, 2 / density), epsilon=epsilon, cells=1 << 12)
        found = []
        for _ in range(300):
            data = rng.random(n) / density
            found.append(abs(release_of(plan, {"x": data}).value - float(np.sort(data)[n // 2 - 1])))
        return float(np.median(found))

    base = error(500, 0.05, 1)
    assert 8 < base / error(8000, 0.05, 1) < 32
    assert 4 < base / error(500, 0.4, 1) < 16
    assert 8 < error(500, 0.05, 1 / 16) / base < 32


@pytest.mark.theorem("A Lem 5", "A Lem 4")
@pytest.mark.parametrize(("n", "gap"), [(1, 1), (10, 3), (200, 20)])
def test_a_spacing_of_uniform_order_statistics_is_beta_with_the_mean_that_markov_takes(n, gap):
    """Simulated, by Kolmogorov's statistic: 20 000 draws lie within .0235 of their law but for 1e-9."""
    rng = generator()
    draws = np.sort(np.concatenate([np.zeros((20_000, 1)), rng.random((20_000, n))], axis=1), axis=1)
    spans = draws[:, gap] - draws[:, 0] if gap == n else draws[:, -1] - draws[:, -1 - gap]
    far = [abs(float(np.mean(spans <= spacing(n, gap, 1 - level))) - level) for level in np.linspace(0.01, 0.99, 99)]
    assert max(far) < 0.0235
    off = stats.beta(gap, n - gap + 1).ppf(np.linspace(0.01, 0.99, 99)) * 1.25
    missed = [abs(np.mean(spans <= x) - level) for x, level in zip(off, np.linspace(0.01, 0.99, 99), strict=True)]
    assert max(missed) > 0.0235
    mean = gap / (n + 1)
    for eta in (0.5, 0.1, 0.01):
        assert spacing(n, gap, eta) <= mean / eta  # Lemma 4: a mean bounds every quantile from above


def test_an_end_that_is_not_known_is_infinite_and_what_has_no_proof_is_refused():
    near = quantile_value(release_of(PLAN, {"x": [8.0] * 5000}), PLAN, Density("0.1", 7.9, 12), 5000)
    assert near.interval[0] == -math.inf
    assert math.isfinite(near.interval[1])
    assert "declared and cannot be checked" in near.sentence
    first = quantile_value(release_of(PLAN, {"x": [-9.0] * 50000}), PLAN, Density("0.001", -500, 12), 50000)
    assert first.interval[0] == -math.inf  # what lies below the grid is counted in its first cell
    assert spacing(3, 4, 0.1) == 1
    for wrong in (("1", 0, 2), ("0", 0, 1), ("0.1", 2, 1)):
        with pytest.raises(InvalidParameter):
            Density(*wrong)
    owned = st.quantile("x", "0.3", (-5, 15), epsilon=1, unit="u", contributions=1)
    with pytest.raises(UnprovenClaim):
        quantile_value(release_of(PLAN, {"x": [1.0]}), owned, TRIANGLE, 10)
    with pytest.raises(InvalidParameter, match="target"):
        quantile_value(release_of(PLAN, {"x": [1.0]}), PLAN, TRIANGLE, 10, target="both")
