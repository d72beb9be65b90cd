"""What every frequency oracle can say of itself.

A report *supports* some of the values. The report of a person who holds v supports v with probability p (`own`), and
any other value w with probability q (`other`), the same for all w ≠ v; so with C_w supporting reports among n, the
share (C_w/n − q)/(p − q) is unbiased, with the variance stated below  [WBLJ17, Thm 2].
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Coin
from dalenius.numerics import Number, ball, floor_of, positive, precision, probability

Integers = NDArray[np.int64]
Payloads = NDArray[np.uint8]
"""One report a row, `width` bytes each."""

LARGEST_EPSILON = 30
"""Beyond it a report is as good as the truth, and 2⁻⁶⁴ is too coarse for what is left of the coin."""
_MOST = 1 << 31


@dataclass(frozen=True, slots=True)
class Oracle(ABC):
    """A local randomizer of one value out of `size`, known by the numbers 0, …, size − 1, with its estimator.

    Every chance is a fraction, drawn exactly: `odds`, the largest ratio of two likelihoods of one report, is a fraction
    too, at most e^ε and as near to it as 64 binary digits of a coin allow.
    """

    size: int
    epsilon: Fraction
    coin: Coin = field(init=False, repr=False)

    name: ClassVar[str]
    """What a report's protocol calls it; never reused for another law."""

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 2 <= self.size <= _MOST:
            raise InvalidParameter(f"size must be a whole number from 2 to 2^31, got {self.size!r}")
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        if self.epsilon > LARGEST_EPSILON:
            raise InvalidParameter(f"epsilon must be at most {LARGEST_EPSILON}, got {self.epsilon}")
        self._settle()
        object.__setattr__(self, "coin", Coin(self._numerator()))

    @property
    @abstractmethod
    def odds(self) -> Fraction:
        """The largest ratio of the likelihoods of one report under two values: exact, and at most e^ε."""

    @property
    @abstractmethod
    def own(self) -> Fraction:
        """P[a report supports the value behind it]."""

    @property
    @abstractmethod
    def other(self) -> Fraction:
        """P[a report supports a given other value]."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Bytes of a report's payload, the same for every value."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many counters an aggregator keeps."""

    @abstractmethod
    def randomize(self, value: int, bits: Bits) -> bytes:
        """One report, by a number of steps and random bytes that does not depend on the value."""

    @abstractmethod
    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """Reports of many people at once: the same law, row by row."""

    def permanent(self, value: int, bits: Bits) -> bytes:
        """What a device that answers once keeps: a report, unless the oracle draws rounds of something else."""
        return self.randomize(value, bits)

    def report(self, permanent: bytes, bits: Bits) -> bytes:
        """The report that a kept answer gives: itself, or a new round of it."""
        return permanent

    @abstractmethod
    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which rows a client of this oracle could have sent."""

    @abstractmethod
    def tally(self, payloads: Payloads) -> Integers:
        """The counters' growth by valid reports; tallies of two batches add."""

    @abstractmethod
    def supports(self, tally: Integers) -> Integers:
        """C_v: how many reports support each value."""

    @abstractmethod
    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """P[payload | value], exactly."""

    @abstractmethod
    def outcomes(self) -> Iterator[bytes]:
        """Every payload that a client can send."""

    @abstractmethod
    def _numerator(self) -> int:
        """The coin's numerator: the largest that keeps the odds at most e^ε."""

    def _settle(self) -> None:
        """Choose further parameters before the coin is made; most have none."""
        return

    @property
    def most_supported(self) -> int:
        """How many values one report, forged at will, can support."""
        return self.size

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for each report of a person, nobody trusted  [A Def 4.1]; central for change-one neighbors  [A Rem 4.4]."""
        return PureDP(self.epsilon * reports, Relation.CHANGE_ONE)

    def variance(self, reports: int, share: Number = 0) -> float:
        """Variance of one estimated share f among n reporters: (f p(1−p) + (1−f) q(1−q))/(n(p−q)²)  [WBLJ17, Thm 2]."""
        f, p, q = probability(share, "share"), self.own, self.other
        return float((f * p * (1 - p) + (1 - f) * q * (1 - q)) / (_some(reports) * (p - q) ** 2))

    def population_variance(self, reports: int, share: Number = 0) -> float:
        """The same about the share θ of the population they are drawn from: y(1−y)/(n(p−q)²), y = θp + (1−θ)q.

        With two values that is (e^ε/(e^ε − 1)² + θ(1 − θ))/n  [A Ex 3.2].
        """
        f, p, q = probability(share, "share"), self.own, self.other
        seen = f * p + (1 - f) * q
        return float(seen * (1 - seen) / (_some(reports) * (p - q) ** 2))

    def facts(self) -> dict[str, str | int]:
        """Name and parameters, exactly: what a protocol's tag and clients in other languages are made from."""
        return {
            "oracle": self.name,
            "size": self.size,
            "epsilon": str(self.epsilon),
            "coin": str(self.coin.numerator),
            "width": self.width,
        }


def odds_of(epsilon: Fraction) -> arb:
    """e^ε at the working precision."""
    return ball(epsilon).exp()


def scaled_floor(share: Callable[[], arb]) -> int:
    """⌊2⁶⁴ x⌋ of a number in [0, 1], settled at growing precision; it ends, since x holds e^ε and is no fraction."""
    bits = 192
    while True:
        with precision(bits):
            low, high = floor_of(share() * (1 << 64))
        if low == high:
            return low
        bits *= 2


def _some(reports: int) -> int:
    if isinstance(reports, bool) or not isinstance(reports, int) or reports < 1:
        raise InvalidParameter(f"reports must be a whole number ≥ 1, got {reports!r}")
    return reports
