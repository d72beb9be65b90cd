import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnprovenClaim
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.pairs import AnswerPair
from dalenius.inference.summary import Summary
from dalenius.mechanisms import Laplace
from tests.inference.releases import generator, least_hits

TOTALS = """SELECT AVG(CLAMP(s, 0, 80)) / AVG(CLAMP(c, 0, 8)) AS mean, VARIANCE(CLAMP(s, 0, 80)) AS vs,
VARIANCE(CLAMP(c, 0, 8)) AS vc FROM (SELECT person, SUM(days) AS s, COUNT(*) AS c FROM visits GROUP BY person) AS t"""


def pair(rng, x, y, epsilon, believed=None, degree=1):
    return AnswerPair(*(summary(rng, column, epsilon, believed or epsilon, degree) for column in (x, y)))


def summary(rng, x, epsilon, believed, degree):
    sums = [(1 - x).sum(), x.sum()] if degree == 1 else [((1 - x) ** 2).sum(), (2 * x * (1 - x)).sum(), (x**2).sum()]
    noise = ReleaseNoise.of(Laplace(1 / believed))
    squares = None if degree == 1 else np.array([0.0, 0.0, 1.0])
    parts = np.array(sums) + rng.laplace(0, 1 / epsilon, len(sums))
    return Summary(parts, (noise,) * len(sums), np.linspace(0, 1, degree + 1), np.ones(len(sums)), 0.0, 1.0, squares)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("together", [-1, 0, 1])
def test_ratio_and_difference_of_columns_that_hang_together_are_held(degree, together):
    """Columns of the same people, alike, apart or opposite: their correlation is not released, so any must do."""
    rng, hits = generator(), [0, 0]
    for _ in range(60):
        u = rng.random(500)
        x = u**2
        y = 0.2 + 0.6 * (u if together > 0 else 1 - u if together < 0 else rng.random(500))
        both = pair(rng, x, y, 1.0, degree=degree)
        for place, (_, (low, high), _) in enumerate((both.ratio(0.95), both.difference(0.95))):
            truth = (1 / 3) / 0.5 if place == 0 else 1 / 3 - 0.5
            hits[place] += low <= truth <= high
    assert min(hits) >= least_hits(60, 0.93)


def test_noise_that_is_ignored_is_seen():
    rng, hits = generator(), 0
    for _ in range(60):
        both = pair(rng, 0.5 + 0 * rng.random(500), 0.5 + 0 * rng.random(500), 0.02, believed=1, degree=2)
        _, (low, high), _ = both.ratio(0.95)
        hits += low <= 1 <= high
    assert hits < least_hits(60, 0.93)


def test_a_divisor_that_may_be_nothing_leaves_no_upper_end():
    rng = np.random.default_rng(3)
    both = pair(rng, np.full(20, 0.5), np.zeros(20), 0.5)
    _, (_, high), limits = both.ratio(0.95)
    assert high == np.inf
    assert limits == (0.0, np.inf)
    nobody = pair(rng, np.zeros(0), np.zeros(0), 100.0)
    assert nobody.ratio(0.95)[1] == (0.0, np.inf)


def visits(tmp_path, rng, name="v", **terms):
    k = rng.integers(1, 9, 1500)
    person = np.repeat(np.arange(1500), k)
    days = np.repeat(rng.lognormal(0.8, 0.5, 1500), k) * rng.lognormal(0, 0.3, len(person))
    table = pa.table({"person": person, "days": days, "ill": (rng.random(len(person)) < 0.3).astype(int)})
    given = {"unit": "person", "contributions": 8} | terms
    return dalenius.connect(
        table,
        table="visits",
        ledger=tmp_path / f"{name}.ledger",
        budget={"epsilon": 100},
        bounds={"days": (0, 30), "ill": (0, 1)},
        **{key: value for key, value in given.items() if value is not None},
    ), days


def test_totals_of_people_are_a_ratio_estimator_whose_draws_are_people(tmp_path):
    db, days = visits(tmp_path, np.random.default_rng(6))
    totals = db.sql(TOTALS, epsilon=5).population()["mean"][None]
    assert totals.interval[0] < days.mean() < totals.interval[1]
    rows = db.sql("SELECT AVG(days) AS mean FROM visits", epsilon=5).population()["mean"][None]
    assert totals.width < rows.width
    assert "AVG(s)/AVG(c)" in rows.remark  # the question that says more is offered
    assert totals.remark == ""


def test_a_share_of_counts_is_exact_where_each_person_counts_once(tmp_path):
    db, _ = visits(tmp_path, np.random.default_rng(6), unit="row", contributions=None)
    found = db.sql("SELECT 100 * COUNT_IF(ill = 1) / COUNT(*) AS percent FROM visits", epsilon=1)
    percent = found.population()["percent"][None]
    assert percent.coverage == "guaranteed"
    assert percent.interval[0] < 30 < percent.interval[1]
    several, _ = visits(tmp_path, np.random.default_rng(6), "several")
    with pytest.raises(UnprovenClaim, match="several rows"):
        several.sql("SELECT COUNT_IF(ill = 1) / COUNT(*) AS share FROM visits", epsilon=1).population()


def test_a_ratio_of_sums_is_refused_with_the_question_that_carries_it(tmp_path):
    db, _ = visits(tmp_path, np.random.default_rng(6))
    with pytest.raises(UnprovenClaim, match=r"AVG\(a\)/AVG\(b\)"):
        db.sql("SELECT SUM(ill) / SUM(days) AS r FROM visits", epsilon=1).population()
    with pytest.raises(UnprovenClaim, match="same noisy numbers"):
        db.sql("SELECT AVG(days) / AVG(days) AS r FROM visits", epsilon=1).population()
    apart = db.sql("SELECT AVG(days) - AVG(ill) AS r FROM visits", epsilon=1).population()["r"][None]
    assert apart.quantity == "difference of two means"
