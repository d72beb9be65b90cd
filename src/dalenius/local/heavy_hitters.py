"""The most common of astronomically many values, without trusting the collector: prefix extension."""

import hashlib
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.oracles.oracle import odds_of, scaled_floor
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Coin, UniformInteger
from dalenius.numerics import Number, positive, precision, upper

Words = NDArray[np.uint64]
SEEDS = 8192
"""Public hashes in the pool: with few, a common value's bucket-mates drown the rest."""
_MOST_EPSILON = 12


@dataclass(frozen=True, slots=True)
class HeavyHittersEstimate:
    """The most common values found, with their estimated shares, largest first.

    A share is pooled over the prefixes that the value seems to have for itself; `standard_error` is that of one length.
    """

    values: tuple[Any, ...]
    shares: tuple[float, ...]
    standard_error: float
    reports: int
    rejected: int

    def top(self, count: int) -> list[tuple[Any, float]]:
        """The first `count` values and shares."""
        return list(zip(self.values, self.shares, strict=True))[:count]


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
        keep : how many prefixes are kept at each length; 300, or 60 where a hash has many buckets.
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
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InvalidParameter(f"{name} must be a whole number from 1 to {most}, got {value!r}")
        if text and bits % 8:
            raise InvalidParameter(f"texts need a whole number of bytes, got {bits} bits")
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "steps", (*range(min(first, bits), bits, step), bits))
        object.__setattr__(self, "keep", (300 if self.buckets <= 16 else 60) if keep is None else keep)
        numerator = scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + self.buckets - 1))
        object.__setattr__(self, "coin", Coin(numerator))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), 5))

    @property
    def parities(self) -> int:
        """m, for the power of two nearest to e^ε + 1 on a logarithmic scale; a byte holds a bucket."""
        with precision(64):
            target = upper(odds_of(self.epsilon)) + 1
        return min(8, max(1, round(math.log2(target))))

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
            data = value.encode()
            if len(data) <= self.bits // 8 and b"\0" not in data:
                return int.from_bytes(data.ljust(self.bits // 8, b"\0"), "big")
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not self.text and whole and 0 <= value < 1 << self.bits:
            return int(value)
        raise UnknownName(
            f"the value is not one of the protocol's: a {'text' if self.text else 'number'} too long or none"
        )

    def randomize(self, encoded: int, bits: Bits) -> bytes:
        """One report."""
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
        """Extend the prefixes with the largest shares, length by length; then rank by pooled shares."""
        if options:
            raise InvalidParameter(f"the estimate of heavy hitters takes no options, got {', '.join(options)}")
        tables = tally.reshape(len(self.steps), SEEDS, self.buckets)
        prefixes, done, paths = np.zeros(1, np.uint64), 0, np.zeros((1, 0))
        for length, counts in zip(self.steps, tables, strict=True):
            grown = length - done
            shares = self._shares(counts, prefixes, grown).reshape(-1)
            best = np.argsort(-shares, kind="stable")[: self.keep]
            parent, last = best >> grown, (best & ((1 << grown) - 1)).astype(np.uint64)
            prefixes, done = (prefixes[parent] << np.uint64(grown)) | last, length
            paths = np.column_stack([paths[parent], shares[best]])
        p, q = float(self.coin.chance), 1 / self.buckets
        error = (q * (1 - q) / (max(1, int(tables[-1].sum())) * (p - q) ** 2)) ** 0.5
        pooled = np.array([pooled_share(path, error) for path in paths])
        order = np.argsort(-pooled, kind="stable")
        values = tuple(self._decoded(int(prefixes[i])) for i in order)
        return HeavyHittersEstimate(values, tuple(pooled[order].tolist()), error, reports, rejected)

    def facts(self) -> dict[str, Any]:
        """All parameters."""
        return {
            "protocol": "heavy hitters", "epsilon": str(self.epsilon), "bits": self.bits, "text": self.text,
            "steps": list(self.steps), "seeds": SEEDS, "parities": self.parities, "coin": str(self.coin.numerator),
        }  # fmt: skip

    def _respond(self, words: Words, bits: Bits, keep: NDArray[np.bool_]) -> Payloads:
        length = UniformInteger(len(self.steps)).sample(bits, words.size)
        seed = UniformInteger(SEEDS).sample(bits, words.size)
        move = 1 + UniformInteger(self.buckets - 1).sample(bits, words.size)
        shift = (self.bits - np.array(self.steps))[length].astype(np.uint64)
        masks = public_masks(self.parities)
        bucket = np.zeros(words.size, np.int64)
        for place in range(self.parities):
            bucket |= (np.bitwise_count((words >> shift) & masks[seed, place]).astype(np.int64) & 1) << place
        bucket = (bucket + np.where(keep, 0, move)) % self.buckets
        out = np.zeros((words.size, 5), np.uint8)
        out[:, 0], out[:, 1], out[:, 2], out[:, 3] = length, seed & 255, seed >> 8, bucket
        return out

    def _shares(self, counts: Integers, prefixes: Words, grown: int) -> NDArray[np.float64]:
        """Estimated shares of all extensions by `grown` bits, a row for each prefix; centred hash by hash.

        In the Walsh basis of the buckets, Σ_s N(s, h_s(v)) = Σ_{s,k} N̂(s, k) (−1)^⟨u, v⟩/g with u the masks that k
        selects, added up. The sign is that of the prefix times that of the extension, so sums over the low bits of u
        for each prefix, and one Walsh transform, give all extensions at once. k = 0 is what centring takes off.
        """
        n, p, q = max(1, int(counts.sum())), float(self.coin.chance), 1 / self.buckets
        weights = _walsh_rows(counts.astype(np.float64))[:, 1:].reshape(-1) / self.buckets
        masks = combined_masks(self.parities)
        low = (masks & np.uint64((1 << grown) - 1)).astype(np.int64)
        high = masks >> np.uint64(grown)
        sums = np.empty((prefixes.size, 1 << grown))
        for row, prefix in zip(sums, prefixes, strict=True):
            odd = np.bitwise_count(high & prefix) & 1
            row[:] = np.bincount(low, weights=np.where(odd, -weights, weights), minlength=1 << grown)
        return _walsh_rows(sums) / (n * (p - q))

    def _decoded(self, number: int) -> Any:
        if not self.text:
            return number
        return number.to_bytes(self.bits // 8, "big").rstrip(b"\0").decode(errors="replace")


@lru_cache(maxsize=16)
def public_masks(parities: int) -> Words:
    """The pool of hashes, one row of masks each: the same on every machine, from SHAKE-256 of a fixed text."""
    data = hashlib.shake_256(f"dalenius heavy hitters {parities}".encode()).digest(8 * SEEDS * parities)
    return np.frombuffer(data, "<u8").reshape(SEEDS, parities).astype(np.uint64)


@lru_cache(maxsize=16)
def combined_masks(parities: int) -> Words:
    """For each hash, the sums modulo 2 of its masks over all non-empty selections, flat."""
    masks = public_masks(parities)
    combined = np.zeros((SEEDS, 1 << parities), np.uint64)
    for place in range(parities):
        half = 1 << place
        combined[:, half : 2 * half] = combined[:, :half] ^ masks[:, place, None]
    return combined[:, 1:].reshape(-1)


def pooled_share(path: NDArray[np.float64], error: float) -> float:
    """The mean of a value's share and of its prefixes' shares, from the longest down while they agree.

    A prefix that only this value has is as common as the value; one that is more common, by more than two standard
    errors of a difference, is shared with others, and so are all shorter ones.
    """
    taken = [float(path[-1])]
    for share in path[-2::-1]:
        if share - path[-1] > 2 * 2**0.5 * error:
            break
        taken.append(float(share))
    return sum(taken) / len(taken)


def _walsh_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ_y (−1)^⟨x, y⟩ r(y) for every x, in every row; the length is a power of two."""
    out = rows.copy()
    half = 1
    while half < out.shape[1]:
        pairs = out.reshape(len(out), -1, 2, half)
        total, difference = pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]
        pairs[:, :, 0], pairs[:, :, 1] = total, difference
        half *= 2
    return out


def _fields(payloads: Payloads) -> tuple[Integers, Integers, Integers]:
    wide = payloads.astype(np.int64)
    return wide[:, 0], wide[:, 1] | wide[:, 2] << 8, wide[:, 3]
