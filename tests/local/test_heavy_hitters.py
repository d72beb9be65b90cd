import itertools
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import HeavyHitters
from dalenius.local.prefix_hashes import SEEDS, public_masks
from dalenius.noise import Bits
from tests.noise.fit import FALSE_ALARM, binomial_p_value


def zipf(exponent, people, distinct):
    rng = np.random.default_rng()
    values = rng.integers(0, 2**48, distinct)
    weights = 1 / np.arange(1, distinct + 1) ** exponent
    return values, values[rng.choice(distinct, people, p=weights / weights.sum())]


def test_the_common_values_are_found():
    values, people = zipf(1.5, 200_000, 10_000)
    estimate = HeavyHitters(3, keep=40).simulate(people)
    found = {value for value, _ in estimate.top(10)}
    assert len(found & set(values[:5].tolist())) == 5
    true = (people == values[0]).mean()
    assert abs(estimate.shares[0] - true) < 0.05
    low, high = estimate.interval(0.95)
    assert low[0] <= true <= high[0]
    assert abs(estimate.measured[0] - true) < 7 * estimate.standard_error
    assert estimate.poisoned_by(10) == pytest.approx(10 * estimate.poisoned_by(1))


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "bar"), [(1, 0.6), (2, 0.9), (4, 0.95)])
def test_precision_at_ten_of_a_million_zipf_values(epsilon, bar):
    hits = []
    for exponent in (1.1, 1.5) * 4:
        values, people = zipf(exponent, 1_000_000, 100_000)
        found = {value for value, _ in HeavyHitters(epsilon).simulate(people).top(10)}
        hits.append(len(found & set(values[:10].tolist())) / 10)
    assert np.mean(hits) >= bar


def test_texts_go_in_and_come_out():
    protocol = HeavyHitters(3, 32, text=True, keep=20)
    estimate = protocol.simulate(["Bern"] * 30_000 + ["Zug"] * 15_000)
    assert [value for value, _ in estimate.top(2)] == ["Bern", "Zug"]
    for bad in ("Zürich", 7, "a\0b", None, "\ud800"):
        with pytest.raises(UnknownName):
            protocol.client().randomize(bad)


def test_the_bucket_is_kept_with_the_stated_chance_and_the_odds_are_below_e_to_the_epsilon():
    protocol, n = HeavyHitters(1, 16), 100_000
    p = protocol.coin.chance
    assert float(p * (protocol.buckets - 1) / (1 - p)) == pytest.approx(np.exp(1), rel=1e-12)
    rows = protocol.randomize_many(np.full(n, 513), Bits())
    shift = np.array([16 - step for step in protocol.steps])[rows[:, 0]]
    seed = rows[:, 1].astype(int) | rows[:, 2].astype(int) << 8
    masks = public_masks(protocol.parities)[seed]
    words = (513 >> shift).astype(np.uint64)
    bucket = sum((np.bitwise_count(words & masks[:, i]) % 2).astype(int) << i for i in range(protocol.parities))
    kept = int((bucket == rows[:, 3]).sum())
    assert binomial_p_value(kept, n, float(p)) > FALSE_ALARM
    assert binomial_p_value(kept, n, 0.75 * float(p)) < FALSE_ALARM
    assert protocol.guarantee().budget == Fraction(1)


def test_shares_of_extensions_are_the_sums_over_hashes():
    protocol = HeavyHitters(1, 8, first=4, step=4)
    tally = protocol.tally(protocol.randomize_many(np.arange(500) % 256, Bits()))
    counts = tally.reshape(2, SEEDS, protocol.buckets)[1]
    prefixes = np.array([3, 9], np.uint64)
    shares = protocol._shares(counts, prefixes, 4)
    masks, n, p, q = public_masks(2), counts.sum(), float(protocol.coin.chance), 0.25
    for (row, prefix), last in itertools.product(enumerate((3, 9)), (0, 7, 15)):
        word = np.uint64(prefix << 4 | last)
        bucket = sum((np.bitwise_count(masks[:, i] & word) % 2).astype(int) << i for i in range(2))
        total = (counts[np.arange(SEEDS), bucket] - counts.sum(axis=1) * q).sum()
        assert shares[row, last] == pytest.approx(total / (n * (p - q)), abs=1e-9)


def test_bad_reports_and_parameters_are_refused():
    protocol = HeavyHitters(1, 16)
    report = protocol.client().randomize(5)
    collected = protocol.aggregator()
    head = report[:9]
    forged = [head + bytes([9, 0, 0, 0, 0]), head + bytes([0, 0, 255, 0, 0]), head + bytes([0, 0, 0, 4, 0])]
    assert collected.add([report, *forged, head + bytes([0, 0, 0, 0, 1])]) == 1
    for bad in ({"bits": 0}, {"bits": 65}, {"keep": 0}, {"bits": 12, "text": True}, {"first": 0}):
        with pytest.raises(InvalidParameter):
            HeavyHitters(1, **bad)
    with pytest.raises(InvalidParameter):
        HeavyHitters(13)
    with pytest.raises(UnknownName):
        protocol.client().randomize(2**16)
    with pytest.raises(UnknownName):
        protocol.client().randomize_many(np.array([2**16]))
