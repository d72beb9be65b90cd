"""Projective geometry response."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.local.oracles.codes import CodeOracle
from dalenius.local.oracles.field import Field, is_field_order
from dalenius.local.oracles.local_hashing import nearest_order
from dalenius.local.oracles.oracle import Integers, odds_of, scaled_floor
from dalenius.numerics import precision, upper

_BLOCK = 1 << 22
_CACHED = 1 << 23


@dataclass(frozen=True, slots=True)
class ProjectiveGeometryResponse(CodeOracle):
    """A point of a projective space, from the hyperplane of the value with probability P  [FNNT22, §3].

    Over the field with q elements there are K = (q^t − 1)/(q − 1) points, and as many hyperplanes v^⊥ of
    c = (q^(t−1) − 1)/(q − 1) points each; two of them share i = (q^(t−2) − 1)/(q − 1). A report takes as many bits as
    a value, and its variance is within 2 % of the best there is. (q, t) is the pair with the least variance among
    prime powers near e^ε + 1.
    """

    order: int = field(init=False)
    length: int = field(init=False)

    name: ClassVar[str] = "projective geometry response"

    def _settle(self) -> None:
        order, length = best_geometry(self.size, self.epsilon)
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "length", length)

    @property
    def own(self) -> Fraction:
        """P[the point lies in the hyperplane of the value]."""
        return self.coin.chance

    @property
    def other(self) -> Fraction:
        """Q = P i/c + (1 − P)(c − i)/(K − c)."""
        inside, shared = points(self.order, self.length - 1), points(self.order, self.length - 2)
        return self.own * shared / inside + (1 - self.own) * Fraction(inside - shared, self.codes - inside)

    @property
    def odds(self) -> Fraction:
        """(P/c)/((1 − P)/(K − c))."""
        inside = points(self.order, self.length - 1)
        return self.own * (self.codes - inside) / ((1 - self.own) * inside)

    @property
    def codes(self) -> int:
        """K."""
        return points(self.order, self.length)

    @property
    def uniforms(self) -> tuple[int, ...]:
        """The free coordinates of a vector in the hyperplane (not all 0), those of one outside, and ⟨y, v⟩ there."""
        free = self.order ** (self.length - 1)
        return free - 1, free, self.order - 1

    def respond(self, values: Integers, keep: NDArray[np.bool_], draws: Sequence[Integers]) -> Integers:
        """The point of a vector y with ⟨y, v⟩ = 0 to stay in the hyperplane, ⟨y, v⟩ ≠ 0 to leave it.

        v is 1 at its pivot, so that coordinate of y is solved for, and the others are free: y is uniform over all such
        vectors, and every point has q − 1 of them.
        """
        over, (inside, outside, product) = Field(self.order), draws
        free = over.digits(np.where(keep, 1 + inside, outside), self.length - 1)
        places, vectors = pivots_and_vectors(self.size, self.order, self.length)
        pivot, v = places[values], vectors[:, values]
        missing = np.where(keep, 0, 1 + product)
        y = np.empty((self.length, values.size), np.int64)
        for at in range(self.length):  # the free coordinates fill the places that are not the pivot, in order
            coordinate = free[min(at, self.length - 2)]
            if at > 0:
                coordinate = np.where(at > pivot, free[at - 1], coordinate)
            y[at] = np.where(at == pivot, 0, coordinate)
            missing = over.add(missing, over.negative(over.multiply(y[at], v[at])))
        y[pivot, np.arange(values.size)] = missing
        return self._points_of(y)

    def supports(self, tally: Integers) -> Integers:
        """Σ of the counters over each hyperplane."""
        if self.size * points(self.order, self.length - 1) <= _CACHED:
            return np.concatenate([tally[members].sum(axis=1) for members in _hyperplanes(self)])
        return np.concatenate([tally[members].sum(axis=1) for members in self._members()])

    def likelihood(self, payload: bytes, value: int) -> Fraction:
        """P/c in the hyperplane, (1 − P)/(K − c) outside."""
        inside = points(self.order, self.length - 1)
        incident = bool(self._incident(np.array([value]))[0, int.from_bytes(payload, "little")])
        return self.own / inside if incident else (1 - self.own) / (self.codes - inside)

    def facts(self) -> dict[str, str | int]:
        """The field too."""
        more = {"order": self.order, "length": self.length, "modulus": Field(self.order).modulus}
        return super(ProjectiveGeometryResponse, self).facts() | more

    def _points_of(self, y: Integers) -> Integers:
        """The number of the point that vectors lie on: scaled to a leading 1, then counted in the order of points."""
        over = Field(self.order)
        lead, power = np.zeros(y.shape[1], np.int64), np.zeros(y.shape[1], np.int64)
        for at in range(self.length):
            first = (lead == 0) & (y[at] != 0)
            lead[first], power[first] = y[at][first], self.order ** (self.length - 1 - at)
        scale, number = over.inverse(lead), np.zeros(y.shape[1], np.int64)
        for at in range(self.length):
            number = number * self.order + over.multiply(scale, y[at])
        return number - power + (power - 1) // (self.order - 1)

    def _members(self) -> Iterator[Integers]:
        """The points of each hyperplane, c a row, in blocks of values."""
        step = max(1, _BLOCK // self.codes)
        for first in range(0, self.size, step):
            values = np.arange(first, min(first + step, self.size))
            yield np.nonzero(self._incident(values))[1].reshape(values.size, -1)

    def _incident(self, values: Integers) -> NDArray[np.bool_]:
        """Whether a point lies in the hyperplane of a value."""
        over = Field(self.order)
        _, y = pivots_and_vectors(self.codes, self.order, self.length)
        total = np.zeros((values.size, self.codes), np.int64)
        for at in range(self.length):
            total = over.add(total, over.multiply(y[at][values][:, None], y[at][None, :]))
        inside: NDArray[np.bool_] = total == 0
        return inside

    def _numerator(self) -> int:
        inside = points(self.order, self.length - 1)

        def share() -> arb:
            grown = odds_of(self.epsilon) * inside
            return grown / (grown + self.codes - inside)

        return scaled_floor(share)


def points(order: int, length: int) -> int:
    """How many points the projective space of vectors of this length has; none without coordinates."""
    return int(order**length - 1) // (order - 1)


@lru_cache(maxsize=1024)
def best_geometry(size: int, epsilon: Fraction) -> tuple[int, int]:
    """(q, t), t ≥ 2, with K ≥ size points and the least variance Q(1 − Q)/(P − Q)²."""
    centre = nearest_order(epsilon)
    with precision(64):
        grown = upper(odds_of(epsilon))
    reach = range(max(2, centre // 2), 2 * centre + 2) if centre < 1000 else [centre]
    candidates = [q for q in reach if is_field_order(q)]

    def variance(q: int) -> tuple[float, int, int]:
        t = 2
        while points(q, t) < size:
            t += 1
        K, c, i = points(q, t), points(q, t - 1), points(q, t - 2)
        p = 1 / (grown * c + K - c)
        P, Q = grown * p * c, p * (grown * i + c - i)
        return Q * (1 - Q) / (P - Q) ** 2, q, t

    _, q, t = min(variance(q) for q in candidates)
    return q, t


@lru_cache(maxsize=16)
def pivots_and_vectors(count: int, order: int, length: int) -> tuple[Integers, Integers]:
    """Of the first points in order of their number: the place of the leading 1, and the coordinates."""
    number = np.arange(count)
    place = np.zeros(count, np.int64)
    for power in range(1, length):
        place += number >= points(order, power)
    leading = order**place
    code = number - (leading - 1) // (order - 1) + leading
    return length - 1 - place, np.array(Field(order).digits(code, length))


@lru_cache(maxsize=4)
def _hyperplanes(oracle: ProjectiveGeometryResponse) -> tuple[Integers, ...]:
    return tuple(members.astype(np.int32) for members in oracle._members())
