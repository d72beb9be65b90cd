import math

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.audit import one_run
from dalenius.audit.one_run import certified_epsilon, p_value
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import GDP, ApproxDP, PureDP
from tests.noise.seeded import SeededBits

CANARIES = list(range(600))


def response(epsilon, seed=0):
    """Trains by keeping, for each canary, a bit that tells whether it is in with chance e^ε/(1 + e^ε)."""
    rng = np.random.default_rng(seed)

    def train(inside):
        members = set(inside)
        stay = rng.random(len(CANARIES)) < 1 / (1 + math.exp(-epsilon))
        told = {canary: float((canary in members) == keep) for canary, keep in zip(CANARIES, stay, strict=True)}
        return told.__getitem__

    return train


def test_a_run_that_keeps_its_claim_passes_and_one_that_does_not_fails():
    assert not one_run(response(1), CANARIES, claim=PureDP(1), alpha=1e-9, bits=SeededBits(1)).rejects
    broken = one_run(response(3), CANARIES, claim=PureDP(1), bits=SeededBits(1))
    assert broken.rejects
    assert 1.5 < broken.epsilon < 3.6
    assert one_run(response(6), CANARIES, claim=ApproxDP(2, 1e-5), bits=SeededBits(1)).rejects
    assert one_run(response(8), CANARIES, claim=GDP("0.3"), bits=SeededBits(1)).rejects


def test_the_p_value_without_delta_is_a_binomial_tail():
    assert p_value(100, 60, 50, math.log(3), 0) == pytest.approx(float(binom.sf(49, 60, 0.75)), rel=1e-9)
    # with δ: 2mδ · max over i of P[v > B ≥ v − i]/i is added
    steps = [sum(binom.pmf(50 - j, 60, 0.75) for j in range(1, i + 1)) / i for i in range(1, 51)]
    expected = float(binom.sf(49, 60, 0.75)) + 2 * 100 * 1e-3 * max(steps)
    assert p_value(100, 60, 50, math.log(3), 1e-3) == pytest.approx(expected, rel=1e-9)


def test_the_certified_epsilon_is_where_the_test_turns():
    epsilon = certified_epsilon(100, 60, 58, 0.0, 0.05)
    assert p_value(100, 60, 58, epsilon, 0.0) <= 0.05 < p_value(100, 60, 58, epsilon + 1e-3, 0.0)
    assert certified_epsilon(100, 60, 30, 0.0, 0.05) == 0


def test_bad_input_is_named():
    with pytest.raises(InvalidParameter, match="canaries"):
        one_run(response(1), [1, 2], claim=PureDP(1))
    with pytest.raises(AuditFailed, match="NaN"):
        one_run(lambda inside: lambda canary: math.nan, CANARIES, claim=PureDP(1))


def gaussian(mu, seed):
    """Trains by publishing each canary's bit with Gaussian noise: μ-GDP exactly."""
    rng = np.random.default_rng(seed)

    def train(inside):
        members = set(inside)
        noise = rng.normal(0, 1 / mu, len(CANARIES)).tolist()
        told = {canary: (canary in members) + z for canary, z in zip(CANARIES, noise, strict=True)}
        return told.__getitem__

    return train


def test_a_trade_off_claim_is_tested_on_its_own_curve():
    # 1-GDP read as (ε, δ) allows nearly every guess; on its curve the claim of a third of the truth falls
    broken = one_run(gaussian(1.5, 1), CANARIES, claim=GDP("0.5"), guesses=200, bits=SeededBits(1))
    epsilon, delta = GDP("0.5").epsilon(broken.delta), broken.delta
    assert broken.rejects
    assert p_value(600, 200, broken.correct, epsilon, delta) > broken.p_value


def test_runs_that_keep_their_curve_are_hardly_ever_rejected():
    # 30 runs at α = .05: a valid test rejects more than 9 with probability below 1e-5; this one is conservative
    runs = [
        one_run(gaussian(1, seed), CANARIES, claim=GDP(1), guesses=100, bits=SeededBits(seed)) for seed in range(30)
    ]
    assert sum(run.rejects for run in runs) <= 9
    tight = [
        one_run(response(1, seed), CANARIES, claim=PureDP(1), guesses=100, bits=SeededBits(seed)) for seed in range(30)
    ]
    assert sum(run.rejects for run in tight) <= 9
