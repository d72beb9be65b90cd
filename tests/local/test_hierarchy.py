from dataclasses import replace

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import Ranges


@pytest.mark.parametrize(("size", "fanout"), [(64, 4), (50, 4), (7, 2), (3, 4), (100, 3)])
def test_every_range_is_covered_by_nodes_exactly_once(size, fanout):
    protocol = Ranges(size, 1, fanout)
    estimate = protocol.simulate(np.arange(2_000) % size)
    for first in range(0, size, 3):
        for last in range(first, size, 2):
            leaves = [
                leaf
                for level, node in estimate._cover(first, last)
                for leaf in range(node * fanout**level, min((node + 1) * fanout**level, size))
            ]
            assert sorted(leaves) == list(range(first, last + 1))


def test_ranges_and_quantiles_are_estimated_within_their_error():
    values = np.minimum(np.arange(120_000) // 1000, 99)
    estimate = Ranges(128, 2).simulate(values)
    for first, last in ((0, 49), (10, 20), (99, 99), (0, 127)):
        truth = ((values >= first) & (values <= last)).mean()
        assert abs(estimate.share(first, last) - truth) < 7 * estimate.standard_error(first, last)
    assert abs(estimate.quantile(0.5) - 60) <= 6
    with pytest.raises(InvalidParameter):
        estimate.share(5, 128)
    with pytest.raises(UnknownName):
        Ranges(128, 2).client().randomize(128)
    with pytest.raises(InvalidParameter):
        Ranges(128, 2, fanout=1)
    assert Ranges(128, 2).guarantee().epsilon(0) == 2
    assert len({len(Ranges(128, 2).client().randomize(v)) for v in range(0, 128, 5)}) == 1


def test_intervals_of_ranges_and_quantiles_hold_as_often_as_they_say():
    """4000 runs at 90 %: at least 3482 hold but for 1e-9, and at most 3840 do, as the ends really hold in 92.5 %.

    Ends drawn in by a quarter hold in 82 % and ends drawn out in 97.5 %: each of these counts is on its side but for
    1e-9. The quantile's ends hold more often than they say, by Bonferroni over all answers.
    """
    protocol, runs, held, between = Ranges(16, 2, fanout=4), 4000, [0, 0, 0], 0
    rng = np.random.default_rng()
    for run in range(runs):
        estimate = protocol.simulate(rng.integers(0, 16, 1600))
        low, high = estimate.interval(2, 9, 0.9)
        middle, radius = (low + high) / 2, (high - low) / 2
        for place, factor in enumerate((1, 0.75, 1.25)):
            held[place] += abs(middle - 0.5) <= factor * radius
        if run < 200:
            first, last = estimate.quantile_interval(0.5, 0.9)
            between += first <= 7 <= last
    assert 3482 <= held[0] <= 3840
    assert held[1] < 3482
    assert held[2] > 3840
    assert between >= 150
    one_level = estimate.poisoned_by(8, 0, 0)
    n, (p, q) = estimate.nodes[0][0], estimate.chances[0]
    assert one_level == pytest.approx(8 / (n * (p - q)))


def test_both_ends_of_an_interval_are_shares_however_far_below_zero_the_estimate_lies():
    estimate = Ranges(20, 1).simulate(np.full(60, 7))
    for share in (-3.0, 4.0):
        nodes = [(n, np.full_like(shares, share)) for n, shares in estimate.nodes]
        low, high = replace(estimate, nodes=nodes).interval(0, 3)
        assert 0 <= low <= high <= 1
