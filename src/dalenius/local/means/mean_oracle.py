"""What every local randomizer of a number can say of itself."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.oracles.oracle import LARGEST_EPSILON
from dalenius.noise import Bits
from dalenius.numerics import positive

GRID = 1024
"""Steps from −1 to 1 on which a number is put before it is randomized; how coarse the numbers are is declared."""


@dataclass(frozen=True, slots=True)
class MeanOracle(ABC):
    """A local randomizer of t = 2j/grid − 1 in [−1, 1], j = 0, …, grid, whose decoded report has mean t exactly."""

    epsilon: Fraction
    grid: int = GRID

    name: ClassVar[str]
    """What a report's protocol calls it; never reused for another law."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        if self.epsilon > LARGEST_EPSILON:
            raise InvalidParameter(f"epsilon must be at most {LARGEST_EPSILON}, got {self.epsilon}")
        if isinstance(self.grid, bool) or not isinstance(self.grid, int) or not 1 <= self.grid <= 1 << 20:
            raise InvalidParameter(f"grid must be a whole number from 1 to 2^20, got {self.grid!r}")

    @property
    @abstractmethod
    def width(self) -> int:
        """Bytes of a report's payload, the same for every number."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many counters an aggregator keeps."""

    @abstractmethod
    def randomize(self, step: int, bits: Bits) -> bytes:
        """One report of one number."""

    @abstractmethod
    def randomize_many(self, steps: Integers, bits: Bits) -> Payloads:
        """Reports of many."""

    @abstractmethod
    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads a client could have sent."""

    @abstractmethod
    def tally(self, payloads: Payloads) -> Integers:
        """The counters' growth."""

    @abstractmethod
    def moments(self, tally: Integers) -> tuple[float, float]:
        """Σ of the decoded reports less `offset`, and Σ of their squares."""

    @abstractmethod
    def variance(self, t: float) -> float:
        """Of one decoded report of t."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """The largest |decoded report|; infinite where there is none."""

    @property
    def offset(self) -> float:
        """What is added to the mean of the sums."""
        return 0.0

    @property
    def worst_variance(self) -> float:
        """The largest over t: at an end or in the middle, as the variance is a quadratic in t."""
        return max(self.variance(0.0), self.variance(1.0))

    def facts(self) -> dict[str, str | int]:
        """Name and parameters, exactly."""
        return {"oracle": self.name, "epsilon": str(self.epsilon), "grid": self.grid, "width": self.width}
