import numpy as np
import pytest
from scipy.stats import binom

from dalenius.curator import Curator, Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.guarantees import GDP
from dalenius.ledger import Ledger
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.statistics import correlation, covariance, matrix_of
from tests.statistics.neighbors import NASTY, measures, neighbors, table
from tests.statistics.releases import many

RNG = np.random.default_rng(3)
X = np.clip(RNG.normal(40, 12, 10_000), 0, 100)
Y = np.clip(X / 2 + RNG.normal(0, 5, 10_000), 0, 60)
Z = RNG.uniform(0, 1, 10_000)
DATA = {"x": X, "y": Y, "z": Z}
BOUNDS = {"x": (0, 100), "y": (0, 60), "z": (0, 1)}
CHANGED = Unit.row(Relation.CHANGE_ONE)
ABOUTS = [Facts.declare(bounds=BOUNDS), Facts.declare(unit=CHANGED, rows=10_000, bounds=BOUNDS)]


@pytest.mark.parametrize("about", ABOUTS)
def test_all_pairs_are_told(about):
    outcome = covariance(["x", "y", "z"], epsilon=1e8, about=about).run(Table.of(DATA), Bits())
    truth = np.cov([X, Y, Z], bias=True)
    told = {item.name: outcome.column(item)[0] for item in outcome.numbers}
    assert len(told) == 6
    for i, a in enumerate("xyz"):
        for j, b in enumerate("xyz"):
            if i <= j:
                assert told[f"covariance({a}, {b})"] == pytest.approx(truth[i, j], abs=1e-3)


@pytest.mark.parametrize("about", ABOUTS)
def test_correlations_are_those_of_numpy(about):
    outcome = correlation(["x", "y", "z"], epsilon=1e8, about=about).run(Table.of(DATA), Bits())
    truth = np.corrcoef([X, Y, Z])
    told = {item.name: outcome.column(item)[0] for item in outcome.numbers}
    assert told["correlation(x, y)"] == pytest.approx(truth[0, 1], abs=1e-4)
    assert told["correlation(y, z)"] == pytest.approx(truth[1, 2], abs=1e-4)


def test_a_release_becomes_a_matrix(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=6, unit="row")
    curator = Curator(DATA, unit="row", ledger=ledger, dataset="people", bounds=BOUNDS)
    release = curator.release(covariance(["x", "y"], epsilon=5, about=curator))
    matrix = matrix_of(release, ["x", "y"])
    assert matrix[0, 1] == matrix[1, 0] == release.value["covariance(x, y)"]
    assert matrix[1, 1] == release.value["covariance(y, y)"]
    three = curator.release(correlation(["x", "y", "z"], epsilon=1, about=curator))
    assert np.diag(matrix_of(three, ["x", "y", "z"], "correlation")).tolist() == [1, 1, 1]


def test_with_a_delta_it_is_charged_as_gaussian_noise(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, delta=1e-5, unit="row")
    curator = Curator(DATA, unit="row", ledger=ledger, dataset="people", bounds=BOUNDS)
    release = curator.release(covariance(["x", "y"], epsilon=0.9, delta=1e-6, about=curator))
    assert isinstance(release.guarantee, GDP)
    assert release.value["covariance(x, y)"] == pytest.approx(np.cov([X, Y], bias=True)[0, 1], abs=50)


@pytest.mark.parametrize("about", ABOUTS)
@pytest.mark.parametrize("make", [covariance, correlation])
def test_the_intervals_hold_as_often_as_they_say(make, about):
    """2 000 releases; each comparison fails by chance with probability below 1e-9."""
    size = 2_000
    outcome = many(make(["x", "y"], epsilon=1, about=about), Table.of(DATA), size)
    truths = np.cov([X, Y], bias=True) if make is covariance else np.corrcoef([X, Y])
    for item in outcome.numbers:
        a, b = ("xy".index(item.name[place]) for place in (-5, -2))  # "covariance(x, y)"
        low, high = np.array(outcome.interval(item, 0.95)).T
        missed = np.count_nonzero((truths[a, b] < low) | (truths[a, b] > high))
        assert missed <= binom.isf(1e-9, size, 0.05)


@pytest.mark.parametrize("relation", list(Relation))
def test_gaussian_noise_follows_the_distance_in_l2(relation):
    """Every neighbor of a nasty table: μ² = ‖x − x'‖₂² / σ² stays within the guarantee, which meets (ε, δ)."""
    unit = Unit.row(relation)
    plan = covariance(["x", "y"], [(-1, 2), (0, 1)], epsilon=1, delta=1e-6, unit=unit)
    (parts,) = measures(plan)
    assert isinstance(parts.mechanism, Gaussian)
    assert parts.metric is Metric.L2
    assert plan.guarantee.epsilon(1e-6) <= 1
    assert plan.guarantee.epsilon(1e-6) > 0.999
    rows = [(2, 1, "a", 1), (-1, 0, "a", 1), (0.5, 0.5, "b", 2)]
    pool = [(x, y, "a", 1) for x in NASTY for y in (0, 1, 0.5)]
    here, worst = parts.query.evaluate(table(rows)), 0.0
    for other in neighbors(rows, pool, unit):
        worst = max(worst, float(((here - parts.query.evaluate(table(other))) / 2.0**30**1).__pow__(2).sum()))
    reach = float(parts.guarantee.square) * float(parts.mechanism.scale / 2**30) ** 2
    assert reach / 1.3 < worst <= reach * (1 + 1e-9)


def test_by_keys_there_is_one_matrix_for_each():
    view = Table.of({"x": [0, 1, 1, 0], "y": [0, 1, 0, 1], "g": ["a", "a", "b", "b"]})
    plan = covariance(["x", "y"], [(0, 1), (0, 1)], epsilon=1e8, by=Keys("g", ["a", "b"]))
    outcome = plan.run(view, Bits())
    told = {item.name: outcome.column(item) for item in outcome.numbers}
    assert told["covariance(x, y)"] == pytest.approx((0.25, -0.25), abs=1e-3)


def test_equal_values_have_no_correlation_and_it_stays_within_one():
    view = Table.of({"x": [1.0] * 10, "y": [0.0] * 10})
    outcome = many(correlation(["x", "y"], [(0, 1), (0, 1)], epsilon=1), view, 500)
    found = np.array(outcome.column(outcome.numbers[0]))
    assert abs(found).max() <= 1


def test_what_it_needs_is_named():
    with pytest.raises(InvalidParameter, match="two columns"):
        correlation(["x"], [(0, 1)], epsilon=1)
    with pytest.raises(InvalidParameter, match="list of names"):
        covariance("xy", [(0, 1)], epsilon=1)
    with pytest.raises(InvalidParameter, match="one pair of bounds"):
        covariance(["x", "y"], [(0, 1)], epsilon=1)
    with pytest.raises(UnboundedQuery, match="'y'"):
        covariance(["x", "y"], {"x": (0, 1)}, epsilon=1)
    with pytest.raises(InvalidParameter, match="two columns of one answer"):
        covariance(["x", "x*x"], [(0, 1), (0, 1)], epsilon=1)
    with pytest.raises(InvalidParameter, match="pure"):
        covariance(["x", "y"], [(0, 1)] * 2, epsilon=1, delta=1e-6, unit="u", contributions="private")


def test_a_correlation_is_told_within_an_interval_that_says_something():
    """Of ten thousand rows at ε = 1 its ends are near together where both variances are surely above 0; else ±1."""
    truth = np.corrcoef(X, Y)[0, 1]
    for about in ABOUTS:
        outcome = correlation(["x", "y"], epsilon=1, about=about).run(Table.of(DATA), Bits())
        (item,) = outcome.numbers
        ((low, high),) = outcome.interval(item, 0.999999)
        assert low <= truth <= high
        assert high - low < 1.2
        precise = correlation(["x", "y"], epsilon=10, about=about).run(Table.of(DATA), Bits())
        ((low, high),) = precise.interval(precise.numbers[0], 0.999999)
        assert low <= truth <= high
        assert high - low < 0.12
    few = Table.of({"x": X[:20], "y": Y[:20]})
    outcome = correlation(["x", "y"], epsilon=1, about=ABOUTS[0]).run(few, Bits())
    assert outcome.interval(outcome.numbers[0], 0.95) == ((-1, 1),)
