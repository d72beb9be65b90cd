"""Reports that are a row of bits, one a value: bit v stands in byte v // 8, the lowest place first."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.oracle import Integers, Payloads
from dalenius.noise import Bits, Coin

_LEFT = 8
"""Rows left on a level when counting stops adding them in threes."""


def width_of(size: int) -> int:
    """Bytes of a row."""
    return -(-size // 8)


def packed(rows: NDArray[np.bool_]) -> Payloads:
    """Rows of booleans as rows of bytes."""
    return np.packbits(rows, axis=1, bitorder="little")


def unpacked(payloads: Payloads, size: int) -> NDArray[np.uint8]:
    """Rows of bytes as rows of zeros and ones."""
    return np.unpackbits(payloads, axis=1, count=size, bitorder="little")


def padding_is_clear(payloads: Payloads, size: int) -> NDArray[np.bool_]:
    """Whether the bits beyond the last value are 0."""
    unused = (0xFF << (size % 8)) & 0xFF if size % 8 else 0
    clear: NDArray[np.bool_] = (payloads[:, -1] & np.uint8(unused)) == 0
    return clear


def column_counts(payloads: Payloads, size: int) -> Integers:
    """How many rows have each bit: rows of one weight are added in threes, a sum and a carry of twice the weight.

    a + b + c = (a ⊕ b ⊕ c) + 2 maj(a, b, c) in every bit: bytes are added as a whole, and only few rows are unpacked.
    """
    total = np.zeros(size, np.int64)
    rows, weight = _wide(payloads), 1
    while len(rows):
        carries = []
        while len(rows) > _LEFT:
            third = len(rows) // 3
            a, b, c = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            either = a ^ b
            carries.append((a & b) | (either & c))
            rows = np.concatenate([either ^ c, rows[3 * third :]])
        total += weight * unpacked(rows.view(np.uint8), size).sum(axis=0, dtype=np.int64)
        rows = np.concatenate(carries) if carries else rows[:0]
        weight *= 2
    return total


def coin_rows(coin: Coin, rows: int, size: int, bits: Bits) -> Payloads:
    """Rows of `size` independent tosses of a coin, as bytes: 64 tosses at a time, a binary digit after the other.

    Each bit of a machine word compares a uniform number of 64 digits with the coin's numerator, from the highest digit
    on; eight digits are drawn for all, and eight more at a time for the words in which some comparison is still open.
    """
    width = width_of(size)
    count = rows * width
    heads, open_ = _compared(coin.numerator >> 56, -(-count // 8), bits)
    at = np.flatnonzero(open_ != 0)
    open_ = open_[at]
    for shift in range(48, -8, -8):
        below, equal = _compared(coin.numerator >> shift & 255, at.size, bits)
        heads[at] |= below & open_
        open_ &= equal
        still = np.flatnonzero(open_ != 0)
        at, open_ = at[still], open_[still]
    out: Payloads = heads.view(np.uint8)[:count].reshape(rows, width)
    if size % 8:
        out[:, -1] &= np.uint8((1 << size % 8) - 1)
    return out


def put_bits(rows: Payloads, places: Integers, values: NDArray[np.bool_]) -> None:
    """Set or clear one bit of every row."""
    people, byte, bit = np.arange(len(rows)), places >> 3, (1 << (places & 7)).astype(np.uint8)
    rows[people, byte] = (rows[people, byte] & ~bit) | (bit * values)


def _compared(digits: int, count: int, bits: Bits) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For 64·count uniform numbers of eight binary digits: which are below `digits`, and which equal it."""
    planes = bits.words(np.uint64, 8 * count).reshape(8, count)
    below, equal = np.zeros(count, np.uint64), np.full(count, ~np.uint64(0))
    for place, plane in enumerate(planes):  # a plane has 1 where a number has the wanted digit, fair either way
        if digits >> (7 - place) & 1:
            before = equal.copy()
            equal &= plane
            below |= before ^ equal
        else:
            equal &= plane
    return below, equal


def all_rows(size: int) -> Iterator[bytes]:
    """Every row of `size` bits."""
    return (number.to_bytes(width_of(size), "little") for number in range(1 << size))


def has_bit(payload: bytes, value: int) -> bool:
    """Whether the bit of a value is set."""
    return bool(payload[value // 8] >> value % 8 & 1)


def _wide(payloads: Payloads) -> NDArray[np.unsignedinteger]:
    rows = np.ascontiguousarray(payloads)
    return rows.view(np.uint64) if rows.shape[1] % 8 == 0 else rows
