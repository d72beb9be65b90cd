import copy

import numpy as np
import pytest
from scipy import stats

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, StaleState, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.synthesis.conjunctions.pmw import multiplicative_weights
from dalenius.synthesis.conjunctions.yes_no import YesNo
from tests.noise.fit import FALSE_ALARM
from tests.synthesis.conjunctions.test_mwem import UNIVERSE, data


def opened(folder, table, plan, budget=100000):
    ledger = Ledger.open(folder / "w.ledger")
    ledger.create("d", epsilon=budget, unit="row")
    return Curator(table, unit="row", ledger=ledger, dataset="d").open(plan), ledger


def test_a_stream_is_answered_for_one_price_and_kept_in_the_ledger(tmp_path):
    run, ledger = opened(tmp_path, data(), multiplicative_weights(UNIVERSE, epsilon=1, updates=20, threshold="0.05"), 1)
    assert ledger.remaining("d").epsilon == 0
    for _ in range(30):
        together = run.count(a=True, b=True)
    assert together == pytest.approx(9000, abs=1500)
    for _ in range(200):
        run.count(c=True, d=False)
    assert run.number == 230
    with pytest.raises(StaleState):
        copy.copy(run)
    run.close()
    with pytest.raises(StaleState):
        run.count(a=True)
    assert "number=230" in repr(run)


def test_the_price_is_exact_and_bad_parameters_are_refused():
    assert multiplicative_weights(UNIVERSE, epsilon="0.3", updates=7).guarantee == PureDP("0.3")
    for given in ({"updates": 0}, {"threshold": 0}, {"threshold": 2}):
        with pytest.raises(InvalidParameter):
            multiplicative_weights(UNIVERSE, epsilon=1, **given)
    with pytest.raises(UnprovenClaim):
        multiplicative_weights(UNIVERSE, epsilon=1, unit=Unit(None, Relation.CHANGE_ONE))


def test_an_audit_end_to_end_finds_no_more_than_is_claimed_and_a_run_with_a_hundredth_of_the_noise_is_caught(tmp_path):
    """One row more or less: whether the run answers above the middle, over fresh runs; ε = 1 against ε = 100."""
    one, size = YesNo.of({"a": (0, 1)}), 250

    def loss(epsilon, folder):
        folder.mkdir()
        plan = multiplicative_weights(one, epsilon=epsilon, updates=1, threshold="0.5")
        above = []
        for rows in (0, 1):
            run, ledger = None, Ledger.open(folder / f"{rows}.ledger")
            ledger.create("d", epsilon=10**6, unit="row")
            curator = Curator({"a": np.ones(rows)}, unit="row", ledger=ledger, dataset="d")
            hits = 0
            for _ in range(size):
                run = curator.open(plan)
                run.count(a=True)
                hits += run.count(a=True) / run.rows > 0.5
            above.append(hits)
        low = stats.beta.ppf(FALSE_ALARM, above[1], size - above[1] + 1)
        high = stats.beta.isf(FALSE_ALARM, above[0] + 1, size - above[0])
        return np.log(max(low, 1e-9) / high)

    assert loss(1, tmp_path / "claimed") <= 1
    assert loss(100, tmp_path / "thin") > 1
