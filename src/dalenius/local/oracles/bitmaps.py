"""Reports that are a row of bits, one a value: bit v stands in byte v // 8, the lowest place first."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.oracle import Integers, Payloads

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


def all_rows(size: int) -> Iterator[bytes]:
    """Every row of `size` bits."""
    return (number.to_bytes(width_of(size), "little") for number in range(1 << size))


def has_bit(payload: bytes, value: int) -> bool:
    """Whether the bit of a value is set."""
    return bool(payload[value // 8] >> value % 8 & 1)


def _wide(payloads: Payloads) -> NDArray[np.unsignedinteger]:
    rows = np.ascontiguousarray(payloads)
    return rows.view(np.uint64) if rows.shape[1] % 8 == 0 else rows
