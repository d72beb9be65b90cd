"""The most common of astronomically many values, without trusting the collector: prefix extension."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.oracles.oracle import odds_of, scaled_floor
from dalenius.local.parameters import LEVEL, normal_radius, whole_number
from dalenius.local.prefix_filter import PrefixFilter
from dalenius.local.prefix_hashes import SEEDS, Words, buckets_of, extension_excess
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Coin, UniformInteger
from dalenius.numerics import Number, positive, precision, upper

_MOST_EPSILON = 12
_WORK = 3000
"""Prefixes kept at each length, times the parities that a hash's buckets take: it sets the time of an estimate."""


@dataclass(frozen=True, slots=True)
class HeavyHittersEstimate:
    """The most common values found, with their expected shares given the reports of all lengths, largest first.

    `measured` are the unbiased shares by the reports of whole values alone, with `standard_error`.
    """

    values: tuple[Any, ...]
    shares: tuple[float, ...]
    measured: tuple[float, ...]
    standard_error: float
    largest_step: float
    bits: int
    reports: int
    rejected: int

    def top(self, count: int) -> list[tuple[Any, float]]:
        """The first `count` values and shares."""
        return list(zip(self.values, self.shares, strict=True))[:count]

    def interval(self, level: Number = LEVEL) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Ends that hold the shares of all values found together, for many reports: normal, around `measured`.

        The values were picked by the same reports, so the level is kept over all 2^bits values (Bonferroni).

        Parameters
        ----------
        level : the probability with which all intervals hold their shares.
        """
        radius = normal_radius(level, 2**self.bits) * self.standard_error
        measured = np.array(self.measured)
        low, high = (np.clip(ends, 0.0, 1.0).tolist() for ends in (measured - radius, measured + radius))
        return tuple(low), tuple(high)

    def poisoned_by(self, malicious: int) -> float:
        """How far so many forged reports, all of whole values, can have moved a measured share: k/(n(p−q))  [CJG21]."""
        return whole_number(malicious, "malicious") * self.largest_step


@dataclass(frozen=True, slots=True, init=False)
class HeavyHitters(Protocol[HeavyHittersEstimate]):
    """Clients report a hash of one prefix of their value; the aggregator extends the common prefixes  [WLJ21, BNST17].

    Which prefix, and which of a pool of public hashes, is drawn by fair dice. A hash maps bits to g = 2^m buckets, near
    e^ε + 1, by m parities: it is linear, so that the buckets of all extensions of a prefix follow from one another.

    >>> HeavyHitters(epsilon=2, bits=16).client().randomize(513) != b""
    True
    """

    epsilon: Any
    bits: int
    text: bool
    steps: tuple[int, ...]
    keep: int
    coin: Coin = field(repr=False)
    format: Format = field(repr=False, compare=False)

    def __init__(
        self,
        epsilon: Number,
        bits: int = 48,
        *,
        text: bool = False,
        first: int = 14,
        step: int = 7,
        keep: int | None = None,
    ) -> None:
        """Choose ε and how long values are.

        Parameters
        ----------
        epsilon : what one report costs.
        bits : the length of values, whole numbers below 2^bits; at most 64.
        text : values are texts of at most bits // 8 bytes in UTF-8.
        first : bits of the shortest prefix, all of whose values are looked at.
        step : bits by which prefixes grow.
        keep : how many prefixes are kept at each length; 1000, fewer where a hash has many buckets.
        """
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        if self.epsilon > _MOST_EPSILON:
            raise InvalidParameter(f"epsilon must be at most {_MOST_EPSILON} for heavy hitters, got {epsilon}")
        for name, value, most in (
            ("bits", bits, 64),
            ("first", first, 20),
            ("step", step, 12),
            ("keep", 1 if keep is None else keep, 4096),
        ):
            whole_number(value, name, 1, most)
        if text and bits % 8:
            raise InvalidParameter(f"texts need a whole number of bytes, got {bits} bits")
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "steps", (*range(min(first, bits), bits, step), bits))
        object.__setattr__(self, "keep", max(60, _WORK // (self.buckets - 1)) if keep is None else keep)
        numerator = scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + self.buckets - 1))
        object.__setattr__(self, "coin", Coin(numerator))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), 5))

    @property
    def parities(self) -> int:
        """m, for the power of two nearest to e^ε + 1 on a logarithmic scale; a byte holds a bucket."""
        return _parities(self.epsilon)

    @property
    def buckets(self) -> int:
        """How many buckets a hash has."""
        return 1 << self.parities

    @property
    def cells(self) -> int:
        """A counter for each length, hash and bucket."""
        return len(self.steps) * SEEDS * self.buckets

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε: response over the buckets of one public hash of one prefix  [A Def 4.1]."""
        return PureDP(self.epsilon * reports, Relation.CHANGE_ONE)

    def encode(self, value: Any) -> int:
        """The value as a whole number."""
        if self.text and isinstance(value, str):
            data = value.encode("utf-8", "replace")
            if len(data) <= self.bits // 8 and b"\0" not in data and data.decode() == value:  # not half of a pair
                return int.from_bytes(data.ljust(self.bits // 8, b"\0"), "big")
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not self.text and whole and 0 <= value < 1 << self.bits:
            return int(value)
        raise UnknownName(
            f"the value is not one of the protocol's: a {'text' if self.text else 'number'} too long or none"
        )

    def randomize(self, encoded: int, bits: Bits) -> bytes:
        words = np.array([encoded], np.uint64)
        return bytes(self._respond(words, bits, np.array([self.coin.toss(bits)]))[0])

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """Reports of many; an array of numbers is quickest."""
        if not self.text and isinstance(values, np.ndarray) and values.dtype.kind in "iu":
            if values.size and (values.min() < 0 or int(values.max()) >> self.bits):
                raise UnknownName("a value is not one of the protocol's: a number too long")
            words = values.astype(np.uint64)
        else:
            words = np.array([self.encode(value) for value in values], np.uint64)
        return self._respond(words, bits, self.coin.flags(bits, words.size))

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A length, a hash and a bucket that exist."""
        length, seed, bucket = _fields(payloads)
        exists = (length < len(self.steps)) & (seed < SEEDS) & (bucket < self.buckets)
        good: NDArray[np.bool_] = exists & (payloads[:, 4] == 0)
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """How often each length, hash and bucket came."""
        length, seed, bucket = _fields(payloads)
        return np.bincount((length * SEEDS + seed) * self.buckets + bucket, minlength=self.cells).astype(np.int64)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> HeavyHittersEstimate:
        """Extend the prefixes that the reports make likely, length by length; then rank by expected shares."""
        if options:
            raise InvalidParameter(f"the estimate of heavy hitters takes no options, got {', '.join(options)}")
        tables = tally.reshape(len(self.steps), SEEDS, self.buckets)
        prefixes, done, chosen = np.zeros(1, np.uint64), 0, PrefixFilter(self._error(tables[0]))
        for length, counts in zip(self.steps, tables, strict=True):
            grown, error = length - done, self._error(counts)
            shares = self._shares(counts, prefixes, grown)
            best = chosen.extend(shares, error, self.keep)
            parent, last = best >> grown, (best & ((1 << grown) - 1)).astype(np.uint64)
            prefixes, done = (prefixes[parent] << np.uint64(grown)) | last, length
            measured = shares.reshape(-1)[best]
        order = np.argsort(-chosen.shares, kind="stable")
        return HeavyHittersEstimate(
            tuple(self._decoded(int(prefixes[i])) for i in order),
            tuple(chosen.shares[order].tolist()),
            tuple(measured[order].tolist()),
            error,
            1 / (max(1, int(tables[-1].sum())) * float(self.coin.chance - Fraction(1, self.buckets))),
            self.bits,
            reports,
            rejected,
        )

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a rare value's measured share, which the reports of whole values alone give."""
        odds, g = math.exp(float(epsilon)), 1 << _parities(epsilon)
        p, q = odds / (odds + g - 1), 1 / g
        return len(self.steps) * q * (1 - q) / (p - q) ** 2

    def facts(self) -> dict[str, Any]:
        return {
            "protocol": "heavy hitters", "epsilon": str(self.epsilon), "bits": self.bits, "text": self.text,
            "steps": list(self.steps), "seeds": SEEDS, "parities": self.parities, "coin": str(self.coin.numerator),
        }  # fmt: skip

    def _respond(self, words: Words, bits: Bits, keep: NDArray[np.bool_]) -> Payloads:
        length = UniformInteger(len(self.steps)).sample(bits, words.size)
        seed = UniformInteger(SEEDS).sample(bits, words.size)
        move = 1 + UniformInteger(self.buckets - 1).sample(bits, words.size)
        shift = (self.bits - np.array(self.steps))[length].astype(np.uint64)
        bucket = buckets_of(words >> shift, seed, self.parities)
        bucket = (bucket + np.where(keep, 0, move)) % self.buckets
        out = np.zeros((words.size, 5), np.uint8)
        out[:, 0], out[:, 1], out[:, 2], out[:, 3] = length, seed & 255, seed >> 8, bucket
        return out

    def _shares(self, counts: Integers, prefixes: Words, grown: int) -> NDArray[np.float64]:
        """Unbiased shares of all extensions by `grown` bits, a row for each prefix."""
        n, gap = max(1, int(counts.sum())), float(self.coin.chance) - 1 / self.buckets
        return extension_excess(counts, prefixes, grown) / (n * gap)

    def _error(self, counts: Integers) -> float:
        """The standard error of a rare prefix's share from the reports of one length."""
        p, q = float(self.coin.chance), 1 / self.buckets
        return float((q * (1 - q) / (max(1, int(counts.sum())) * (p - q) ** 2)) ** 0.5)

    def _decoded(self, number: int) -> Any:
        if not self.text:
            return number
        return number.to_bytes(self.bits // 8, "big").rstrip(b"\0").decode(errors="replace")


def _parities(epsilon: Fraction) -> int:
    with precision(64):
        target = upper(odds_of(epsilon)) + 1
    return min(8, max(1, round(math.log2(target))))


def _fields(payloads: Payloads) -> tuple[Integers, Integers, Integers]:
    wide = payloads.astype(np.int64)
    return wide[:, 0], wide[:, 1] | wide[:, 2] << 8, wide[:, 3]
