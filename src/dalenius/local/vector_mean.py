"""The mean of a vector, without trusting the collector: each person reports a few coordinates."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.means import CodedMean, Duchi, Piecewise
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.parameters import LEVEL, floats, normal_radius, whole_number
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number, positive, rational


@dataclass(frozen=True, slots=True, eq=False)
class VectorEstimate:
    """The mean of each coordinate with its standard error; a coordinate that nobody reported has none (NaN)."""

    means: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    counts: NDArray[np.int64]
    largest: float
    grid_error: float
    reports: int
    rejected: int

    def interval(
        self, level: Number = LEVEL, *, joint: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Normal ends around each coordinate's mean, for the population's, for many reports of it.

        Parameters
        ----------
        level : the probability with which the interval holds the mean.
        joint : hold all coordinates together with that probability, by Bonferroni.
        """
        radius = normal_radius(level, len(self.means) if joint else 1) * self.standard_errors + self.grid_error
        return self.means - radius, self.means + radius

    def poisoned_by(self, malicious: int) -> NDArray[np.float64]:
        """How far so many forged reports can have moved each mean, all of them about it: 2 k · largest/n_j  [CJG21]."""
        k = np.minimum(whole_number(malicious, "malicious"), self.counts)
        moved: NDArray[np.float64] = 2 * k * self.largest / np.maximum(self.counts, 1)
        return moved


@dataclass(frozen=True, slots=True, init=False)
class VectorMean(Protocol[VectorEstimate]):
    """Clients report s coordinates drawn by a fair die, each with ε/s; s = max(1, min(d, ⌊ε/2.5⌋))  [WXY19, Alg 4].

    The coordinates are drawn whatever the vector is, so the parts compose to ε, and the mean of those who reported a
    coordinate is unbiased for it.
    """

    dimension: int
    lower: Fraction
    upper: Fraction
    epsilon: Fraction
    oracle: CodedMean
    format: Format = field(repr=False, compare=False)

    def __init__(self, dimension: int, lower: Number, upper: Number, epsilon: Number) -> None:
        """Choose the dimension, bounds and ε.

        Parameters
        ----------
        dimension : how many coordinates.
        lower, upper : declared bounds of every coordinate.
        epsilon : what one report costs, all its coordinates together.
        """
        object.__setattr__(self, "dimension", whole_number(dimension, "dimension", 1, 1 << 24))
        object.__setattr__(self, "lower", rational(lower, "lower"))
        object.__setattr__(self, "upper", rational(upper, "upper"))
        if not self.lower < self.upper:
            raise InvalidParameter(f"lower must be below upper, got {lower} and {upper}")
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "oracle", _oracle(self.epsilon / self.sampled))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), 8 * self.sampled))

    @property
    def sampled(self) -> int:
        """How many coordinates one report holds."""
        return _sampled(self.dimension, self.epsilon)

    @property
    def cells(self) -> int:
        """For each coordinate: reports, Σ of codes, Σ of their squares."""
        return 3 * self.dimension

    def guarantee(self, reports: int = 1) -> PureDP:
        """The sampled coordinates at ε/s each compose to ε  [A Thm 3.3, A Def 4.1]."""
        return PureDP(self.epsilon * reports, Relation.CHANGE_ONE)

    def encode(self, value: Any) -> Integers:
        """The vector on the grid."""
        return self._steps(floats(value).reshape(1, -1))

    def randomize(self, encoded: Any, bits: Bits) -> bytes:
        return bytes(self._payloads(encoded, bits)[0])

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """Reports of many people, a row each."""
        return self._payloads(self._steps(np.atleast_2d(floats(values))), bits)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Coordinates that exist, each once, and codes of the oracle."""
        places, codes = self._pairs(payloads)
        ordered = np.sort(places, axis=1)
        once = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        good: NDArray[np.bool_] = (places < self.dimension).all(axis=1) & (codes < self.oracle.codes).all(axis=1) & once
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """Sums by coordinate."""
        places, codes = (pairs.reshape(-1) for pairs in self._pairs(payloads))
        sums = np.zeros((3, self.dimension), np.int64)
        for row, values in zip(sums, (np.ones_like(codes), codes, codes * codes), strict=True):
            np.add.at(row, places, values)
        return sums.reshape(-1)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> VectorEstimate:
        """Means of the decoded codes, which are linear in the code."""
        if options:
            raise InvalidParameter(f"the estimate of a vector takes no options, got {', '.join(options)}")
        n, first, second = tally.reshape(3, -1).astype(np.float64)
        decoded = self.oracle.decoded()
        step = decoded[1] - decoded[0]
        half, middle = float(self.upper - self.lower) / 2, float(self.upper + self.lower) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = first / n
            spread = np.sqrt(np.maximum(second / n - mean**2, 0.0) / n)
        return VectorEstimate(
            middle + half * (decoded[0] + step * mean),
            half * step * spread,
            n.astype(np.int64),
            half * self.oracle.reach,
            half / self.oracle.grid,
            reports,
            rejected,
        )

    def report_variance(self, epsilon: Fraction) -> float:
        """That of the worst coordinate, which s of d coordinates of a report are about."""
        s, half = _sampled(self.dimension, epsilon), float(self.upper - self.lower) / 2
        return self.dimension / s * half**2 * _oracle(epsilon / s).worst_variance

    def facts(self) -> dict[str, Any]:
        """Dimension, bounds and the oracle's facts."""
        bounds = {"lower": str(self.lower), "upper": str(self.upper), "total": str(self.epsilon)}
        return {"protocol": "vector mean", "dimension": self.dimension} | bounds | self.oracle.facts()

    def _steps(self, values: NDArray[np.float64]) -> Integers:
        low, high = float(self.lower), float(self.upper)
        if values.shape[1] != self.dimension:
            raise InvalidParameter(f"a vector must have {self.dimension} coordinates, got {values.shape[1]}")
        if not np.all((values >= low) & (values <= high)):
            raise UnknownName("a coordinate is outside of the protocol's bounds, or none: clamp it first")
        return np.rint((values - low) / (high - low) * self.oracle.grid).astype(np.int64)

    def _payloads(self, steps: Integers, bits: Bits) -> Payloads:
        people, s = np.arange(len(steps)), self.sampled
        places = np.empty((len(steps), s), np.int64)
        for i in range(s):  # the i-th of the coordinates that are left, counted past those taken
            place = UniformInteger(self.dimension - i).sample(bits, len(steps))
            for taken in np.sort(places[:, :i], axis=1).T:
                place += place >= taken
            places[:, i] = place
        out = np.empty((len(steps), s, 8), np.uint8)
        for i in range(s):
            out[:, i, :4] = places[:, i].astype("<u4").view(np.uint8).reshape(-1, 4)
            out[:, i, 4:] = self.oracle.randomize_many(steps[people, places[:, i]], bits)
        return out.reshape(len(steps), -1)

    def _pairs(self, payloads: Payloads) -> tuple[Integers, Integers]:
        pairs = np.ascontiguousarray(payloads).view("<u4").reshape(len(payloads), self.sampled, 2).astype(np.int64)
        return pairs[:, :, 0], pairs[:, :, 1]


def _sampled(dimension: int, epsilon: Fraction) -> int:
    return max(1, min(dimension, math.floor(epsilon / Fraction(5, 2))))


def _oracle(share: Fraction) -> CodedMean:
    kinds: tuple[CodedMean, ...] = (Duchi(share), Piecewise(share))
    return min(kinds, key=lambda oracle: oracle.worst_variance)
