import sys
from functools import cache

import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.learning import LinearRegression
from tests.inference.releases import counts, generator, least_hits, release_of

COLUMNS = ["x", "z", "y"]
BOUNDS = [(0, 4), (-1, 1), (-5, 15)]


@cache
def plan(epsilon, delta):
    return st.covariance(COLUMNS, BOUNDS, epsilon=epsilon, delta=delta)


def drawn(rng, n, epsilon, delta=None):
    x, z = rng.uniform(0, 4, n), rng.uniform(-1, 1, n)
    y = 1 + 2 * x - 3 * z + rng.normal(0, 0.7, n)
    return release_of(plan(epsilon, delta), {"x": x, "z": z, "y": y})


@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_slopes_are_held_about_as_often_as_was_said(delta):
    rng, hits = generator(), 0
    for _ in range(60):
        found = inference.regression(drawn(rng, 4000, 2, delta), "y")
        hits += found["x"].interval[0] <= 2 <= found["x"].interval[1]
        hits += found["z"].interval[0] <= -3 <= found["z"].interval[1]
    assert hits >= least_hits(120, 0.92)


def test_without_noise_the_slopes_and_their_errors_are_those_of_least_squares():
    rng = np.random.default_rng(5)
    found = inference.regression(drawn(rng, 3000, 10**6), "y")
    assert found["x"].estimate == pytest.approx(2, abs=0.06)
    # σ / (√n · sd(x)) with σ = 0.7 and x uniform over 4
    assert found["x"].width / 2 / 1.96 == pytest.approx(0.7 / np.sqrt(3000) / (4 / np.sqrt(12)), rel=0.06)


def test_noise_that_hides_the_features_is_refused_or_told():
    rng = np.random.default_rng(5)
    widths = []
    for _ in range(10):
        try:
            widths.append(inference.regression(drawn(rng, 5, "0.01"), "y")["x"].width)
        except UnprovenClaim as refusal:
            assert "larger ε" in str(refusal)  # noqa: PT017
    assert len(widths) < 10


def fitted(rng, n, **more):
    x = np.c_[rng.uniform(0, 4, n), rng.uniform(-1, 1, n)]
    y = 1 + 2 * x[:, 0] - 3 * x[:, 1] + rng.normal(0, 0.7, n)
    given = {"epsilon": 1, "delta": 1e-6, "ridge": "adaptive"} | more
    return LinearRegression(bounds=([0, -1], [4, 1]), target_bounds=(-5, 15), **given).fit(x, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ridge", ["noise", "adaptive"])
@pytest.mark.parametrize("draws", [30, pytest.param(600, marks=pytest.mark.long)])
def test_slopes_of_a_model_are_held_about_as_often_as_was_said(draws, ridge):
    """Whatever the ridge of the model that predicts: the intervals stand about the slopes without it."""
    rng, hits = generator(), 0
    for _ in range(draws):
        found = inference.regression(fitted(rng, 2000, ridge=ridge))
        hits += found["x0"].interval[0] <= 2 <= found["x0"].interval[1]
        hits += found["x1"].interval[0] <= -3 <= found["x1"].interval[1]
    sys.stdout.write(f"{hits} of {2 * draws}\n")
    assert hits >= least_hits(2 * draws, 0.93)


@pytest.mark.filterwarnings("ignore")
def test_models_that_tell_no_error_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(UnprovenClaim, match="bootstrap"):
        inference.regression(object())
    model = fitted(rng, 200)
    with pytest.raises(InvalidParameter, match="leave target out"):
        inference.regression(model, "y")
    with pytest.raises(InvalidParameter, match="which column"):
        inference.regression(drawn(rng, 100, 1))
    told = inference.regression(model)["x0"]
    assert "n ≈" not in told.sentence
    assert "ε = 1, δ = 1e-06" in told.sentence


def test_other_releases_and_other_columns_are_refused():
    answer = drawn(np.random.default_rng(5), 1000, 10)
    with pytest.raises(UnknownName):
        inference.regression(answer, "w")
    with pytest.raises(UnprovenClaim, match="covariance"):
        inference.regression(counts(["a"], 1), "y")
    alone = release_of(st.covariance(["y"], [(-5, 15)], epsilon=1), {"y": [1.0, 2.0]})
    with pytest.raises(InvalidParameter, match="feature"):
        inference.regression(alone, "y")
