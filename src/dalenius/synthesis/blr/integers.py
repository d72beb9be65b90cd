"""Exact draws by whole weights of any size."""

from collections.abc import Sequence
from itertools import accumulate

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits


def below(count: int, bits: Bits) -> int:
    """A uniform integer from 0 to count − 1: as many bits as count − 1 has, drawn again while they are too large.

    >>> below(1, Bits())
    0
    """
    if count < 1:
        raise InvalidParameter(f"count must be ≥ 1, got {count}")
    need = (count - 1).bit_length()
    width = (need + 7) // 8
    while True:
        drawn = bits.integer(width) >> (8 * width - need)
        if drawn < count:
            return drawn


def weighted(weights: Sequence[int], bits: Bits) -> int:
    """A place i with probability weights[i] / Σ weights, exactly."""
    sums = list(accumulate(weights))
    at = below(sums[-1], bits)
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at < sums[middle] else (middle + 1, high)
    return low
