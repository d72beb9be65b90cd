from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius import inference
from dalenius import statistics as st
from dalenius.curator import Facts
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Keys
from tests.inference.releases import counts, generator, least_hits, release_of

POPULATIONS = {
    "uniform": (lambda rng, n: rng.uniform(0, 1, n), 1 / 12),
    "skewed": (lambda rng, n: rng.beta(0.5, 4, n), 0.5 * 4 / (4.5**2 * 5.5)),
    "yes or no": (lambda rng, n: (rng.random(n) < 0.3).astype(float), 0.21),
}
N = 600
PUBLIC = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=N)
PLANS = {
    "private n": st.variance("x", (0, 1), epsilon="0.3"),
    "public n": st.variance("x", (0, 1), epsilon="0.3", about=PUBLIC),
    "deviation": st.std("x", (0, 1), epsilon="0.3"),
}


def covered(name, plan, draws, guaranteed=False):
    rng, (draw, truth) = generator(), POPULATIONS[name]
    truth, hits = truth**0.5 if plan == "deviation" else truth, 0
    for _ in range(draws):
        low, high = inference.variance(release_of(PLANS[plan], {"x": draw(rng, N)}), guaranteed=guaranteed).interval
        hits += low <= truth <= high
    return hits


@pytest.mark.parametrize(
    ("name", "plan"), [("uniform", "deviation"), ("skewed", "private n"), ("yes or no", "public n")]
)
def test_the_variance_is_held_about_as_often_as_was_said(name, plan):
    assert covered(name, plan, 50) >= least_hits(50, 0.93)


@pytest.mark.long
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("plan", PLANS)
def test_the_variance_is_held_about_as_often_as_was_said_over_many_draws(name, plan):
    assert covered(name, plan, 1500) / 1500 >= 0.935
    assert covered(name, plan, 200, guaranteed=True) >= least_hits(200, 0.95)


def test_the_guaranteed_form_holds_the_other_one():
    x = np.random.default_rng(4).uniform(0, 1, N)
    release = release_of(PLANS["private n"], {"x": x})
    narrow, wide = inference.variance(release), inference.variance(release, guaranteed=True)
    assert wide.interval[0] <= narrow.interval[0] <= narrow.interval[1] <= wide.interval[1]
    assert wide.width < 4 * narrow.width
    assert (narrow.coverage, wide.coverage) == ("asymptotic", "guaranteed")


def test_without_noise_it_is_the_sample_variance():
    x = np.random.default_rng(2).uniform(10, 30, 5000)
    found = inference.variance(release_of(st.variance("x", (0, 50), epsilon=10**6), {"x": x}))
    assert found.estimate == pytest.approx(x.var(ddof=1), rel=1e-4)
    assert found.target == "clamped population"


def test_noise_that_is_ignored_makes_it_too_narrow():
    rng, hits = generator(), 0
    quiet, loud = (st.variance("x", (0, 1), epsilon=one) for one in (1000, "0.02"))
    believed = release_of(quiet, {"x": [0.5]}).outcome.columns[0].mechanism
    for _ in range(60):
        release = release_of(loud, {"x": rng.uniform(0, 1, N)})
        columns = tuple(replace(column, mechanism=believed) for column in release.outcome.columns)
        wrong = replace(release, outcome=replace(release.outcome, columns=columns))
        low, high = inference.variance(wrong).interval
        hits += low <= 1 / 12 <= high
    assert hits < least_hits(60, 0.93)


def test_variances_in_sql_and_by_key(tmp_path):
    rng = np.random.default_rng(5)
    people = pa.table({"days": rng.uniform(0, 20, 3000), "ward": rng.choice(["a", "b"], 3000)})
    db = dalenius.connect(
        people,
        table="people",
        ledger=tmp_path / "v.ledger",
        unit="row",
        budget={"epsilon": 50},
        bounds={"days": (0, 20)},
        keys={"ward": ["a", "b"]},
    )
    answer = db.sql("SELECT ward, VARIANCE(days) AS v FROM people GROUP BY ward", epsilon=5)
    found = inference.variance(answer, key="a")
    assert found.interval[0] < 400 / 12 < found.interval[1]
    assert found.rows == pytest.approx(1500, abs=200)
    assert answer.population()["v"]["a"].interval == found.interval
    with pytest.raises(UnknownName, match="key="):
        inference.variance(answer)
    alone = db.sql("SELECT VAR_POP(days) AS v FROM people", epsilon=1)
    with pytest.raises(UnprovenClaim, match="beside it"):
        inference.variance(alone)
    beside = db.sql("SELECT STDDEV_POP(days) AS v, AVG(days) AS m FROM people", epsilon=5)
    root = inference.variance(beside)
    assert root.quantity == "standard deviation"
    assert root.interval[0] < 20 / 12**0.5 < root.interval[1]


def test_other_releases_are_refused():
    with pytest.raises(UnprovenClaim, match="variance"):
        inference.variance(counts(["a"], 1))
    release = release_of(st.variance("x", (0, 1), epsilon=1), {"x": [0.5]})
    with pytest.raises(UnknownName, match="no variance"):
        inference.variance(release, column="other")
    two = st.variance("x", (0, 5), epsilon=1, unit="u", contributions=2)
    with pytest.raises(UnprovenClaim, match="several rows"):
        inference.variance(release_of(two, {"x": [1.0, 2.0], "u": [1, 1]}))
    nobody = release_of(st.variance("x", (0, 1), epsilon="0.01", by=Keys("g", ["a", "b"])), {"x": [0.5], "g": ["a"]})
    assert inference.variance(nobody, key="b", guaranteed=True).interval[1] <= 0.25
