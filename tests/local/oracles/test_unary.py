import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.oracles import OptimizedUnaryEncoding, SymmetricUnaryEncoding
from dalenius.noise import Bits


@pytest.mark.parametrize(("epsilon", "stated"), [("0.5", 15.671), ("1", 3.683), ("3", 0.2206)])
def test_optimized_variance_is_the_known_one(epsilon, stated):
    e = math.exp(float(epsilon))
    ours = OptimizedUnaryEncoding(1024, Fraction(epsilon)).variance(1)
    assert ours == pytest.approx(4 * e / (e - 1) ** 2, rel=1e-12)
    assert ours == pytest.approx(stated, rel=2e-4)


def test_symmetric_variance_is_the_known_one():
    root = math.exp(0.5)
    assert SymmetricUnaryEncoding(1024, Fraction(1)).variance(1) == pytest.approx(root / (root - 1) ** 2, rel=1e-12)


@pytest.mark.parametrize("kind", [SymmetricUnaryEncoding, OptimizedUnaryEncoding])
def test_every_report_takes_the_same_bytes_in_and_out(kind):
    drawn = []

    class Counting(Bits):
        def words(self, dtype, size):
            drawn.append(size * np.dtype(dtype).itemsize)
            return super().words(dtype, size)

    oracle = kind(20, Fraction(1))
    assert {len(oracle.randomize(value, Counting())) for value in range(20)} == {3}
    assert set(drawn) == {160}


def test_bits_beyond_the_last_value_are_rejected():
    oracle = OptimizedUnaryEncoding(20, Fraction(1))
    assert oracle.valid(np.array([[255, 255, 15], [255, 255, 16]], np.uint8)).tolist() == [True, False]
