from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning import (
    DPSGD,
    HuberRegression,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    PrivateSelection,
)
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.noisy_moments import NoisyMoments
from dalenius.learning.plans.searched_bounds import SearchedBounds, sought
from dalenius.ledger import Ledger
from dalenius.mechanisms import Gaussian, Geometric
from dalenius.neighbors import Metric, Relation
from dalenius.noise import Bits
from dalenius.statistics import PrivateBounds
from tests.learning.adversary import FEATURES, rows

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.uniform(0, 100, 20_000), RNG.lognormal(0, 1, 20_000)])
Y = 3 * X[:, 0] - 5 * X[:, 1] + RNG.normal(0, 5, 20_000)


def plan(budget, features=2, span=None, search=None, added=False, box=None):
    def make(box, span, left):
        return NoisyMoments(box, span, left, True, (), 1000)

    return SearchedBounds(budget, (), search or PrivateBounds(), features, box, span, span is None, make, added)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_bounds_found_are_quantiles_up_to_a_bin(delta):
    """A bin is a factor 2^¼, and 5 deviations of noise hide no more than a hundredth of these rows."""
    made = LinearRegression(2, delta=delta, bounds="private", target_bounds="private").fit(X, Y)
    low, high = made.bounds_
    for column in range(2):
        least, most = np.quantile(X[:, column], [0.03, 0.97])
        top = X[:, column].max()
        assert low[column] <= least
        assert most <= high[column] <= top * 2**0.25
    assert made.target_bounds_[0] <= np.quantile(Y, 0.03)
    assert abs(made.coef_[0] - 3) < 0.3
    assert made.guarantee_.sum_form == (2, Fraction(delta).limit_denominator(10**9))
    assert made.predict([[1e9, 0]])[0] <= made.target_bounds_[1]


@pytest.mark.parametrize("relation", Relation)
def test_no_row_moves_the_counts_further_than_stated(relation):
    made = plan(FitBudget.of(1, 0, relation), FEATURES)
    data = rows()
    target = np.where(np.arange(len(data)) % 3 == 0, np.nan, data[:, 0])
    whole = made.counts(Rows(data, target))
    for i in range(len(data)):
        if relation is Relation.ADD_REMOVE:
            other = made.counts(Rows(np.delete(data, i, 0), np.delete(target, i)))
        else:
            changed, told = data.copy(), target.copy()
            changed[i], told[i] = -1e300, 7.0
            other = made.counts(Rows(changed, told))
        gap = (whole - other).ravel()
        assert np.abs(gap).sum() <= made.sensitivity(Metric.L1).value
        assert gap @ gap <= made.sensitivity(Metric.L2).square
    assert whole.sum() <= made.columns * len(data)


def test_a_stated_sensitivity_of_one_column_would_be_seen():
    one, two = plan(FitBudget.of(1, 0, Relation.ADD_REMOVE)), np.ones((1, 2))
    moved = np.abs(one.counts(Rows(two, np.ones(1)))).sum()
    assert moved == 3 > plan(FitBudget.of(1, 0, Relation.ADD_REMOVE), 0).sensitivity(Metric.L1).value


@pytest.mark.parametrize(("delta", "added"), [(0, False), (1e-6, False), (1e-6, True)])
def test_counts_and_fit_add_up_to_the_budget(delta, added, monkeypatch):
    seen = []
    kind = Geometric if added or not delta else Gaussian
    real = kind.release
    monkeypatch.setattr(kind, "release", lambda self, x, bits: (seen.append(self), real(self, x, bits))[1])
    budget = FitBudget.of(1, delta, Relation.ADD_REMOVE)
    made = plan(budget, added=added)
    made.run(Rows(X[:100], Y[:100]), Bits())
    cost = seen[0].guarantee(made.sensitivity(Metric.L1 if kind is Geometric else Metric.L2))
    left = made._left
    if added or not delta:
        assert cost.sum_form[0] + (left.epsilon if added else left.total) <= 1
        assert cost.sum_form[0] > Fraction(19, 100)
    else:
        assert cost.square + left.total <= budget.total
    assert made.guarantee.sum_form == (1, budget.delta)
    assert made.guarantee.delta(1) <= float(budget.delta) * (1 + 1e-12)


def test_edges_belong_to_the_bin_toward_zero():
    made = plan(FitBudget.of(1, 0, Relation.ADD_REMOVE), 1, box=Box.declare((0, 1), 1))
    edges = made.edges
    for value in (1.0, -1.0, 2.0**40, -(2.0**-10), 0.0, 5e-324, np.inf, -np.inf, -1e300):
        (counts,) = made.counts(Rows(np.zeros((1, 1)), np.array([value])))
        (at,) = np.flatnonzero(counts)
        held = min(max(value, -(2.0**40)), 2.0**40)
        assert edges[at] <= held <= edges[at + 1]
        if abs(held) == 1:
            assert max(abs(edges[at]), abs(edges[at + 1])) == 1
    assert made.counts(Rows(np.zeros((1, 1)), np.array([np.nan]))).sum() == 0


def test_noise_alone_finds_nothing_and_any_row_is_taken():
    made = LinearRegression(0.1, bounds="private", target_bounds="private")
    wide = 0
    for _ in range(20):
        made.fit(np.zeros((3, 2)), np.ones(3))
        wide += made.bounds_[1].max() > 1
    assert wide <= 2  # some 10⁻⁴ for each column
    for values in (rows(), np.full((5, FEATURES), np.nan), np.zeros((0, FEATURES)), np.full((4, FEATURES), np.inf)):
        found = made.fit(values, np.full(len(values), np.nan))
        assert np.all(np.isfinite(found.coef_))


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_every_model_can_find_its_bounds(delta):
    wealthy = (Y > 150).astype(int)
    made = LogisticRegression(2, delta=delta, bounds="private", classes=[0, 1]).fit(X, wealthy)
    assert made.score(X, wealthy) > 0.9
    robust = HuberRegression(2, delta=delta, bounds="private", target_bounds="private").fit(X, Y)
    assert robust.score(X, Y) > 0.9
    counts = RNG.poisson(np.exp(X[:, 0] / 50))
    assert PoissonRegression(2, delta=delta, bounds="private", ceiling=20).fit(X, counts).coef_[0] > 0.01
    for found in (made, robust):
        assert found.guarantee_.sum_form[0] == 2


def test_one_may_be_sought_and_the_other_declared():
    made = LinearRegression(2, bounds=(0, [100, 20]), target_bounds="private").fit(X, Y)
    assert made.target_bounds_[1] > 200
    assert not hasattr(made, "bounds_")
    other = LinearRegression(2, bounds=PrivateBounds(share="0.1", most=10), target_bounds=(-50, 350)).fit(X, Y)
    assert other.bounds_[1][0] < 120
    assert not hasattr(other, "target_bounds_")


def test_what_cannot_be_sought_is_refused_before_the_charge(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    for wrong in (
        {"bounds": "secret"},
        {"bounds": PrivateBounds(most=3), "target_bounds": "private"},
        {"bounds": None, "target_bounds": "private"},
    ):
        with pytest.raises((InvalidParameter, UnboundedQuery)):
            LinearRegression(**({"target_bounds": (0, 1)} | wrong), ledger=book, dataset="people").fit(X, Y)
    for made in (DPSGD(bounds="private", classes=[0, 1]), PrivateSelection(bounds="private", target_bounds=(0, 1))):
        with pytest.raises(InvalidParameter):
            made.fit(X, Y)
    assert book.entries("people") == []
    LinearRegression(1, bounds="private", target_bounds="private", ledger=book, dataset="people").fit(X, Y)
    assert book.spent("people").epsilon == 1
    book.close()


def test_a_search_is_asked_for_by_name():
    assert sought("private") == PrivateBounds()
    assert sought((0, 1)) is None
    facts = plan(FitBudget.of(1, 0, Relation.ADD_REMOVE)).facts()
    assert facts["search"] == {"share": "1/5", "least": -10, "most": 40}
    assert facts["sought"] == {"features": True, "target": True}
