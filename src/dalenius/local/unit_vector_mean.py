"""The mean of vectors in a ball, without trusting the collector: a direction near the vector's, out of public ones."""

import hashlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.oracles.oracle import odds_of, scaled_floor
from dalenius.local.parameters import floats, whole_number
from dalenius.local.protocol import Protocol
from dalenius.local.vector_mean import VectorEstimate
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Coin, UniformInteger
from dalenius.numerics import Number, positive

NORMS = 1 << 16
"""Steps of a vector's length, from 0 to the radius."""
SCALE = 1 << 10
"""A codeword's coordinates are whole numbers of 1/1024."""
_MOST_EPSILON = 8


@dataclass(frozen=True, slots=True, init=False)
class UnitVectorMean(Protocol[VectorEstimate]):
    """One of M public normal vectors, among the k nearest to the direction with probability P  [BDF18, AFT22].

    Which vectors they are follows from a number that the client draws, and the report holds it; so all of the server's
    work is to look one up. Whatever the vector, k codes have P/k each and M − k have (1 − P)/(M − k): the report is
    ε-DP exactly, and which codes are nearest is decided by floats that privacy does not hang on. Normal vectors
    are the same from all sides, so the reported one has mean s times the direction, s = m(P − (1 − P)k/(M − k)) with m
    the expected mean of the k largest of M normal numbers. A shorter vector sends its direction or the opposite, by a
    coin that has its length as mean.

    >>> UnitVectorMean(3, epsilon=2).client().randomize([0.6, 0.8, 0.0]) != b""
    True
    """

    dimension: int
    radius: Fraction
    epsilon: Fraction
    codes: int
    near: int
    coin: Coin = field(repr=False)
    format: Format = field(repr=False, compare=False)

    def __init__(self, dimension: int, epsilon: Number, radius: Number = 1, codes: int | None = None) -> None:
        """Choose the dimension, ε and the largest length.

        Parameters
        ----------
        dimension : how many coordinates.
        epsilon : what one report costs; at most 8.
        radius : the largest Euclidean length of a vector.
        codes : how many public vectors a client chooses from; more cost it time and gain little.
        """
        object.__setattr__(self, "dimension", whole_number(dimension, "dimension", 1, 1 << 16))
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "radius", positive(radius, "radius"))
        if self.epsilon > _MOST_EPSILON:
            raise InvalidParameter(f"epsilon must be at most {_MOST_EPSILON} for vectors in a ball, got {epsilon}")
        chosen = _enough_codes(self.epsilon) if codes is None else whole_number(codes, "codes", 2, 1 << 16)
        object.__setattr__(self, "codes", chosen)
        object.__setattr__(self, "near", _best_cap(self.epsilon, chosen))
        k, rest = self.near, chosen - self.near
        numerator = scaled_floor(lambda: odds_of(self.epsilon) * k / (odds_of(self.epsilon) * k + rest))
        object.__setattr__(self, "coin", Coin(numerator))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), 10))

    @property
    def cells(self) -> int:
        """For each coordinate Σ of codewords and Σ of their squares."""
        return 2 * self.dimension

    @property
    def slope(self) -> float:
        """s: the mean of a reported vector along the direction behind it."""
        P, k = float(self.coin.chance), self.near
        return mean_of_largest(self.codes, k) * (P - (1 - P) * k / (self.codes - k))

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε: given the public vectors, k codes have P/k and the others (1 − P)/(M − k)  [A Def 4.1]."""
        return PureDP(self.epsilon * reports, Relation.CHANGE_ONE)

    def encode(self, value: Any) -> tuple[NDArray[np.float64], int]:
        """The direction, and the length in steps."""
        return self._directed(floats(value).reshape(1, -1))[0]

    def randomize(self, encoded: Any, bits: Bits) -> bytes:
        """One report: the number of the public vectors, and a code."""
        direction, length = encoded
        number = bits.integer(8)
        forward = int(UniformInteger(2 * NORMS).sample(bits, 1)[0]) < NORMS + length
        keep = self.coin.toss(bits)
        inside = int(UniformInteger(self.near).sample(bits, 1)[0])
        outside = int(UniformInteger(self.codes - self.near).sample(bits, 1)[0])
        scores = codebook(number, self.codes, self.dimension) @ (direction if forward else -direction)
        order = np.argsort(-scores, kind="stable")
        code = int(order[inside if keep else self.near + outside])
        return number.to_bytes(8, "little") + code.to_bytes(2, "little")

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """Reports of many people, a row each."""
        encoded = self._directed(np.atleast_2d(floats(values)))
        reports = b"".join(self.randomize(one, bits) for one in encoded)
        return np.frombuffer(reports, np.uint8).reshape(-1, 10)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A code that exists."""
        good: NDArray[np.bool_] = _codes_of(payloads) < self.codes
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """Sums of the reported vectors and of their squares, in whole numbers."""
        sums = np.zeros((2, self.dimension), np.int64)
        for row, code in zip(payloads, _codes_of(payloads).tolist(), strict=True):
            word = _codeword(bytes(row[:8]), code, self.dimension).astype(np.int64)
            sums += (word, word * word)
        return sums.reshape(-1)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> VectorEstimate:
        """The mean of the reported vectors over s."""
        if options:
            raise InvalidParameter(f"the estimate of a vector takes no options, got {', '.join(options)}")
        first, second = tally.reshape(2, -1) / reports
        unit = float(self.radius) / (self.slope * SCALE)
        spread = np.sqrt(np.maximum(second - first**2, 0.0) / reports)
        counts = np.full(self.dimension, reports, np.int64)
        largest = unit * int(normal_table()[-1])
        return VectorEstimate(
            unit * first, unit * spread, counts, largest, float(self.radius) / NORMS, reports, rejected
        )

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a coordinate: a codeword's coordinate has variance about 1."""
        other = UnitVectorMean(self.dimension, min(epsilon, Fraction(_MOST_EPSILON)), self.radius)
        return (float(self.radius) / other.slope) ** 2

    def facts(self) -> dict[str, Any]:
        return {
            "protocol": "unit vector mean", "dimension": self.dimension, "epsilon": str(self.epsilon),
            "radius": str(self.radius), "codes": self.codes, "near": self.near, "coin": str(self.coin.numerator),
        }  # fmt: skip

    def _directed(self, values: NDArray[np.float64]) -> list[tuple[NDArray[np.float64], int]]:
        if values.shape[1] != self.dimension:
            raise InvalidParameter(f"a vector must have {self.dimension} coordinates, got {values.shape[1]}")
        lengths = np.sqrt((values**2).sum(axis=1))
        if not np.all(lengths <= float(self.radius) * (1 + 1e-9)):
            raise UnknownName("a vector is longer than the protocol's radius, or none: scale it first")
        steps = np.minimum(np.rint(lengths / float(self.radius) * NORMS), NORMS).astype(np.int64)
        directions = values / np.where(lengths > 0, lengths, 1.0)[:, None]
        return list(zip(directions, steps.tolist(), strict=True))


def codebook(number: int, codes: int, dimension: int) -> NDArray[np.float64]:
    """The public vectors of a number, a row each, in whole numbers of 1/1024."""
    seed = number.to_bytes(8, "little")
    words = b"".join(_words(seed, code, dimension) for code in range(codes))
    vectors: NDArray[np.float64] = normal_table()[np.frombuffer(words, "<u2")].reshape(codes, dimension).astype(float)
    return vectors


@lru_cache(maxsize=1)
def normal_table() -> NDArray[np.int16]:
    """1024 Φ⁻¹((w + ½)/2¹⁶) for every word w of 16 bits, rounded; odd around its middle."""
    from scipy.special import ndtri

    upper_half = np.rint(SCALE * ndtri((np.arange(1 << 15, 1 << 16) + 0.5) / (1 << 16))).astype(np.int16)
    return np.concatenate([-upper_half[::-1], upper_half])


@lru_cache(maxsize=64)
def mean_of_largest(codes: int, near: int) -> float:
    """The expected mean of the k largest of M normal numbers: M/k ∫ x φ(x) P[at most k − 1 others are above x] dx."""
    from scipy.special import bdtr, ndtr

    x = np.linspace(-9.0, 9.0, 6001)
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return float(codes / near * (x * density * bdtr(near - 1, codes - 1, ndtr(-x))).sum() * (x[1] - x[0]))


def _codeword(seed: bytes, code: int, dimension: int) -> NDArray[np.int16]:
    coordinates: NDArray[np.int16] = normal_table()[np.frombuffer(_words(seed, code, dimension), "<u2")]
    return coordinates


def _words(seed: bytes, code: int, dimension: int) -> bytes:
    return hashlib.shake_256(seed + code.to_bytes(2, "little")).digest(2 * dimension)


def _codes_of(payloads: Payloads) -> NDArray[np.unsignedinteger]:
    return np.ascontiguousarray(payloads[:, 8:]).view("<u2").reshape(-1)


def _enough_codes(epsilon: Fraction) -> int:
    """Some eight times e^ε, at least 64: the best share of near codes is about e^−ε for large ε."""
    return min(1 << 14, max(64, 1 << math.ceil(math.log2(8 * math.exp(float(epsilon))))))


@lru_cache(maxsize=64)
def _best_cap(epsilon: Fraction, codes: int) -> int:
    """The k with the largest slope, over halves and quarters of halves of M and then one by one around the best."""
    odds = math.exp(float(epsilon))

    def slope(k: int) -> float:
        P = odds * k / (odds * k + codes - k)
        return mean_of_largest(codes, k) * (P - (1 - P) * k / (codes - k))

    coarse = {max(1, min(codes - 1, round(codes * 2 ** (-i / 4)))) for i in range(1, 57)}
    best = max(sorted(coarse), key=slope)
    return max(range(max(1, best - 3), min(codes - 1, best + 3) + 1), key=slope)
