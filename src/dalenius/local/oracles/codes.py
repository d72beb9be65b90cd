"""Oracles whose report is one whole number."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.oracle import Integers, Oracle, Payloads
from dalenius.noise import Bits, UniformInteger

_WORDS = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}


@dataclass(frozen=True, slots=True)
class CodeOracle(Oracle):
    """A report is a number 0, …, codes − 1: a coin and a few uniform numbers go in, `respond` makes the code of them.

    `respond` is a function: its law over all coins and numbers can be added up exactly, and the tests do.
    """

    @property
    @abstractmethod
    def codes(self) -> int:
        """How many codes there are."""

    @property
    @abstractmethod
    def uniforms(self) -> tuple[int, ...]:
        """How many values each of the uniform numbers has."""

    @abstractmethod
    def respond(self, values: Integers, keep: NDArray[np.bool_], draws: Sequence[Integers]) -> Integers:
        """The codes that values, coins and uniform numbers give."""

    @property
    def width(self) -> int:
        """The bytes of a machine word that holds the largest code."""
        return next(width for width in _WORDS if self.codes <= 1 << 8 * width)

    @property
    def cells(self) -> int:
        """One for each code."""
        return self.codes

    def randomize(self, value: int, bits: Bits) -> bytes:
        """The code of one person, by one coin and one draw of each uniform number, whatever they turn out to be."""
        keep = np.array([self.coin.toss(bits)])
        draws = [UniformInteger(count).sample(bits, 1) for count in self.uniforms]
        return int(self.respond(np.array([value], np.int64), keep, draws)[0]).to_bytes(self.width, "little")

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """The codes of many."""
        keep = self.coin.flags(bits, values.size)
        draws = [UniformInteger(count).sample(bits, values.size) for count in self.uniforms]
        return self.to_payloads(self.respond(values, keep, draws))

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A code below `codes`."""
        good: NDArray[np.bool_] = self.from_payloads(payloads) < self.codes
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """How often each code came."""
        return np.bincount(self.from_payloads(payloads), minlength=self.codes).astype(np.int64)

    def outcomes(self) -> Iterator[bytes]:
        return (code.to_bytes(self.width, "little") for code in range(self.codes))

    def to_payloads(self, codes: NDArray[np.integer]) -> Payloads:
        """Codes as rows of bytes, the lowest first."""
        return codes.astype(_WORDS[self.width], copy=False).view(np.uint8).reshape(codes.size, self.width)

    def from_payloads(self, payloads: Payloads) -> NDArray[np.unsignedinteger]:
        """Rows of bytes as codes."""
        return np.ascontiguousarray(payloads).view(_WORDS[self.width]).reshape(-1)
