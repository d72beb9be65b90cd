"""Subset selection."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles.bitmaps import (
    coin_rows,
    column_counts,
    has_bit,
    packed,
    padding_is_clear,
    put_bits,
    width_of,
)
from dalenius.local.oracles.oracle import Integers, Oracle, Payloads, odds_of, scaled_floor
from dalenius.noise import Bits, Coin, UniformInteger
from dalenius.numerics import precision, upper

_BLOCK = 1 << 23


@dataclass(frozen=True, slots=True)
class SubsetSelection(Oracle):
    """A set of w values that holds the true one with probability P, else is uniform: the least variance of all.

    w ≈ d/(e^ε + 1), the whole number with the least variance; P/(1 − P) ≈ e^ε w/(d − w)  [YB18, §3].
    """

    weight: int = field(init=False)

    name: ClassVar[str] = "subset selection"

    def _settle(self) -> None:
        object.__setattr__(self, "weight", best_weight(self.size, self.epsilon))

    @property
    def own(self) -> Fraction:
        """P[the set holds the value]."""
        return self.coin.chance

    @property
    def other(self) -> Fraction:
        """(P(w − 1) + (1 − P) w)/(d − 1)."""
        return (self.own * (self.weight - 1) + (1 - self.own) * self.weight) / (self.size - 1)

    @property
    def odds(self) -> Fraction:
        """P(d − w)/((1 − P) w): C(d−1, w−1) sets hold the value, C(d−1, w) do not."""
        return self.own * (self.size - self.weight) / ((1 - self.own) * self.weight)

    @property
    def width(self) -> int:
        """A bit for every value."""
        return width_of(self.size)

    @property
    def cells(self) -> int:
        """One for every value."""
        return self.size

    @property
    def most_supported(self) -> int:
        """w: a set of another size is rejected."""
        return self.weight

    def randomize(self, value: int, bits: Bits) -> bytes:
        """A coin, and w of the other values by the first steps of a shuffle; the last is left out if the coin keeps."""
        keep = self.coin.toss(bits)
        draws = [int(UniformInteger(self.size - 1 - i).sample(bits, 1)[0]) for i in range(self.weight)]
        return self.respond(value, keep, draws)

    def respond(self, value: int, keep: bool, draws: Sequence[int]) -> bytes:
        """The set that a coin and the steps of a shuffle of the other values give."""
        others = list(range(self.size - 1))
        for i, step in enumerate(draws):
            others[i], others[i + step] = others[i + step], others[i]
        row = np.zeros((1, self.size), np.bool_)
        chosen = np.array(others[: self.weight], np.int64)
        chosen += chosen >= value
        chosen[-1] = value if keep else chosen[-1]
        row[0, chosen] = True
        return bytes(packed(row)[0])

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """Coins for all the others first, rather too few, then values put in or taken out until the size is right.

        Given its size, a set of independent coins is uniform among sets of that size, and so it stays when a uniform
        member leaves or a uniform stranger comes.
        """
        out = np.empty((values.size, self.width), np.uint8)
        step = max(1, _BLOCK // self.size)
        first_guess = self._first_guess()
        for first in range(0, values.size, step):
            some = values[first : first + step]
            keep = self.coin.flags(bits, some.size)
            rows = coin_rows(first_guess, some.size, self.size, bits)
            put_bits(rows, some, np.zeros(some.size, np.bool_))
            self._put_right(rows, some, self.weight - keep, bits)
            put_bits(rows, some, keep)
            out[first : first + step] = rows
        return out

    def _first_guess(self) -> Coin:
        """A coin that gives rather too few: a member to take out is met 1/γ draws later, a stranger 1/(1 − γ), γ = w/d.

        So the best guess is too large with probability γ; whatever it is, the law is the same.
        """
        share = self.weight / self.size
        fewer = NormalDist().inv_cdf(1 - share) * math.sqrt(self.weight * (1 - share))
        return Coin((max(0, math.floor(self.weight - fewer)) << 64) // self.size)

    def _put_right(self, rows: Payloads, values: Integers, wanted: Integers, bits: Bits) -> None:
        """Bring every row to the wanted size, the value's own place left alone."""
        surplus = np.bitwise_count(rows).sum(axis=1, dtype=np.int64) - wanted
        flat, others = rows.reshape(-1), UniformInteger(self.size - 1)
        open_ = np.flatnonzero(surplus)
        while open_.size:
            left, place = surplus[open_], others.sample(bits, open_.size)
            place += place >= values[open_]
            byte, bit = open_ * self.width + (place >> 3), np.uint8(1) << (place & 7).astype(np.uint8)
            old = flat[byte]
            fits = ((old & bit) != 0) == (left > 0)  # a member to take out, or a stranger to put in
            flat[byte] = old ^ (bit * fits)
            left -= np.sign(left) * fits
            surplus[open_] = left
            open_ = open_[left != 0]

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Exactly w bits, none beyond the last value."""
        members = np.bitwise_count(payloads).sum(axis=1, dtype=np.int64)
        good: NDArray[np.bool_] = padding_is_clear(payloads, self.size) & (members == self.weight)
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """How many sets hold each value."""
        return column_counts(payloads, self.size)

    def supports(self, tally: Integers) -> Integers:
        return tally

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """P over the sets that hold the value, 1 − P over those that do not."""
        if has_bit(payload, value):
            return self.own / math.comb(self.size - 1, self.weight - 1)
        return (1 - self.own) / math.comb(self.size - 1, self.weight)

    def outcomes(self) -> Iterator[bytes]:
        """All sets of w values."""
        for members in itertools.combinations(range(self.size), self.weight):
            yield sum(1 << v for v in members).to_bytes(self.width, "little")

    def facts(self) -> dict[str, str | int]:
        """The size of the sets too."""
        return super(SubsetSelection, self).facts() | {"weight": self.weight}

    def _numerator(self) -> int:
        w, d = self.weight, self.size
        return scaled_floor(lambda: odds_of(self.epsilon) * w / (odds_of(self.epsilon) * w + d - w))


def best_weight(size: int, epsilon: Fraction) -> int:
    """The w next to d/(e^ε + 1), above or below, with the smaller variance."""
    with precision(64):
        grown = upper(odds_of(epsilon))

    def variance(w: int) -> float:
        P = grown * w / (grown * w + size - w)
        Q = (P * (w - 1) + (1 - P) * w) / (size - 1)
        return Q * (1 - Q) / (P - Q) ** 2

    near = math.floor(size / (grown + 1))
    return min((w for w in (near, near + 1) if 1 <= w < size), key=variance)
