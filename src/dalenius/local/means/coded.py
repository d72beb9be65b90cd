"""Randomizers of a number whose report is one of finitely many codes."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.local.means.mean_oracle import MeanOracle
from dalenius.local.oracles import Integers, Payloads
from dalenius.noise import Bits, UniformInteger


@dataclass(frozen=True, slots=True)
class CodedMean(MeanOracle):
    """A report is a code 0, …, codes − 1, made by `respond` of words and uniform numbers: tests enumerate it."""

    @property
    @abstractmethod
    def codes(self) -> int:
        """How many codes there are."""

    @property
    @abstractmethod
    def words(self) -> int:
        """How many words of 64 bits go in."""

    @property
    @abstractmethod
    def uniforms(self) -> tuple[int, ...]:
        """How many values each of the uniform numbers has."""

    @abstractmethod
    def respond(self, steps: Integers, words: Sequence[NDArray[np.uint64]], draws: Sequence[Integers]) -> Integers:
        """The codes that numbers, words and uniform numbers give."""

    @abstractmethod
    def likelihood(self, code: int, step: int) -> Fraction:
        """P[code | step], exactly."""

    @abstractmethod
    def decoded(self) -> NDArray[np.float64]:
        """The number that each code stands for: unbiased."""

    @property
    def width(self) -> int:
        """Four bytes."""
        return 4

    @property
    def cells(self) -> int:
        """One for each code."""
        return self.codes

    @property
    def reach(self) -> float:
        """The largest decoded code."""
        return float(np.abs(self.decoded()).max())

    def randomize(self, step: int, bits: Bits) -> bytes:
        """One code, from as many random words whatever the number."""
        words = [bits.words(np.uint64, 1) for _ in range(self.words)]
        draws = [UniformInteger(count).sample(bits, 1) for count in self.uniforms]
        return int(self.respond(np.array([step]), words, draws)[0]).to_bytes(4, "little")

    def randomize_many(self, steps: Integers, bits: Bits) -> Payloads:
        """The codes of many."""
        words = [bits.words(np.uint64, steps.size) for _ in range(self.words)]
        draws = [UniformInteger(count).sample(bits, steps.size) for count in self.uniforms]
        return self.respond(steps, words, draws).astype("<u4").view(np.uint8).reshape(steps.size, 4)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A code below `codes`."""
        good: NDArray[np.bool_] = np.ascontiguousarray(payloads).view("<u4").reshape(-1) < self.codes
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """How often each code came."""
        codes = np.ascontiguousarray(payloads).view("<u4").reshape(-1)
        return np.bincount(codes, minlength=self.codes).astype(np.int64)

    def moments(self, tally: Integers) -> tuple[float, float]:
        """Sums over the codes."""
        values = self.decoded()
        return float((tally * values).sum()), float((tally * values**2).sum())
