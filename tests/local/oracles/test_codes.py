from fractions import Fraction

import numpy as np

from dalenius.local.oracles import HadamardResponse, KAryResponse
from dalenius.noise import Bits


def test_codes_go_to_bytes_and_back():
    oracle = KAryResponse(70_000, Fraction(1))
    codes = np.array([0, 1, 255, 256, 69_999])
    assert oracle.width == 4
    assert oracle.from_payloads(oracle.to_payloads(codes)).tolist() == codes.tolist()
    assert bytes(oracle.to_payloads(codes)[3]) == (256).to_bytes(4, "little")


def test_a_code_beyond_the_last_is_not_valid():
    oracle = KAryResponse(5, Fraction(1))
    rows = np.arange(7, dtype=np.uint8)[:, None]
    assert oracle.valid(rows).tolist() == [True] * 5 + [False] * 2


def test_the_random_bytes_of_one_report_do_not_depend_on_the_value():
    class Counting(Bits):
        def __init__(self):
            super().__init__()
            self.drawn = []

        def integer(self, width):
            self.drawn.append(width)
            return super().integer(width)

        def words(self, dtype, size):
            self.drawn.append(size * np.dtype(dtype).itemsize)
            return super().words(dtype, size)

    oracle = HadamardResponse(100, Fraction(1))  # no rejection: its columns are a power of two
    seen = set()
    for value in range(100):
        bits = Counting()
        report = oracle.randomize(value, bits)
        seen.add((len(report), tuple(bits.drawn)))
    assert seen == {(1, (8, 1))}
