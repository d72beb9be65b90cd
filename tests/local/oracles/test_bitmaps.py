import numpy as np
import pytest

from dalenius.local.oracles.bitmaps import (
    all_rows,
    coin_rows,
    column_counts,
    has_bit,
    packed,
    padding_is_clear,
    put_bits,
    unpacked,
    width_of,
)
from dalenius.noise import Bits, Coin
from tests.noise.fit import FALSE_ALARM, binomial_p_value


@pytest.mark.parametrize("rows", [0, 1, 2, 8, 9, 10, 1000])
@pytest.mark.parametrize("size", [3, 8, 64, 100, 128])
def test_columns_are_counted_as_by_unpacking(rows, size):
    flags = Bits().octets(rows * size).reshape(rows, size) < 77
    assert np.array_equal(column_counts(packed(flags), size), flags.sum(axis=0))
    assert np.array_equal(unpacked(packed(flags), size), flags)


def test_bits_stand_from_the_lowest_place_on():
    row = packed(np.array([[True] + [False] * 8 + [True]]))
    assert bytes(row[0]) == bytes([1, 2])
    assert has_bit(bytes(row[0]), 9)
    assert not has_bit(bytes(row[0]), 8)
    assert width_of(9) == 2


def test_a_bit_beyond_the_last_value_is_seen():
    assert padding_is_clear(np.array([[0b111], [0b1000]], np.uint8), 3).tolist() == [True, False]
    assert padding_is_clear(np.array([[255]], np.uint8), 8).tolist() == [True]


def test_all_rows_are_there():
    assert list(all_rows(2)) == [bytes([n]) for n in range(4)]


class Planes(Bits):
    """Gives each of 256 comparisons its own first eight digits, and the same further digits to all."""

    def __init__(self, numerator, further):
        super().__init__()
        self.numerator, self.further, self.first = numerator, further, True

    def words(self, dtype, size):
        lanes = np.arange(256) if self.first else np.full(8 * size, self.further.pop(0))
        digits = self.numerator >> 56 if self.first else self.numerator >> self.shift & 255
        self.shift = 48 if self.first else self.shift - 8
        self.first = False
        rows = []
        for place in range(7, -1, -1):  # a plane has 1 where the digit is the numerator's
            rows.append(np.packbits((lanes >> place & 1) == (digits >> place & 1), bitorder="little"))
        return np.concatenate(rows).view(np.uint64)


@pytest.mark.parametrize("last", [-1, 0, 1])
def test_tosses_in_rows_compare_all_64_digits_with_the_numerator(last):
    numerator = 0x4321_9876_0F0F_ABCD
    further = list((numerator + last).to_bytes(8, "big")[1:])
    rows = coin_rows(Coin(numerator), 1, 256, Planes(numerator, further))
    heads = unpacked(rows, 256)[0]
    # lane j holds the number with first byte j, and then the digits of the numerator, plus or minus one, or equal
    expected = [j < 0x43 or (j == 0x43 and last < 0) for j in range(256)]
    assert heads.tolist() == expected


@pytest.mark.parametrize("size", [5, 8, 64, 100])
def test_rows_have_the_coins_chance_and_clear_padding(size):
    n = 4_000
    rows = coin_rows(Coin(int(0.27 * 2**64)), n, size, Bits())
    assert rows.shape == (n, width_of(size))
    assert padding_is_clear(rows, size).all()
    ones = int(unpacked(rows, size).sum())
    assert binomial_p_value(ones, n * size, 0.27) > FALSE_ALARM
    assert binomial_p_value(ones, n * size, 0.27 * 0.75) < FALSE_ALARM
    columns = column_counts(rows, size)
    assert all(binomial_p_value(int(count), n, 0.27) > FALSE_ALARM / size for count in columns)


def test_one_bit_of_every_row_is_set_or_cleared():
    rows = np.array([[0b1111, 0], [0, 0b1]], np.uint8)
    put_bits(rows, np.array([2, 8]), np.array([False, False]))
    assert rows.tolist() == [[0b1011, 0], [0, 0]]
    put_bits(rows, np.array([9, 0]), np.array([True, True]))
    assert rows.tolist() == [[0b1011, 0b10], [1, 0]]
