"""The interface of noise laws: what every one can say of itself."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.numerics import Number, rational


class Law(Readable, ABC):
    """A distribution, written once: what is sampled, its mass, its tail, its moments.

    For the exact parameters given, the law sampled is the law stated here, with no rounding of either. Numbers that
    come back as floats have a direction: `tail` and `variance` round up, and a `quantile` is proved to suffice.
    """

    __slots__ = ()

    @abstractmethod
    def sample(self, bits: Bits, size: int) -> NDArray[Any]:
        """`size` independent draws."""

    @abstractmethod
    def log_mass(self, value: Number) -> float:
        """The logarithm of P[Z = value] to the nearest float; −inf where the law has no mass."""

    @abstractmethod
    def tail(self, radius: Number) -> float:
        """P[|Z| > radius], rounded up."""

    @abstractmethod
    def quantile(self, p: Number) -> Fraction:
        """The smallest value z for which P[Z ≤ z] ≥ p is proved, for p in (0, 1)."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """E Z to the nearest float."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Var Z, rounded up."""


def checked_size(size: int) -> int:
    """`size`, refused unless it is a whole number ≥ 0."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidParameter(f"size must be a whole number ≥ 0, got {size!r}")
    return int(size)


def inner_probability(p: Number) -> Fraction:
    """`p` as a fraction, refused unless 0 < p < 1."""
    level = rational(p, "p")
    if not 0 < level < 1:
        raise InvalidParameter(f"p must lie in (0, 1), got {p}")
    return level
