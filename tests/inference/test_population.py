import sys
from collections import defaultdict
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import UnprovenClaim
from dalenius.queries import Keys
from tests.inference.releases import counts, generator, least_hits, release_of

QUESTION = """SELECT ward, AVG(ill) AS ill, AVG(days) AS days, AVG(days) / AVG(cost) AS ratio
FROM people GROUP BY ward"""
COUNTS = "SELECT ward, COUNT(*) AS n FROM people GROUP BY ward"
SHARE = "SELECT COUNT_IF(ill = 1 AND ward = 'a') / COUNT(*) AS share FROM people"


def people(rng, n=600):
    """Skewed people: days in hospital are lognormal, held at 30."""
    ward = rng.choice(["a", "b"], n, p=[0.4, 0.6])
    return {
        "person": np.arange(n),
        "ward": ward,
        "ill": (rng.random(n) < np.where(ward == "a", 0.3, 0.2)).astype(float),
        "days": (days := rng.lognormal(1.0, 0.9, n)),
        "cost": np.minimum(days, 30) * rng.uniform(0.5, 1.5, n) + rng.exponential(2.0, n),
    }


def session(tmp_path, rng, **terms):
    given = {"unit": "row", **terms}
    return dalenius.connect(
        pa.table(people(rng)),
        table="people",
        ledger=tmp_path / f"{given['unit']}{len(list(tmp_path.iterdir()))}.ledger",
        budget={"epsilon": 100},
        bounds={"days": (0, 30), "ill": (0, 1), "cost": (0, 60)},
        keys={"ward": ["a", "b"]},
        **given,
    )


@cache
def clamped_means():
    many = people(np.random.default_rng(0), 2_000_000)
    return float(np.minimum(many["days"], 30).mean()), float(np.minimum(many["cost"], 60).mean())


@pytest.mark.parametrize("draws", [5, pytest.param(1000, marks=pytest.mark.long)])
def test_a_whole_answer_holds_what_it_is_about(tmp_path, draws):
    """Skewed people drawn anew each time: shares, means, differences and ratios of both kinds, each at 94 % or more."""
    rng, (days, cost) = generator(), clamped_means()
    hits: dict[str, int] = defaultdict(int)
    for _ in range(draws):
        db = session(tmp_path, rng)
        answer = db.sql(QUESTION, epsilon=4)
        found = answer.population(0.95)
        shares = db.sql(COUNTS, epsilon=1).population()["n"]
        part = db.sql(SHARE, epsilon=1).population()["share"][None]
        held = {
            "share of a key": (shares["a"], 0.4),
            "share of counts": (part, 0.12),
            "mean of 0 and 1": (found["ill"]["a"], 0.3),
            "mean": (found["days"]["b"], days),
            "ratio of means": (found["ratio"]["b"], days / cost),
            "difference of groups": (answer.compare("a", "b", column="ill"), 0.1),
            "difference of means of groups": (answer.compare("a", "b", column="days"), 0.0),
            "ratio of groups": (answer.compare("a", "b", column="ill", kind="ratio"), 1.5),
        }
        for name, (one, truth) in held.items():
            hits[name] += one.interval[0] <= truth <= one.interval[1]
    sys.stdout.write(f"{dict(hits)} of {draws}\n")
    assert min(hits[name] for name in held) >= least_hits(draws, 0.94)


def test_joint_intervals_are_wider():
    answer = counts(["a"] * 300 + ["b"] * 700, 1)
    one, joint = answer.population(), answer.population(joint=True)
    assert joint["count"]["a"].width > one["count"]["a"].width
    assert "all at once" in str(joint)
    assert one["count"]["a"].coverage == "guaranteed"
    assert one["count"]["b"].interval == inference.proportion(answer, key="b").interval


def test_what_has_no_sampling_model_is_left_out_with_a_reason(tmp_path):
    db = session(tmp_path, np.random.default_rng(1))
    found = db.sql("SELECT ward, AVG(days) AS days, SUM(days) AS total FROM people GROUP BY ward", epsilon=1)
    assert "sampling model" in found.population().refused["total"]
    with pytest.raises(UnprovenClaim, match="Poisson"):
        release_of(st.count(epsilon=1), {"x": [1]}).population()
    picked = db.sql("SELECT ward, COUNT(*) AS n FROM people GROUP BY ward ORDER BY n DESC LIMIT 1", epsilon=1)
    with pytest.raises(UnprovenClaim, match="picked"):
        picked.population()


def test_sums_are_not_taken_for_counts_of_people(tmp_path):
    """A sum of whole numbers looks like a count and is none: its share would have a false guarantee."""
    db = session(tmp_path, np.random.default_rng(1))
    for question in (
        "SELECT ward, SUM(ill) AS n FROM people GROUP BY ward",
        "SELECT ward, SUM(days) AS n FROM people GROUP BY ward",
        "SELECT SUM(days) / (SUM(days) + SUM(cost)) AS n FROM people",
    ):
        with pytest.raises(UnprovenClaim, match=r"sampling model|ratio of sums|counts of people"):
            db.sql(question, epsilon=1).population()
    whole = release_of(st.sum("x", (0, 5), epsilon=1, by=Keys("g", ["a", "b"])), {"x": [3, 4], "g": ["a", "b"]})
    for call in (inference.proportion, inference.population, lambda one: inference.test_fit(one, ["0.5", "0.5"])):
        with pytest.raises(UnprovenClaim):
            call(whole)
    counted = release_of(st.count(epsilon=1, by=Keys("g", ["a", "b"])), {"g": ["a", "b"]})
    stored = type(counted).from_dict(counted.to_dict())
    assert inference.proportion(stored).interval == inference.proportion(counted).interval


def test_sql_says_how_many_rows_of_a_person_count(tmp_path):
    db = session(tmp_path, np.random.default_rng(1), unit="person", contributions=2)
    answer = db.sql("SELECT ward, AVG(days) AS days FROM people GROUP BY ward", epsilon=1)
    assert answer.notes["contributions"] == 2
    found = answer.population()
    assert "up to 2 rows" in found["days"]["a"].remark
    shares = db.sql("SELECT ward, COUNT(*) AS n FROM people GROUP BY ward", epsilon=1)
    with pytest.raises(UnprovenClaim, match="contributions=1"):
        shares.population()
