"""A coin whose chance is exp(−x)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.noise.bits import Bits
from dalenius.noise.finite import FiniteLaw
from dalenius.noise.law import checked_size
from dalenius.noise.pieces import Pieces
from dalenius.numerics import Number, ball, nonnegative, precision


@dataclass(frozen=True, slots=True, init=False)
class BernoulliExp(FiniteLaw):
    """1 with probability exp(−exponent), else 0, for an exponent ≥ 0  [CKS20, Alg 1]."""

    exponent: Fraction

    def __init__(self, exponent: Number) -> None:
        object.__setattr__(self, "exponent", nonnegative(exponent, "exponent"))

    def sample(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws of 0 or 1."""
        pieces = _pieces(self)
        words = bits.words(np.uint16, checked_size(size))
        return pieces.resolve(bits, pieces.cells[words])

    def log_mass(self, value: Number) -> float:
        """−exponent at 1, log(1 − exp(−exponent)) at 0, to the nearest float."""
        if value != 1:
            return super(BernoulliExp, self).log_mass(value)
        with precision(256):
            return float((-ball(self.exponent)).mid())

    def masses(self) -> list[arb]:
        """1 − exp(−x) and exp(−x)."""
        x = ball(self.exponent)
        return [-(-x).expm1(), (-x).exp()]


@lru_cache(maxsize=64)
def _pieces(law: BernoulliExp) -> Pieces:
    return Pieces(law.masses)
