import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import DaleniusError
from dalenius.learning import KMeans
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.estimators.kmeans import NoisyLloyd, first_centres, nearest
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.tallies import DIGITS, tallied
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, rows
from tests.learning.checks import TRANSFORMER
from tests.learning.unsupervised import parts, reached
from tests.noise.seeded import SeededBits

STEPS = 1 << DIGITS
CENTRES = np.array([[0.5] * FEATURES, [-0.5] * FEATURES, [0.0, 0.9, -0.9, 0.0]])


def plan(relation=Relation.ADD_REMOVE, delta=0):
    return NoisyLloyd(Box.declare((-1, 1), FEATURES), 3, 4, FitBudget.of(1, delta, relation), ())


def sums(made):
    return lambda view: tallied(made.parts(view, CENTRES), 3, 1 + FEATURES)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.theorem("A Ex 3.4")
def test_no_row_reaches_further_than_is_paid_for(relation):
    """Every hostile row, and every pair, in whole numbers; the bound is nearly reached, so half of it would fail."""
    made = plan(relation)
    l1, square = reached(parts(sums(made)), relation is Relation.CHANGE_ONE)
    assert made.reach().l1 * STEPS * 0.99 < l1 <= made.reach().l1 * STEPS
    assert made.reach().square * STEPS**2 * 0.6 < square <= made.reach().square * STEPS**2


def test_a_clip_that_is_skipped_is_caught(monkeypatch):
    monkeypatch.setattr(Box, "scaled", lambda self, features: np.clip(np.nan_to_num(features), -9, 9))
    made = plan()
    assert reached(parts(sums(made)), pairs=False)[0] > made.reach().l1 * STEPS


def test_rows_are_added_one_by_one():
    X, made = rows(), plan()
    whole = sums(made)(Rows(X, np.zeros(len(X))))
    alone = [sums(made)(Rows(X[i : i + 1], np.zeros(1))) for i in range(len(X))]
    assert np.array_equal(whole, sum(alone))


def test_the_nearest_centre_is_that_of_exact_arithmetic():
    rng = np.random.default_rng(1)
    z, centres = rng.uniform(-1, 1, (200, 3)), rng.uniform(-1, 1, (7, 3))
    whole, places = (np.trunc(v * 2**18).astype(int).tolist() for v in (z, centres))
    exact = [
        min(range(7), key=lambda k, row=row: sum((a - b) ** 2 for a, b in zip(row, places[k], strict=True)))
        for row in whole
    ]
    assert nearest(z, centres).tolist() == exact


def test_the_first_centres_do_not_see_the_data(monkeypatch):
    kept = []
    monkeypatch.setattr(
        "dalenius.learning.estimators.kmeans.first_centres", lambda *given: kept.append(given[:2]) or CENTRES
    )
    plan().run(Rows(rows(), np.zeros(len(rows()))), Bits())
    assert kept == [(3, FEATURES)]
    assert np.array_equal(first_centres(5, 2, SeededBits(3)), first_centres(5, 2, SeededBits(3)))
    found = first_centres(9, 2, Bits())
    assert found.shape == (9, 2)
    assert np.abs(found).max() <= 1


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_clusters_are_found(delta):
    """Two clear clusters, 30 fits: all but few find both."""
    rng = np.random.default_rng(0)
    X = np.where(rng.integers(0, 2, 4000)[:, None], 6.0, 2.0) + 0.3 * rng.normal(size=(4000, 2))
    good = 0
    for _ in range(30):
        made = KMeans(2, 1, delta=delta, bounds=(0, 8)).fit(X)
        centres = made.cluster_centers_[np.argsort(made.cluster_centers_[:, 0])]
        good += np.abs(centres - [[2, 2], [6, 6]]).max() < 0.3
        assert made.cluster_sizes_.sum() == pytest.approx(4000, abs=800)
    assert good > 20
    assert set(made.predict(X)) <= {0, 1}
    assert not hasattr(made, "labels_")
    assert made.transform(X).shape == (4000, 2)
    assert made.score(X) < 0
    assert len(made.fit_predict(X)) == 4000


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_hostile_rows_neither_fail_nor_warn(delta, count):
    X = rows()[-count:] if count else np.zeros((0, FEATURES))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        made = KMeans(3, 1, delta=delta, bounds=(-1, 1)).fit(X)
        assert np.abs(made.cluster_centers_).max() <= 1
        assert made.predict(rows()).max() <= 2


@pytest.mark.parametrize(
    "wrong", [{"n_clusters": 0}, {"n_clusters": 2.5}, {"n_steps": True}, {"epsilon": 0}, {"bounds": None}]
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(DaleniusError):
        KMeans(**({"bounds": (-1, 1)} | wrong)).fit(np.ones((4, 2)))


def test_scikit_learn_checks_pass():
    made = KMeans(3, epsilon=1000, bounds=(-10, 10))
    told = check_estimator(made, expected_failed_checks=TRANSFORMER, on_skip=None)
    assert {check["check_name"] for check in told if check["status"] == "xfail"} <= TRANSFORMER.keys()
