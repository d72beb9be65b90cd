"""Local hashing by linear functions over a finite field."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.codes import CodeOracle
from dalenius.local.oracles.field import Field, is_field_order
from dalenius.local.oracles.oracle import Integers, odds_of, scaled_floor
from dalenius.numerics import precision, upper

_BLOCK = 1 << 21
_CACHED = 1 << 24
LARGEST_ORDER = 4096.0
"""Beyond it fields get large and nothing is gained: such an ε is for domains that k-ary response serves best."""


@dataclass(frozen=True, slots=True)
class LocalHashing(CodeOracle):
    """A public random hash of the value to g buckets, and randomized response over the buckets  [WBLJ17, §4.3].

    The hashes are the linear functions a ↦ ⟨a, v⟩ over the field with g elements, v the digits of the value in base g:
    two values share a bucket under exactly one g-th of the a, so the estimate is unbiased exactly, not only up to the
    quality of a hash. g is the prime power nearest to e^ε + 1, which is where the variance is least.
    """

    order: int = field(init=False)
    length: int = field(init=False)

    name: ClassVar[str] = "local hashing"

    def _settle(self) -> None:
        object.__setattr__(self, "order", nearest_order(self.epsilon))
        object.__setattr__(self, "length", max(1, math.ceil(round(math.log(self.size, self.order), 9))))
        while self.order**self.length < self.size:
            object.__setattr__(self, "length", self.length + 1)

    @property
    def own(self) -> Fraction:
        """P[the bucket of the value is reported]."""
        return self.coin.chance

    @property
    def other(self) -> Fraction:
        """1/g: p/g where the buckets agree, (1 − 1/g)(1 − p)/(g − 1) where they do not."""
        return Fraction(1, self.order)

    @property
    def odds(self) -> Fraction:
        """p(g − 1)/(1 − p)."""
        return self.own * (self.order - 1) / (1 - self.own)

    @property
    def codes(self) -> int:
        """A hash and a bucket."""
        return int(self.order ** (self.length + 1))

    @property
    def uniforms(self) -> tuple[int, ...]:
        """A hash, and how far the bucket is moved if it is."""
        return self.order**self.length, self.order - 1

    def respond(self, values: Integers, keep: NDArray[np.bool_], draws: Sequence[Integers]) -> Integers:
        """The code of the hash and of its bucket, kept or moved on."""
        hashes, moves = draws
        bucket = self._buckets(hashes, values)
        return hashes * self.order + Field(self.order).add(bucket, np.where(keep, 0, 1 + moves))

    def supports(self, tally: Integers) -> Integers:
        """Σ_a N(a, ⟨a, v⟩), in blocks."""
        blocks = _codes_of(self) if self.size * self.order**self.length <= _CACHED else self._supporting()
        return np.concatenate([tally[codes].sum(axis=1) for codes in blocks])

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """P over the number of hashes in the bucket, (1 − p)/(g − 1) over it elsewhere."""
        a, bucket = divmod(int.from_bytes(payload, "little"), self.order)
        hit = int(self._buckets(np.array(a), np.array(value))) == bucket
        return (self.own if hit else (1 - self.own) / (self.order - 1)) / int(self.order**self.length)

    def facts(self) -> dict[str, str | int]:
        """The field too."""
        more = {"order": self.order, "length": self.length, "modulus": Field(self.order).modulus}
        return super(LocalHashing, self).facts() | more

    def _supporting(self) -> Iterator[Integers]:
        """The codes that support each value, one for each hash, in blocks of values."""
        hashes = np.arange(self.order**self.length)
        step = max(1, _BLOCK // hashes.size)
        for first in range(0, self.size, step):
            values = np.arange(first, min(first + step, self.size))
            yield (hashes * self.order)[None, :] + self._buckets(hashes[None, :], values[:, None])

    def _buckets(self, hashes: Integers, values: Integers) -> Integers:
        over = Field(self.order)
        pairs = zip(over.digits(hashes, self.length), over.digits(values, self.length), strict=True)
        total = np.zeros(np.broadcast_shapes(hashes.shape, values.shape), np.int64)
        for a, v in pairs:
            total = over.add(total, over.multiply(a, v))
        return total

    def _numerator(self) -> int:
        return scaled_floor(lambda: odds_of(self.epsilon) / (odds_of(self.epsilon) + self.order - 1))


def nearest_order(epsilon: Fraction) -> int:
    """The prime power nearest to e^ε + 1, from 2 to 4096 or so: 4, 8, 53 at ε = 1, 2, 4."""
    with precision(64):
        target = min(upper(odds_of(epsilon)) + 1, LARGEST_ORDER)
    near = round(target)
    away = 0
    while True:
        for candidate in sorted({near - away, near + away}, key=lambda g: abs(g - target)):
            if is_field_order(candidate):
                return candidate
        away += 1


@lru_cache(maxsize=2)
def _codes_of(oracle: LocalHashing) -> tuple[Integers, ...]:
    return tuple(codes.astype(np.int32) for codes in oracle._supporting())
