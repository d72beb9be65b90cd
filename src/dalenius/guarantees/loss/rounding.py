"""What is assumed of float64, once for the whole engine.

u is the unit roundoff. Arithmetic and square roots round to nearest; numpy's exp, expm1, log, log1p, sin and cos are
within 4 ulp, so within a relative `FUNCTION` = 8u of the truth at the float they are given. A sum of n numbers, in
any order, is within n·u·Σ|x|.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

UNIT = 2.0**-53
FUNCTION = 8 * UNIT
WIDER = 1 + 2.0**-20
"""Covers the roundings of an error bound itself: at most 2^30 of them, each relative."""


BLOCK = 128
"""Long sums are taken block by block, so that few of the roundings meet each number."""


def additions(count: int) -> int:
    """How many roundings a number meets in a sum of `count` numbers that is taken in blocks."""
    return BLOCK + -(-count // BLOCK)


def blocked_sum(numbers: Vector) -> float:
    """Σ, within `additions`·u·Σ|x|."""
    return float(sum(np.sum(numbers[start : start + BLOCK]) for start in range(0, len(numbers), BLOCK)))


class Uncertified(Exception):
    """A proof obligation failed here; another method may still succeed."""
