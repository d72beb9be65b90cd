import math

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.errors import InvalidParameter
from dalenius.local import Domain, Frequency, FrequencyEstimate
from dalenius.local.estimate import on_simplex
from dalenius.local.oracles import KAryResponse


def of_counts(epsilon, counts, consistent=False):
    oracle = KAryResponse(len(counts), epsilon)
    return FrequencyEstimate(Domain(len(counts)), oracle, sum(counts), 0, np.array(counts), consistent)


@pytest.mark.parametrize(
    ("epsilon", "share", "low", "high"),
    [
        (1, 0.309572099591, 0.243120367148, 0.377148277995),
        (math.log(3), 0.324, 0.262583028617, 0.386456222925),
    ],
)
def test_the_interval_of_a_yes_rate_is_the_exact_one(epsilon, share, low, high):
    # 412 of 1,000: figures of forty digits, Clopper–Pearson mapped by (y − q)/(p − q)
    estimate = of_counts(epsilon, [412, 588])
    assert estimate[0] == pytest.approx(share, abs=1e-11)
    ends = estimate.interval(0.95)
    assert (ends[0][0], ends[1][0]) == pytest.approx((low, high), abs=1e-11)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.97])
def test_the_interval_holds_a_population_share_by_enumeration(share):
    n, oracle = 60, KAryResponse(2, 1)
    p, q = float(oracle.own), float(oracle.other)
    y = share * p + (1 - share) * q
    covered = 0.0
    for count in range(n + 1):
        low, high = of_counts(1, [count, n - count]).interval(0.9)
        if low[0] <= share <= high[0]:
            covered += binom.pmf(count, n, y)
    assert covered >= 0.9


def test_joint_intervals_are_wider_and_bad_levels_refused():
    estimate = of_counts(1, [400, 300, 300])
    one, all_ = estimate.interval(0.95), estimate.interval(0.95, joint=True)
    assert (all_[0] < one[0]).all()
    assert (all_[1] > one[1]).all()
    for level in (0, 1, 1.5):
        with pytest.raises(InvalidParameter):
            estimate.interval(level)


def test_consistent_shares_are_the_nearest_on_the_simplex():
    shares = on_simplex(np.array([12, -3, 5, 1, -7, 20]) / 25)
    assert (shares * 25).tolist() == pytest.approx([8, 0, 1, 0, 0, 16])
    estimate = of_counts(0.1, [20, 30, 50], consistent=True)
    assert estimate.shares.min() >= 0
    assert estimate.shares.sum() == pytest.approx(1)
    assert np.array_equal(estimate.unbiased, of_counts(0.1, [20, 30, 50]).shares)


@pytest.mark.parametrize("kind", ["k-ary response", "hadamard response", "optimized unary encoding"])
def test_malicious_reports_move_a_share_by_no_more_than_is_stated(kind):
    protocol = Frequency(8, 1, kind)
    honest = protocol.client().randomize_many(np.arange(800) % 8)
    worst = 0.0
    base = protocol.aggregator()
    base.add(honest)
    for payload in protocol.oracle.outcomes():
        forged = protocol.aggregator()
        forged.add(honest.to_bytes()[: -100 * protocol.format.length])
        forged.add([protocol.format.wrap(payload)] * 100)
        worst = max(worst, np.abs(forged.estimate().shares - base.estimate().shares).max())
    stated = base.estimate().poisoned_by(100)
    assert worst <= stated
    assert worst > stated / 4  # and the bound is no idle one
    for bad in (-1, 1.5, True):
        with pytest.raises(InvalidParameter, match="malicious must be"):
            base.estimate().poisoned_by(bad)


def test_an_estimate_reads_like_a_table():
    estimate = of_counts(1, [500, 200, 300])
    assert [value for value, _ in estimate.top(2)] == [0, 2]
    assert len(estimate) == 3
    assert dict(estimate)[0] == estimate[0]
    assert np.allclose(estimate.standard_error**2, estimate.variance)
