import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import UnprovenClaim
from dalenius.inference import heavy_tailed_mean
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries.moment_bound import MomentBound
from dalenius.statistics import heavy_tailed_mean as plan_of
from dalenius.statistics import mean


def curator_of(tmp_path, data, unit, **facts):
    tmp_path.mkdir(exist_ok=True)
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=10**6, unit=unit)
    return Curator({"x": data}, unit=unit, ledger=ledger, dataset="people", **facts)


def test_the_interval_holds_the_mean_of_the_law_that_the_clamp_moves_most_and_without_the_bias_would_not(tmp_path):
    """A clamp for 10 rows, and 20 000 of them: half of the mean lies beyond it, and nearly nothing is noise.

    Each of 12 misses with probability 5 % at most, so more than 8 with a chance below 1e-9.
    """
    rng, order, n = np.random.default_rng(), 2, 20_000
    far = 2 * float(plan_of("x", order, 1, epsilon=20, rows=10).clamp)
    truth = far ** (1 - order)
    missed = missed_without = 0
    for run in range(12):
        data = np.where(rng.random(n) < far**-order, far, 0.0)
        curator = curator_of(tmp_path / str(run), data, "row")
        release = curator.release(plan_of("x", order, 1, epsilon=20, rows=10, about=curator))
        low, high = heavy_tailed_mean(release).interval
        missed += not low <= truth <= high
        beyond = MomentBound(order, 1).bias(release.notes["moment"]["clamp"])
        missed_without += not low + beyond <= truth <= high - beyond
    assert missed <= 8
    assert missed_without == 12


def test_a_public_number_of_rows_stands_in_for_the_noisy_one(tmp_path):
    unit = Unit.row(Relation.CHANGE_ONE)
    curator = curator_of(tmp_path, np.zeros(500), unit, rows=500)
    told = heavy_tailed_mean(curator.release(plan_of("x", 2, 1, epsilon=1, about=curator)))
    assert told.rows == 500
    assert told.interval[0] < 0 < told.interval[1]


def test_it_says_that_the_moment_was_declared_and_is_narrow_where_rows_are_many(tmp_path):
    rng = np.random.default_rng()
    curator = curator_of(tmp_path, rng.standard_normal(50_000), "row")
    told = heavy_tailed_mean(curator.release(plan_of("x", 4, 3, epsilon=1, about=curator)))
    assert (told.coverage, told.target) == ("guaranteed", "population")
    assert "E|X|^4 ≤ 3, which was declared and cannot be checked" in told.sentence
    assert told.interval[0] < 0 < told.interval[1]  # else with chance far below 5 %: the bounds are loose by a half
    assert told.width < 0.1
    with pytest.raises(UnprovenClaim, match="no moment"):
        heavy_tailed_mean(curator.release(mean("x", (0, 1), epsilon=1, about=curator)))
