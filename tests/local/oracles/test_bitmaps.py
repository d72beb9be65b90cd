import numpy as np
import pytest

from dalenius.local.oracles.bitmaps import (
    all_rows,
    column_counts,
    has_bit,
    packed,
    padding_is_clear,
    unpacked,
    width_of,
)
from dalenius.noise import Bits


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
