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


class Uncertified(Exception):
    """A proof obligation failed here; another method may still succeed."""
