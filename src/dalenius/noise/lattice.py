"""Where real values live: multiples of a power of two, added as integers, converted to floats once."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, positive

FINENESS = 20
"""A lattice for noise of a given scale has steps of at most scale / 2²⁰."""
_EXPONENTS = range(-1022, 961)
_CHUNK = 1 << 14  # values worked on at a time, so that they stay in the cache


@dataclass(frozen=True, slots=True)
class Lattice:
    """The multiples of 2^exponent.

    >>> Lattice.under(1)
    Lattice(exponent=-20)
    """

    exponent: int

    def __post_init__(self) -> None:
        if isinstance(self.exponent, bool) or not isinstance(self.exponent, int) or self.exponent not in _EXPONENTS:
            raise InvalidParameter(
                f"a lattice's exponent must be whole, from {_EXPONENTS[0]} to {_EXPONENTS[-1]}, got {self.exponent}"
            )

    @classmethod
    def under(cls, scale: Number) -> "Lattice":
        """The coarsest lattice that is fine enough for noise of this scale: the largest 2^k ≤ scale / 2²⁰."""
        target = positive(scale, "scale") / (1 << FINENESS)
        n, d = target.numerator, target.denominator
        exponent = n.bit_length() - d.bit_length()
        if Fraction(2) ** exponent > target:
            exponent -= 1
        if exponent not in _EXPONENTS:
            raise InvalidParameter(f"scale must lie between 2^-1002 and 2^980, got {scale}: rescale the data")
        return cls(exponent)

    @classmethod
    def for_steps(cls, scale: Number) -> "Lattice":
        """`under`, but never coarser than the integers: a mechanism whose answers are counts in steps needs that.

        Whole numbers taken for steps then move by at most 1 where they are said to move by 1.
        """
        return cls(min(cls.under(scale).exponent, 0))

    @property
    def step(self) -> Fraction:
        """2^exponent."""
        return Fraction(2) ** self.exponent

    def toward_zero(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Each value in steps, rounded toward zero, so that no bound on a value grows.

        Total: NaN counts as 0, the rest saturates at ±2⁶².
        """
        given = np.asarray(values, np.float64)
        steps = np.empty(given.shape, np.int64)
        flat, out = given.reshape(-1), steps.reshape(-1)
        with np.errstate(all="ignore"):  # under np.seterr(all="raise") too: an exception would tell of the values
            for start in range(0, flat.size, _CHUNK):
                out[start : start + _CHUNK] = self._bounded(flat[start : start + _CHUNK])  # which cuts digits off
        return steps

    def _bounded(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        most = 2.0 ** (62 + self.exponent)  # a float, for every exponent allowed
        bounded = np.maximum(values, -most)
        np.minimum(bounded, most, out=bounded)
        bounded *= 2.0**-self.exponent
        bounded[np.isnan(bounded)] = 0.0
        return bounded

    def values(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The floats nearest to steps · 2^exponent: exact up to 2⁵³ steps, and post-processing beyond."""
        # a power of two in the normal range: the conversion to double rounds, the product does not
        return np.multiply(np.asarray(steps, np.int64), 2.0**self.exponent)


INTEGERS = Lattice(0)
