import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.audit.certify import EventCounts, at_least, draws_needed, limits, window
from dalenius.audit.claim import Ceiling, ceiling
from dalenius.guarantees import GDP, ApproxDP, PureDP


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.17), (0.48, 0.18), (0.01, 0.0), (1.0, 0.4), (0.3, 0.0002)])
def test_the_tail_is_that_of_two_binomials(p, q):
    counts = EventCounts(240, 500, 85, 400, 2.5)
    j = np.arange(401)
    needed = [math.ceil(240 + 2.5 * (k - 85) - 1e-9) - 1 for k in j]
    expected = float(binom.pmf(j, 400, q) @ binom.sf(needed, 500, p))
    assert counts.tail(p, q) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_limits_are_those_of_clopper_and_pearson():
    low, high = limits(7, 50, 0.05)
    assert binom.sf(6, 50, low) == pytest.approx(0.025)
    assert binom.cdf(7, 50, high) == pytest.approx(0.025)
    assert limits(0, 50, 0.05)[0] == 0
    assert limits(50, 50, 0.05)[1] == 1


@pytest.mark.parametrize("claim", [PureDP(1), ApproxDP("0.5", "0.1"), GDP(1)], ids=repr)
@pytest.mark.parametrize("weight", [0.5, 2.7, 50.0])
@pytest.mark.theorem("A Thm 3.4")
def test_no_pair_on_the_claim_is_rejected_more_often_than_alpha(claim, weight):
    # every outcome of 12 and 12 draws, its exact probability at pairs on the claim's own curve
    n, alpha, shape = 12, 0.1, ceiling(claim)
    rejected = [
        (a, b)
        for a, b in itertools.product(range(n + 1), repeat=2)
        if EventCounts(a, n, b, n, weight).rejects(shape, alpha)
    ]
    assert rejected
    for q in np.linspace(0, 1, 41):
        p = 1 - claim.beta(float(q))
        level = sum(binom.pmf(a, n, p) * binom.pmf(b, n, q) for a, b in rejected)
        assert level <= alpha


def test_a_test_of_twice_the_level_would_be_seen():
    # the mutant: the p-value halved rejects a pair on the claim more often than alpha
    n, alpha, shape, worst = 12, 0.1, ceiling(PureDP(1)), 0.0
    rejected = [
        (a, b)
        for a, b in itertools.product(range(n + 1), repeat=2)
        if EventCounts(a, n, b, n, math.e).p_value(shape, alpha / 20) / 4 <= alpha
    ]
    for q in np.linspace(0, 0.36, 41):
        p = 1 - PureDP(1).beta(float(q))
        worst = max(worst, sum(binom.pmf(a, n, p) * binom.pmf(b, n, q) for a, b in rejected))
    assert worst > alpha


def test_the_bound_is_where_the_test_turns():
    counts = EventCounts(2500, 5000, 825, 5000, math.e)
    epsilon = counts.epsilon(0.0, 0.05)
    assert counts.rejects(Ceiling.of_line(epsilon, 0), 0.05)
    assert not counts.rejects(Ceiling.of_line(epsilon * 1.005 + 0.005, 0), 0.05)
    assert 1.02 < epsilon < math.log(2500 / 825)
    assert counts.epsilon(0.1, 0.05) < epsilon
    assert EventCounts(10, 5000, 10, 5000, 1).epsilon(0.0, 0.05) == 0


def test_joint_limits_prove_more_than_separate_ones():
    counts = EventCounts(2500, 5000, 825, 5000, math.e)
    separate = math.log(limits(2500, 5000, 0.05)[0] / limits(825, 5000, 0.05)[1])
    assert counts.epsilon(0.0, 0.05) > separate + 0.02


def test_as_many_draws_as_needed_are_enough_and_three_quarters_are_not():
    shape = ceiling(PureDP(5))
    needed = draws_needed(shape, 0.05)
    assert EventCounts(needed, needed, 0, needed, 1e6).rejects(shape, 0.05)
    assert not EventCounts(needed * 3 // 4, needed * 3 // 4, 0, needed * 3 // 4, 1e6).rejects(shape, 0.05)
    assert draws_needed(ceiling(ApproxDP(0, 1)), 0.05) is None


def test_windows_hold_all_but_nothing():
    for n, p in [(10, 0.3), (10_000, 0.5), (10_000, 1e-4), (5, 0.0), (5, 1.0)]:
        counts, masses = window(n, p)
        assert masses.sum() == pytest.approx(1, abs=1e-9)
        at = np.array([0.0, counts[0], counts[-1], n, n + 1])
        assert at_least(n, p, at) == pytest.approx(binom.sf(at - 1, n, p), abs=1e-9)
