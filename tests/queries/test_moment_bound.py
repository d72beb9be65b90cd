import numpy as np
import pytest
from scipy import stats

from dalenius.errors import InvalidParameter
from dalenius.queries.moment_bound import MomentBound


def random_law(rng, order, bound):
    """Points and masses of a random law that attains the moment."""
    points = rng.standard_normal(4) * 10 ** rng.uniform(-1, 3, 4)
    masses = rng.dirichlet(np.ones(4) * rng.choice([0.1, 1.0]))
    return points * (bound / (masses @ np.abs(points) ** order)) ** (1 / order), masses


@pytest.mark.theorem("A Rem 4.5")
@pytest.mark.parametrize("order", [1.5, 2, 3, 8])
def test_no_law_is_moved_or_varies_by_more_and_one_is_moved_by_as_much(order):
    moment, rng = MomentBound(order, 3), np.random.default_rng()
    for _ in range(400):
        points, masses = random_law(rng, order, 3.0)
        for clamp in (0.1, 1.0, 5.0, 100.0):
            held = np.clip(points, -clamp, clamp)
            assert abs(masses @ points - masses @ held) <= moment.bias(clamp) * (1 + 1e-9)
            assert masses @ held**2 - (masses @ held) ** 2 <= moment.variance(clamp) * (1 + 1e-9)
    clamp = 40.0
    far = clamp * order / (order - 1)
    mass = 3 / far**order
    assert mass * (far - clamp) == pytest.approx(moment.bias(clamp), rel=1e-12)


@pytest.mark.theorem("A Rem 4.5")
def test_more_moments_allow_a_smaller_clamp_that_grows_as_the_kth_root_and_is_near_the_best():
    for order in (2, 3, 6):
        moment = MomentBound(order, 1)
        near, far = (float(moment.clamp(n, 1)) for n in (10**3, 10**9))
        assert far / near == pytest.approx(10 ** (6 / order), rel=0.02)

        def bound(tau, moment=moment):
            return moment.bias(tau) ** 2 + 4 * tau**2 / 10**6

        grid = np.geomspace(near / 20, near * 20, 4001)
        assert bound(near) <= 1.001 * min(map(bound, grid.tolist()))


@pytest.mark.theorem("A Def 4.2")
@pytest.mark.parametrize("order", [2, 4])
def test_without_privacy_the_sample_mean_errs_by_one_over_n_and_no_estimate_by_much_less(order):
    """Above: Var ≤ B^(2/k), attained at ±1. Below: coins of means ±θ, θ = 1/(2√n), that n tosses hardly tell apart."""
    moment = MomentBound(order, 1)
    assert moment.variance(1e9) == pytest.approx(1)
    for n in (10, 100, 10_000):
        theta = 1 / (2 * n**0.5)
        k = np.arange(n + 1)
        apart = 0.5 * np.abs(stats.binom.pmf(k, n, (1 + theta) / 2) - stats.binom.pmf(k, n, (1 - theta) / 2)).sum()
        least = theta**2 * (1 - apart) / 2  # Le Cam: an estimate within θ of both would tell them apart
        assert 1 / 20 <= n * least <= n * moment.variance(1e9) / n


def test_what_is_no_moment_is_refused():
    for order, bound in ((1, 1), (0, 1), (65, 1), (2, 0), (2, -1), ("x", 1)):
        with pytest.raises(InvalidParameter):
            MomentBound(order, bound)
    assert str(MomentBound(2, 4)) == "E|X|^2 ≤ 4"
