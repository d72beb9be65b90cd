import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.oracles import LocalHashing
from dalenius.local.oracles.local_hashing import nearest_order
from dalenius.noise import Bits


@pytest.mark.parametrize(("epsilon", "order"), [("1", 4), ("2", 8), ("4", 53), ("0.01", 2)])
def test_the_number_of_buckets_is_the_prime_power_nearest_to_the_best(epsilon, order):
    assert nearest_order(Fraction(epsilon)) == order  # the best are 4, 8 and 56, the whole numbers next to e^ε + 1


@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_two_values_share_a_bucket_under_one_in_g_hashes(epsilon):
    oracle = LocalHashing(30, Fraction(epsilon))
    hashes = np.arange(oracle.order**oracle.length)
    for v, w in ((0, 1), (3, 17), (28, 29), (0, 29)):
        together = oracle._buckets(hashes, np.array(v)) == oracle._buckets(hashes, np.array(w))
        assert together.sum() * oracle.order == hashes.size


def test_variance_is_that_of_response_over_the_buckets():
    e = math.exp(1)
    p = e / (e + 3)
    stated = 0.25 * 0.75 / (p - 0.25) ** 2
    assert LocalHashing(1024, Fraction(1)).variance(1) == pytest.approx(stated, rel=1e-12)


def test_supports_do_not_depend_on_whether_they_are_cached(monkeypatch):
    oracle = LocalHashing(100, Fraction(1))
    tally = oracle.tally(oracle.randomize_many(np.arange(100), Bits()))
    cached = oracle.supports(tally)
    monkeypatch.setattr("dalenius.local.oracles.local_hashing._CACHED", 0)
    assert np.array_equal(oracle.supports(tally), cached)
    assert oracle.facts()["order"] == 4
