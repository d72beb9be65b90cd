import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import UnprovenClaim
from tests.inference.releases import counts, generator, least_hits, release_of

QUESTION = "SELECT ward, AVG(ill) AS ill, AVG(days) AS days FROM people GROUP BY ward"


def people(rng, n=600):
    """Skewed people: days in hospital are lognormal, held at 30."""
    ward = rng.choice(["a", "b"], n, p=[0.4, 0.6])
    return {
        "person": np.arange(n),
        "ward": ward,
        "ill": (rng.random(n) < np.where(ward == "a", 0.3, 0.2)).astype(float),
        "days": rng.lognormal(1.0, 0.9, n),
    }


def session(tmp_path, rng, **terms):
    given = {"unit": "row", **terms}
    return dalenius.connect(
        pa.table(people(rng)),
        table="people",
        ledger=tmp_path / f"{given['unit']}{len(list(tmp_path.iterdir()))}.ledger",
        budget={"epsilon": 100},
        bounds={"days": (0, 30), "ill": (0, 1)},
        keys={"ward": ["a", "b"]},
        **given,
    )


def clamped_days():
    x = np.minimum(np.random.default_rng(0).lognormal(1.0, 0.9, 2_000_000), 30)
    return float(x.mean())


@pytest.mark.parametrize("draws", [6, pytest.param(1000, marks=pytest.mark.long)])
def test_a_whole_answer_holds_what_it_is_about(tmp_path, draws):
    """Skewed people drawn anew each time: shares, means, their difference and ratio, each at 94 % or more."""
    rng, days = generator(), clamped_days()
    hits = dict.fromkeys(("share", "ill", "days", "difference", "ratio"), 0)
    for _ in range(draws):
        db = session(tmp_path, rng)
        answer = db.sql(QUESTION, epsilon=2)
        found = answer.population(0.95)
        shares = db.sql("SELECT ward, COUNT(*) AS n FROM people GROUP BY ward", epsilon=1).population()["n"]
        held = {
            "share": (shares["a"], 0.4),
            "ill": (found["ill"]["a"], 0.3),
            "days": (found["days"]["b"], days),
            "difference": (answer.compare("a", "b", column="ill"), 0.1),
            "ratio": (answer.compare("a", "b", column="ill", kind="ratio"), 1.5),
        }
        for name, (one, truth) in held.items():
            hits[name] += one.interval[0] <= truth <= one.interval[1]
    assert min(hits.values()) >= least_hits(draws, 0.94)


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


def test_sql_says_how_many_rows_of_a_person_count(tmp_path):
    db = session(tmp_path, np.random.default_rng(1), unit="person", contributions=2)
    answer = db.sql("SELECT ward, AVG(days) AS days FROM people GROUP BY ward", epsilon=1)
    assert answer.notes["contributions"] == 2
    found = answer.population()
    assert "up to 2 rows" in found["days"]["a"].remark
    shares = db.sql("SELECT ward, COUNT(*) AS n FROM people GROUP BY ward", epsilon=1)
    with pytest.raises(UnprovenClaim, match="contributions=1"):
        shares.population()
