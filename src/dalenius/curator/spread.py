"""How far sums and ratios of released numbers may lie from those of the true ones."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dalenius.curator.chosen import Chosen
from dalenius.curator.formula.base import Column, Ends, Linear, above, below
from dalenius.curator.measured import Measured
from dalenius.mechanisms import AdditiveMechanism, Geometric
from dalenius.numerics import ball, float_above, float_below, precision, upper

Terms = tuple[tuple[AdditiveMechanism, Fraction], ...]
"""Independent noises, each in the steps of its mechanism and times a constant ≥ 0."""
_PIECES = 96
_APART = 1.001
_SLACK = 2.0**-30


@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of released columns; every statement about it fails with probability at most beta."""

    columns: Mapping[str, Measured | Chosen]
    beta: Fraction

    def linear(self, form: Linear) -> Ends:
        """The released sum, give or take what the noise of the whole sum stays within."""
        if not form.terms:
            return np.array([float_below(form.constant)]), np.array([float_above(form.constant)])
        terms = self._terms(form)
        center, error = self._center(form)
        if terms is None:
            return np.full(len(center), -np.inf), np.full(len(center), np.inf)
        wide = above(np.array([radius(terms, self.beta)])) + error
        return below(center - wide), above(center + wide)

    def ratio(self, part: Linear, whole: Linear, low: Fraction, high: Fraction) -> Ends:
        """All x in [low, high] for which part − x·whole may be 0: a test of each x, inverted  [Fie54].

        If x is the true ratio, the noise of part − x·whole is that of one sum, whose radius r(x) is known. On a piece
        of [low, high] it is at most the radius with every coefficient at its largest there, since each noise is
        symmetric and unimodal, so that more of it makes the sum less peaked  [Bir48]. One statement is enough: only
        the one about the true x has to hold.
        """
        sides = self._terms(part), self._terms(whole)
        (top, error), (bottom, other) = self._center(part), self._center(whole)
        first, last = float_below(low), float_above(high)
        least, most = np.full(len(top), np.inf), np.full(len(top), -np.inf)
        if None in sides or low == high:
            return np.full(len(top), first), np.full(len(top), last)
        edges = [low + (high - low) * Fraction(i, _PIECES) for i in range(_PIECES + 1)]
        reach = max(abs(low), abs(high))
        for left, right in itertools.pairwise(edges):
            wide = radius(self._largest(part, whole, left, right), self.beta)
            wide = float(above(np.array([wide]))[0]) * (1 + _SLACK) + error + float(reach) * other
            a, b = _between(top, bottom, wide, float_below(left), float_above(right))
            least, most = np.fmin(least, a), np.fmax(most, b)
        found = least <= most
        return np.where(found, least, first), np.where(found, most, last)

    def _largest(self, part: Linear, whole: Linear, left: Fraction, right: Fraction) -> Terms:
        """The noise of part − x·whole with every coefficient as large as it gets for x in [left, right]."""
        ends = [dict(part.plus(whole, -x).terms) for x in (left, right)]
        names = sorted(set(ends[0]) | set(ends[1]))
        sizes = {name: max(abs(end.get(name, Fraction(0))) for end in ends) for name in names}
        terms = self._terms(Linear.of(sizes))
        assert terms is not None
        return terms

    def _terms(self, form: Linear) -> Terms | None:
        """The noises of a sum; None if one of its columns was not made by adding noise."""
        found = []
        for name, factor in form.terms:
            column = self.columns[name]
            if not isinstance(column, Measured):
                return None
            found.append((column.mechanism, abs(factor) * column.lattice.step))
        return tuple(sorted(found, key=lambda term: (term[1], repr(term[0]))))

    def _center(self, form: Linear) -> tuple[Column, float]:
        """The released sum, and what the rounding of its floats may amount to."""
        cells = {name: self.columns[name].floats() for name, _ in form.terms}
        size = sum(abs(float(factor)) * float(np.abs(cells[name]).max(initial=0.0)) for name, factor in form.terms)
        error = (size + abs(float(form.constant))) * 2.0**-50 * (len(form.terms) + 2)
        return form.value(cells), error


def _between(top: Column, bottom: Column, wide: float, left: float, right: float) -> Ends:
    """The x in [left, right] with |top − x·bottom| ≤ wide: their least and largest, or NaN if there is none."""
    with np.errstate(all="ignore"):
        ends = np.stack([(top - wide) / bottom, (top + wide) / bottom])
        low, high = below(ends.min(axis=0)), above(ends.max(axis=0))
    level = np.abs(bottom) * max(abs(left), abs(right), 1e-300) < wide * _SLACK  # so flat that any x may do
    low, high = np.where(level, -np.inf, low), np.where(level, np.inf, high)
    low, high = np.maximum(low, left), np.minimum(high, right)
    return np.where(low <= high, low, np.nan), np.where(low <= high, high, np.nan)


@lru_cache(maxsize=4096)
def radius(terms: Terms, beta: Fraction) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta.

    One noise: exact. Two-sided geometric ones: as sums of Laplace variables, whose tail is known, and one step of each
    more, since Zᵢ lies within one step of a Laplace variable of the same scale when both have the same quantile. Or,
    for any mix, each within its own part of beta.
    """
    if len(terms) == 1:
        mechanism, factor = terms[0]
        return float_above(mechanism.accuracy(beta) * factor)
    each = beta / len(terms)
    apart = float_above(sum((mechanism.accuracy(each) * factor for mechanism, factor in terms), Fraction(0)))
    if not all(type(mechanism) is Geometric for mechanism, _ in terms):
        return apart
    scales = tuple(factor * mechanism.scale for mechanism, factor in terms)  # type: ignore[attr-defined]
    return min(apart, float_above(Fraction(laplace_sum(scales, beta)) + sum(factor for _, factor in terms)))


def laplace_sum(scales: tuple[Fraction, ...], beta: Fraction) -> float:
    """An r with P[|Σ Lᵢ| > r] ≤ beta for independent Laplace variables.

    With distinct scales the characteristic function ∏ 1/(1 + sᵢ²t²) is Σ Aᵢ/(1 + sᵢ²t²), Aᵢ = ∏ⱼ sᵢ²/(sᵢ² − sⱼ²), so
    the tail is Σ Aᵢ·exp(−r/sᵢ), exactly. Scales that are nearly equal are raised until they differ by a thousandth,
    which makes the sum less peaked  [Bir48].
    """
    raised: list[Fraction] = []
    for scale in sorted(scales):
        raised.append(max(scale, raised[-1] * Fraction(_APART)) if raised else scale)
    weights = [_weight(raised, i) for i in range(len(raised))]
    r = _guess([float(scale) for scale in raised], [float(weight) for weight in weights], float(beta))
    with precision(256):
        while True:
            terms = zip(weights, raised, strict=True)
            tail = sum((ball(w) * (-ball(Fraction(r)) / ball(s)).exp() for w, s in terms), ball(Fraction(0)))
            if upper(tail) <= float_below(beta):
                return r
            r *= 1 + 2.0**-20


def _weight(scales: list[Fraction], i: int) -> Fraction:
    product = Fraction(1)
    for j, other in enumerate(scales):
        if j != i:
            product *= scales[i] ** 2 / (scales[i] ** 2 - other**2)
    return product


def _guess(scales: list[float], weights: list[float], beta: float) -> float:
    """Where the tail is about beta; proves nothing."""
    low, high = 0.0, sum(scales) * (2 + math.log(len(scales) / beta))
    for _ in range(60):
        middle = (low + high) / 2
        tail = math.fsum(weight * math.exp(-middle / scale) for weight, scale in zip(weights, scales, strict=True))
        low, high = (middle, high) if tail > beta else (low, middle)
    return high
