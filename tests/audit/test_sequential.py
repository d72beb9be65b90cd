import math

import numpy as np
import pytest

from dalenius.audit import sequential
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP
from tests.audit.corpus.broken import BROKEN
from tests.audit.corpus.sound import SOUND

CASES = {case.name: case for case in (*BROKEN, *SOUND)}


def run(name, seed, **options):
    case = CASES[name]
    return sequential(case.mechanism(seed), case.x, case.x2, claim=options.pop("claim", case.claim), **options)


def test_it_stops_as_soon_as_it_rejects():
    blatant, subtle = run("sticky noise", 0, draws=20_000), run("half the noise", 0, draws=20_000)
    assert blatant.rejects
    assert subtle.rejects
    assert blatant.draws <= 1000
    assert blatant.draws <= subtle.draws < 20_000


def test_a_weaker_claim_takes_more_draws_and_a_true_one_is_kept():
    assert run("half the noise", 1, claim=PureDP("1.7"), draws=60_000).draws > run("half the noise", 1).draws
    kept = run("half the noise", 1, claim=PureDP(2), draws=10_000, alpha=1e-3)
    assert not kept.rejects
    assert kept.draws == 10_000
    assert run("Gaussian of twice the rho", 0, claim=GDP(1), draws=20_000).rejects


def test_false_alarms_at_any_time_are_no_more_than_promised():
    # 30 runs with fixed seeds at α = .1; of a fair level more than 11 has probability 1e-5
    alarms = sum(run("randomized response", seed, draws=1_000, first=200, alpha=0.1).rejects for seed in range(30))
    assert alarms <= 11


@pytest.mark.theorem("A Thm 3.4")
def test_no_bet_gains_on_average_under_the_claim():
    # every pair on the curve of PureDP(1), every line: the expected gain is at most 0
    for q in np.linspace(0, 1, 21):
        p = 1 - PureDP(1).beta(float(q))
        for one, other in ((p, q), (1 - q, 1 - p)):
            assert one - math.e * other <= 1e-12


def test_bad_input_is_named():
    for wrong in ({"first": 5}, {"draws": 100, "first": 100}, {"alpha": 2}):
        with pytest.raises(InvalidParameter):
            sequential(len, [1], [], claim=PureDP(1), **wrong)
