import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.inference.mean import chernoff_ends, hull, score_ends
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.summary import Summary
from dalenius.mechanisms import Laplace
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Keys
from tests.inference.releases import generator, least_hits, release_of

POPULATIONS = {
    "uniform": (lambda rng, n: rng.uniform(0, 1, n), 0.5),
    "skewed": (lambda rng, n: rng.beta(0.5, 4, n), 1 / 9),
    "yes or no": (lambda rng, n: (rng.random(n) < 0.3).astype(float), 0.3),
}


def summary(rng, x, epsilon, degree, believed=None):
    """Sums of x in [0, 1] with Laplace noise, as a release of the mean, or of mean and variance, has them."""
    sums = [(1 - x).sum(), x.sum()] if degree == 1 else [((1 - x) ** 2).sum(), (2 * x * (1 - x)).sum(), (x**2).sum()]
    noise = ReleaseNoise.of(Laplace(1 / (believed or epsilon)))
    weights = np.linspace(0, 1, degree + 1)
    squares = None if degree == 1 else np.array([0.0, 0.0, 1.0])
    parts = np.array(sums) + rng.laplace(0, 1 / epsilon, len(sums))
    return Summary(parts, (noise,) * len(sums), weights, np.ones(len(sums)), 0.0, 1.0, squares)


def covered(ends, name, n, epsilon, degree, draws, believed=None):
    rng = generator()
    draw, mean = POPULATIONS[name]
    hits = 0
    for _ in range(draws):
        low, high = ends(summary(rng, draw(rng, n), epsilon, degree, believed), 0.95)
        hits += low <= mean <= high
    return hits


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("degree", [1, 2])
def test_the_mean_is_held_about_as_often_as_was_said(name, degree):
    assert covered(score_ends, name, 400, 1.0, degree, 80) >= least_hits(80, 0.93)


@pytest.mark.long
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize(("n", "epsilon"), [(200, 1.0), (1000, 1.0), (1000, 0.1)])
def test_the_mean_is_held_about_as_often_as_was_said_over_many_draws(name, n, epsilon):
    for degree in (1, 2):
        assert covered(score_ends, name, n, epsilon, degree, 1500) / 1500 >= 0.93


def test_a_mean_without_its_noise_is_held_too_seldom():
    assert covered(score_ends, "uniform", 400, 0.05, 2, 80, believed=1) < least_hits(80, 0.93)


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_guaranteed_form_holds_more_often_and_is_wider(name):
    rng = generator()
    assert covered(chernoff_ends, name, 60, 1.0, 1, 20) >= least_hits(20, 0.95)
    one = summary(rng, POPULATIONS[name][0](rng, 500), 1.0, 1)
    narrow, wide = score_ends(one, 0.95), chernoff_ends(one, 0.95)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert wide[1] - wide[0] < 1.8 * (narrow[1] - narrow[0])


def test_the_guaranteed_form_bounds_the_exact_tails_of_the_worst_law():
    """At its ends a binomial sum with the same noise has a tail below half of what may fail, by enumeration."""
    from dalenius.inference.convolution import NoisyBinomial
    from dalenius.mechanisms import Geometric

    noise = ReleaseNoise.of(Geometric(1))
    given = Summary(np.array([30.0]), (noise,), np.ones(1), np.zeros(1), 0.0, 1.0, count_constant=100.0)
    low, high = chernoff_ends(given, 0.95)
    law = NoisyBinomial(30, 100, noise)
    assert law.upper_tail(low) <= 0.025
    assert law.lower_tail(high) <= 0.025
    assert law.lower_tail((30 / 100 + high) / 2) > 0.025  # half as far would not do


def test_releases_of_statistics_need_no_further_arguments():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 8, 2000)
    answer = release_of(st.mean("x", (0, 10), epsilon=1), {"x": x})
    found = inference.mean(answer)
    assert found.interval[0] < 4 < found.interval[1]
    assert found.target == "clamped population"
    assert "largest variance" in found.method
    assert inference.mean(answer, guaranteed=True).width > found.width
    facts = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=2000)
    public = release_of(st.mean("x", (0, 10), epsilon=1, about=facts), {"x": x})
    assert inference.mean(public, guaranteed=True).rows == 2000


def test_a_mean_by_key_is_asked_for_by_its_key():
    data = {"x": [1.0] * 30 + [3.0] * 30, "g": ["a"] * 30 + ["b"] * 30}
    answer = release_of(st.mean("x", (0, 5), epsilon=5, by=Keys("g", ["a", "b"])), data)
    assert inference.mean(answer, key="a").estimate == pytest.approx(1, abs=0.7)
    with pytest.raises(UnknownName, match="key="):
        inference.mean(answer)


def test_people_with_several_rows_are_one_draw_each():
    data = {"x": [1.0, 2.0] * 200, "u": list(range(200)) * 2}
    plan = st.mean("x", (0, 5), epsilon=1, unit="u", contributions=2)
    found = inference.mean(release_of(plan, data))
    one = inference.mean(release_of(st.mean("x", (0, 5), epsilon=1), {"x": data["x"]}))
    assert found.width > 1.3 * one.width
    assert "one draw" in found.sentence
    with pytest.raises(UnprovenClaim, match="one row a person"):
        inference.mean(release_of(plan, data), guaranteed=True)


def test_too_few_people_give_the_whole_range():
    nobody = Summary(
        np.array([-3.0, 1.0]), (ReleaseNoise.of(Laplace(2)),) * 2, np.array([0.0, 1.0]), np.ones(2), 0.0, 1.0
    )
    assert score_ends(nobody, 0.95) == (0.0, 1.0)
    assert chernoff_ends(nobody, 0.95) == (0.0, 1.0)
    with pytest.raises(InvalidParameter):
        inference.mean(release_of(st.mean("x", (0, 5), epsilon=1), {"x": [1.0]}), 1)


def test_a_hull_is_found_though_it_is_narrow():
    low, high = hull(lambda m: 1e-12 - (m - 0.3) ** 2, 0.0, 1.0, 0.3)
    assert (low, high) == pytest.approx((0.3 - 1e-6, 0.3 + 1e-6), abs=1e-9)
    assert hull(lambda m: -np.ones_like(m), 0.0, 1.0, 0.3) == (0.3, 0.3)
