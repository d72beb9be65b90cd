import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import BudgetExceeded, DaleniusError, InvalidParameter, UnboundedQuery, UnknownName, UnprovenClaim
from dalenius.learning import (
    DPSGD,
    PCA,
    HuberRegression,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    from_frame,
    from_sql,
)
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.targets import Span
from dalenius.learning.data.training_data import numbered_people
from dalenius.learning.data.weighted_rows import WeightedRows, shared_out
from dalenius.learning.sums.gradient import GradientSum
from dalenius.learning.sums.losses import ClippedLogistic, ClippedSoftmax
from dalenius.learning.sums.moments import RowMoments
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES, labels, rows

BOX = Box.declare((-1, 1), FEATURES)
RNG = np.random.default_rng(3)


def person(count, seed):
    """Rows of one person: hostile ones, or one of them many times."""
    data = np.tile(rows(seed), (2, 1))[-count:]
    return np.repeat(data[:1], count, axis=0) if seed % 2 else data


@pytest.mark.parametrize("contributions", [1, 3])
@pytest.mark.parametrize("mutant", ["none", "rows counted one by one", "clip forgotten"])
def test_no_person_moves_the_sums_further_than_stated_and_mutants_do(contributions, mutant, monkeypatch):
    """Every person of 1 to 40 hostile rows, and every pair of them, in whole numbers."""
    if mutant == "clip forgotten":
        monkeypatch.setattr(UnitRows, "_lengths", lambda self, fine: np.full(len(fine), self.radius / 2))
    moments = RowMoments(UnitRows(BOX, 12), Span.declare((-5, 5)))
    found = []
    for count in (1, 2, 5, 40):
        for seed in range(4):
            data, counts = person(count, seed), np.array([count])
            weight = shared_out(np.zeros(count, np.int64), counts, contributions)
            if mutant == "rows counted one by one":
                weight = np.ones(count)
            target = np.resize([5.0, -5.0, 1e308, 4.0], count) if seed != 1 else np.full(count, 5.0)
            found.append([int(v) for v in moments.sums(WeightedRows(data, target, weight, "who"))])
    one, two = (moments.sensitivity(relation).square for relation in (Relation.ADD_REMOVE, Relation.CHANGE_ONE))
    longest = max(sum(v * v for v in vector) for vector in found)
    apart = max(sum((u - v) ** 2 for u, v in zip(a, b, strict=True)) for a in found for b in found)
    assert (longest <= one and apart <= two) is (mutant == "none")


@pytest.mark.parametrize("loss", [ClippedLogistic(1.0), ClippedSoftmax(3, 2**0.5)], ids=repr)
def test_no_person_moves_a_gradient_further_than_one_row(loss):
    gradient = GradientSum(UnitRows(BOX, 18), loss)
    bound = gradient.sensitivity(Relation.ADD_REMOVE).square
    weights = np.random.default_rng(0).normal(size=(FEATURES + 1, loss.outputs)) * 3
    for count, whole in ((1, False), (7, False), (30, False), (30, True)):
        steps, target = gradient.rows.steps(person(count, 1)), labels(count)
        share = np.ones(count) if whole else shared_out(np.zeros(count, np.int64), np.array([count]), 1)
        total = gradient.over([(steps, np.zeros(count) if whole else target, share)], weights)
        assert (sum(int(v) ** 2 for v in total) <= bound) is not whole  # counted one by one a person goes further


def test_who_is_who_is_decided_by_each_row():
    people, counts = numbered_people(np.array([1.0, np.nan, 2.0, 1.0, np.inf, 2.0**53, -0.0, 0.0]))
    assert people.tolist() == [1, -1, 2, 1, -1, -1, 0, 0]
    assert counts.tolist() == [2, 2, 1]
    people, counts = numbered_people(
        np.array(["a", None, "b", "a", float("nan"), [1], 2**60, 3, 3.0, np.int64(2**60)], object)
    )
    assert people.tolist() == [0, -1, 1, 0, -1, -1, -1, 2, 2, -1]
    assert counts.tolist() == [2, 1, 2]


def visits(people=4000, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, people)
    who = np.repeat(np.arange(people), counts)
    X = rng.uniform(-1, 1, (len(who), 3))
    score = X @ [1, -2, 0.5]
    return pd.DataFrame(
        {
            "who": who,
            **{name: X[:, k] for k, name in enumerate("abc")},
            "sick": rng.random(len(who)) < 1 / (1 + np.exp(-score)),
            "level": score + 0.3 * rng.normal(size=len(who)),
            "count": rng.poisson(np.exp(score / 2)),
        }
    )


FRAME = visits()
MODELS = {
    "sick": (LogisticRegression(4, classes=[False, True]), LogisticRegression(4, delta=1e-6, classes=[False, True])),
    "level": (LinearRegression(4, target_bounds=(-4, 4)), HuberRegression(4, delta=1e-6, target_bounds=(-4, 4))),
    "count": (PoissonRegression(4, ceiling=10), PoissonRegression(4, delta=1e-6, ceiling=10)),
}


@pytest.mark.parametrize("target", MODELS)
@pytest.mark.parametrize("place", [0, 1])
def test_people_with_many_rows_are_learned_from(target, place):
    """The signs and sizes of (1, −2, ½), or half of that for counts; errors of the noise are below .2."""
    made = MODELS[target][place].set_params(bounds=(-1, 1))
    data = from_frame(FRAME, target=target, unit="who", features=["a", "b", "c"], contributions=3)
    found = np.ravel(made.fit(data).coef_) * (2 if target == "count" else 1)
    assert found == pytest.approx([1, -2, 0.5], abs=0.7)
    assert made.predict(FRAME[["a", "b", "c"]].head()).shape == (5,)
    assert made.guarantee_.target[0] == 4


def test_frames_of_all_kinds_hold_the_same_rows():
    few = FRAME.head(50)
    kinds = (few, pl.from_pandas(few), pa.Table.from_pandas(few, preserve_index=False))
    loaded = [from_frame(kind, target="level", unit="who", features=["a", "b"])._load() for kind in kinds]
    for one in loaded[1:]:
        assert np.array_equal(one.features, loaded[0].features)
        assert np.array_equal(one.weight, loaded[0].weight)
        assert np.array_equal(one.target, loaded[0].target)


def session(tmp_path, **more):
    terms = {"unit": "who", "contributions": 3, "budget": {"epsilon": 5, "delta": 1e-5}, "table": "visits"}
    bounds = {"a": (-1, 1), "b": (-1, 1), "c": (-1, 1), "level": (-4, 4)}
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    return dalenius.connect(table, ledger=tmp_path / "x.ledger", bounds=bounds, **(terms | more))


def test_a_session_s_rows_are_learned_from_and_charged_to_it(tmp_path):
    db = session(tmp_path)
    data = from_sql(db, "SELECT a, b, c, level FROM visits WHERE a < 2")
    assert data.features == ("a", "b", "c")
    assert data.bounds == ((-1, -1, -1), (1, 1, 1))
    assert repr(data) == "TrainingData(private)"
    assert db.budget.epsilon == 5
    made = LinearRegression(4, target_bounds=(-4, 4)).fit(data)
    assert made.coef_ == pytest.approx([1, -2, 0.5], abs=0.5)
    assert db.budget.epsilon == 1
    frame = from_frame(FRAME, target="level", unit="who", features=["a", "b", "c"], contributions=3)._load()
    loaded = data._load()
    assert sorted(loaded.weight.tolist()) == sorted(frame.weight.tolist())
    assert loaded.total == frame.total
    with pytest.raises(BudgetExceeded):
        LinearRegression(4, target_bounds=(-4, 4)).fit(data)


@pytest.mark.parametrize("kind", [LinearRegression, HuberRegression])
def test_bounds_of_the_target_are_the_owner_s_if_the_model_states_none(kind, tmp_path):
    db = session(tmp_path)
    data = from_sql(db, "SELECT a, b, c, level FROM visits")
    assert data.target_bounds == (-4, 4)
    made = kind(2).fit(data)
    far = made.predict(pd.DataFrame(np.array([[1.0, -1.0, 1.0]]) * 1e6, columns=list("abc")))
    assert made._fitted_span == Span.declare((-4, 4))
    assert far[0] <= 4
    assert kind(1, target_bounds=(-5, 5)).fit(data)._fitted_span == Span.declare((-5, 5))
    with pytest.raises(UnboundedQuery, match="target_bounds"):
        kind(1).fit(from_sql(db, "SELECT a, count FROM visits"))
    assert db.budget.epsilon == 2


def test_nothing_is_read_before_the_charge(tmp_path, monkeypatch):
    db = session(tmp_path)
    data = from_sql(db, "SELECT a, level FROM visits")
    monkeypatch.setattr(type(db._engine), "fetch", lambda *_: pytest.fail("data was read"))
    with pytest.raises(BudgetExceeded):
        LinearRegression(6, target_bounds=(-4, 4)).fit(data)
    with pytest.raises(InvalidParameter):
        LogisticRegression(1).fit(data)
    assert db.budget.epsilon == 5


def test_a_ledger_of_people_is_charged_for_people_alone(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("visits", epsilon=10, delta=1e-5, unit="who")
    made = LinearRegression(1, bounds=(-1, 1), target_bounds=(-4, 4), ledger=ledger, dataset="visits")
    made.fit(from_frame(FRAME, target="level", unit="who", features=["a", "b"], contributions=3))
    assert len(ledger.entries("visits")) == 1
    with pytest.raises(DaleniusError, match="protects"):
        made.fit(FRAME[["a", "b"]], FRAME["level"])
    ledger.close()


def test_a_sample_of_people_holds_all_of_their_rows_or_none(monkeypatch):
    seen, real = [], GradientSum.over

    def over(self, parts, weights):
        seen.extend(part[1].tolist() for part in parts)
        return real(self, parts, weights)

    monkeypatch.setattr(GradientSum, "over", over)
    few = pd.DataFrame({"who": np.repeat(np.arange(40), 5), "a": np.zeros(200), "y": np.repeat(np.arange(40), 5)})
    made = DPSGD(1, delta=1e-5, bounds=(-1, 1), classes=list(range(40)), rate=0.3, steps=4)
    made.fit(from_frame(few, target="y", unit="who"))
    for sample in seen:
        assert set(np.bincount(np.array(sample, int), minlength=40)) <= {0, 5}
    assert 0 < len(seen[0]) < 200


def test_what_has_no_rule_is_refused(tmp_path):
    data = from_frame(FRAME, target="level", unit="who", features=["a"])
    with pytest.raises(UnprovenClaim, match="no rule for people"):
        PCA(1, bounds=(-1, 1)).fit(data)
    for wrong in ({"target": "none"}, {"unit": "none"}, {"unit": "level"}, {"features": ["who"]}, {"contributions": 0}):
        with pytest.raises((UnknownName, InvalidParameter)):
            from_frame(FRAME, **({"target": "level", "unit": "who", "features": ["a"]} | wrong))
    made = LinearRegression(1, bounds=(-1, 1), target_bounds=(-4, 4))
    for wrong in ({"y": FRAME["level"]}, {"sample_weight": [1]}):
        with pytest.raises(InvalidParameter):
            made.fit(data, **wrong)
    with pytest.raises(InvalidParameter):
        made.set_params(n_public=5).fit(data)
    with pytest.raises(UnprovenClaim):
        from_sql(object(), "SELECT 1")
    db = session(tmp_path)
    with pytest.raises(UnknownName):
        from_sql(db, "SELECT a, level FROM visits", target="b")
    with pytest.raises(UnprovenClaim, match="from_frame"):
        DPSGD(1, bounds=(-1, 1), classes=[False, True]).fit(from_sql(db, "SELECT a, sick FROM visits"))
    (tmp_path / "b").mkdir()
    other = session(tmp_path / "b", contributions=None)
    with pytest.raises(InvalidParameter, match=r"not declared.*contributions=20"):
        from_sql(other, "SELECT a, level FROM visits")
    assert from_sql(other, "SELECT a, level FROM visits", contributions=2).contributions == 2
    with pytest.raises(InvalidParameter, match="leave curator out"):
        made.set_params(n_public=None, curator=other).fit(from_sql(db, "SELECT a, level FROM visits"))
