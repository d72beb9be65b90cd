import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hadamard

from dalenius.local.oracles import HadamardResponse
from dalenius.local.oracles.hadamard import walsh_hadamard
from dalenius.noise import Bits


def test_the_transform_is_the_matrix():
    vector = np.arange(16) ** 2 - 7
    assert walsh_hadamard(vector).tolist() == (hadamard(16) @ vector).tolist()


@pytest.mark.parametrize(("epsilon", "stated"), [("0.5", 16.671), ("1", 4.683), ("3", 1.221)])
def test_variance_is_the_known_one(epsilon, stated):
    # n·variance of a rare value at d = 1,024: ((e^ε + 1)/(e^ε − 1))²
    e = math.exp(float(epsilon))
    assert HadamardResponse(1024, Fraction(epsilon)).variance(1) == pytest.approx(((e + 1) / (e - 1)) ** 2, rel=1e-12)
    assert HadamardResponse(1024, Fraction(epsilon)).variance(1) == pytest.approx(stated, abs=6e-4)


def test_there_is_a_column_for_every_row_and_one_more():
    assert [HadamardResponse(size, Fraction(1)).codes for size in (2, 3, 4, 1023, 1024)] == [4, 4, 8, 1024, 2048]


def test_words_of_sixteen_bits_and_wide_ones_give_the_same_reports():
    oracle = HadamardResponse(1024, Fraction(1))
    n = 300
    values, columns, keep = np.arange(n), Bits().words(np.uint16, n) & 2047, Bits().octets(n) < 128

    class Replay(Bits):
        def words(self, dtype, size):
            if np.dtype(dtype).itemsize == 2:
                return columns.copy()
            return np.where(keep, 0, 255).astype(np.uint8) if size else super().words(dtype, 0)

    narrow = oracle.from_payloads(oracle.randomize_many(values, Replay()))
    wide = oracle.respond(values, keep, [columns.astype(np.int64)])
    assert narrow.tolist() == wide.tolist()


def test_a_domain_beyond_sixteen_bits_is_counted_right():
    oracle = HadamardResponse(70_000, Fraction(8))
    supports = oracle.supports(oracle.tally(oracle.randomize_many(np.full(2_000, 69_999), Bits())))
    assert supports[69_999] > 1_990
    assert 800 < supports[0] < 1_200
