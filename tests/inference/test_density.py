import numpy as np
import pytest
from scipy import optimize, stats

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import noisy_numbers
from dalenius.inference.density import _chernoff, _smoothed
from dalenius.noise import Bits
from tests.inference.releases import counts, generator, least_hits, release_of

EDGES = np.linspace(0, 10, 21)
PLAN = st.histogram("x", edges=EDGES.tolist(), epsilon=1)
LAW = stats.beta(2, 5, scale=10)
POINTS = (EDGES[1:] + EDGES[:-1]) / 2


def truth(bandwidth):
    """The mean density of each bin; or these, weighted by a triangular kernel, integrated on a fine grid."""
    mean = np.diff(LAW.cdf(EDGES)) / np.diff(EDGES)
    if bandwidth is None:
        return mean
    fine = (np.arange(20_000) + 0.5) * 10 / 20_000
    near = np.maximum(0, 1 - np.abs(fine[None, :] - POINTS[:, None]) / bandwidth) / bandwidth
    return near @ mean[(fine / 0.5).astype(int)] * 10 / 20_000


@pytest.mark.theorem("A Ex 3.1")
@pytest.mark.parametrize("bandwidth", [None, 1.5])
def test_the_whole_band_holds_as_often_as_was_said(bandwidth):
    rng, hits, widths, true = generator(), 0, [], truth(bandwidth)
    for _ in range(25):
        found = inference.density(release_of(PLAN, {"x": LAW.rvs(2000, random_state=rng)}), bandwidth=bandwidth)
        hits += bool(((found.lower <= true + 1e-6) & (true - 1e-6 <= found.upper)).all())
        widths.append(float((found.upper - found.lower).max()))
        assert ((found.lower <= found.estimate) & (found.estimate <= found.upper)).all()
    assert hits >= least_hits(25, 0.95)
    assert np.median(widths) < (0.25 if bandwidth is None else 0.15)


@pytest.mark.theorem("A Ex 3.1")
def test_the_bounds_on_sums_of_noise_hold_and_half_of_them_do_not():
    """A Chernoff radius at 5 % over 20 weighted noises: 4000 sums, exceeded by at most 5 %, six deviations more."""
    release = release_of(PLAN, {"x": []})
    noise = noisy_numbers(release, None, "a density")[0].noise
    weights = _smoothed(POINTS, EDGES, 1.5)[7]
    radius = _chernoff(noise, weights, 0.05)
    # geometric noise of scale 1: E e^(sZ) = (1 − q)²/((1 − qe^s)(1 − qe^−s)), q = 1/e; the least over s, by a search
    q, used = np.exp(-1), weights[weights > 0]

    def bound(s):
        grown = 2 * np.log(1 - q) - np.log(1 - q * np.exp(s * used)) - np.log(1 - q * np.exp(-s * used))
        return (np.log(2 / 0.05) + grown.sum()) / s

    least = optimize.minimize_scalar(bound, bounds=(1e-3, 0.999 / used.max()), method="bounded").fun
    assert least * (1 - 1e-9) <= radius <= 1.02 * least
    sums = noise.draw(Bits(), 4000 * 20).reshape(4000, 20) @ weights
    assert np.mean(np.abs(sums) > radius) <= 0.05 + 6 * np.sqrt(0.05 * 0.95 / 4000)
    assert np.mean(np.abs(sums) > radius / 3) > 0.1


def test_a_kernel_has_mass_one_inside_and_the_band_shrinks_with_rows():
    few, many = (
        inference.density(release_of(PLAN, {"x": LAW.rvs(n, random_state=generator())}), bandwidth=1)
        for n in (300, 30_000)
    )
    assert (many.upper - many.lower).max() < (few.upper - few.lower).max() / 4
    inner = _smoothed(POINTS, EDGES, 1.5)[5:-5] @ np.diff(EDGES)
    assert inner == pytest.approx(1)
    assert "joint band" in str(many)


def test_what_is_no_histogram_over_edges_is_refused():
    with pytest.raises(InvalidParameter, match="edges"):
        inference.density(counts(["a"], 1))
    owned = st.histogram("x", edges=[0, 1], epsilon=1, unit="u", contributions=2)
    with pytest.raises(UnprovenClaim):
        inference.density(release_of(owned, {"x": [1.0], "u": [1]}))
    with pytest.raises(InvalidParameter):
        inference.density(release_of(PLAN, {"x": []}), bandwidth=0)
    empty = inference.density(release_of(st.histogram("x", edges=[0, 1, 2], epsilon="0.1"), {"x": []}))
    assert empty.lower.tolist() == [0, 0]
    assert empty.upper.tolist() == [1, 1]
