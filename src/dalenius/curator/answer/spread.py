"""How far sums and ratios of released numbers may lie from those of the true ones."""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.measured import Measured
from dalenius.curator.formula.base import Column, Ends, Linear, above, below, nearest
from dalenius.mechanisms import AdditiveMechanism, DiscreteGaussian, Geometric
from dalenius.numerics import ball, erfc, float_above, float_below, precision, upper

Terms = tuple[tuple[AdditiveMechanism, Fraction], ...]
"""Independent noises, each in the steps of its mechanism and times a constant ≥ 0."""
_PIECES = 96
_APART = 1.001
_SLACK = 2.0**-30
_MOST_TERMS = 64
_HALVINGS = 48


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
        with np.errstate(all="ignore"):
            return _known(below(center - wide), above(center + wide))

    def ratio(self, part: Linear, whole: Linear, low: Fraction, high: Fraction) -> Ends:
        """All x in [low, high] for which part − x·whole may be 0: a test of each x, inverted  [Fie54].

        If x is the true ratio, the noise of part − x·whole is that of one sum, whose radius r(x) is known. On a piece
        of [low, high] it is at most the radius with every coefficient at its largest there: `radius` is the least of
        bounds that grow in each coefficient (a Laplace or Gaussian majorant and its steps; parts of beta). It would not
        do to say that more noise makes a sum less peaked: on a lattice it need not. One statement is enough: only the
        one about the true x has to hold.
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
            wide = float(above(np.array([wide]))[0]) * (1 + _SLACK) + error + nearest(reach) * other
            a, b = _between(top, bottom, wide, float_below(left), float_above(right))
            least, most = np.fmin(least, a), np.fmax(most, b)
        is_reached = least <= most
        return np.where(is_reached, least, first), np.where(is_reached, most, last)

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
        noises = []
        for name, factor in form.terms:
            column = self.columns[name]
            if not isinstance(column, Measured):
                return None
            noises.append((column.mechanism, abs(factor) * column.lattice.step))
        return tuple(sorted(noises, key=lambda term: (term[1], repr(term[0]))))

    def _center(self, form: Linear) -> tuple[Column, float]:
        """The released sum, and what the rounding of its floats may amount to."""
        cells = {name: self.columns[name].floats() for name, _ in form.terms}
        size = sum(abs(nearest(factor)) * float(np.abs(cells[name]).max(initial=0.0)) for name, factor in form.terms)
        error = (size + abs(nearest(form.constant))) * 2.0**-50 * (len(form.terms) + 2)
        return form.value(cells), error


def _known(low: Column, high: Column) -> Ends:
    """The ends, or the whole line where floats are too small to hold them."""
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


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
        return float_above(_accuracy(mechanism, beta) * factor)
    each = beta / len(terms)
    apart = float_above(sum((_accuracy(mechanism, each) * factor for mechanism, factor in terms), Fraction(0)))
    if all(type(mechanism) is DiscreteGaussian and mechanism.scale >= 1 for mechanism, _ in terms):
        return min(apart, gaussian_sum(terms, beta))
    if not all(type(mechanism) is Geometric for mechanism, _ in terms):
        return apart
    scales = tuple(factor * mechanism.scale for mechanism, factor in terms)  # type: ignore[attr-defined]
    together = laplace_sum(scales, beta)
    if math.isinf(together):
        return apart
    return min(apart, float_above(Fraction(together) + sum(factor for _, factor in terms)))


@lru_cache(maxsize=1024)
def _accuracy(mechanism: AdditiveMechanism, beta: Fraction) -> Fraction:
    """What one noise stays within; the pieces of an interval ask it of the same few noises again and again."""
    return Fraction(mechanism.accuracy(beta))


def gaussian_sum(terms: Terms, beta: Fraction) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta for discrete Gaussian Zᵢ of scale 1 or more; ∞ if beta is 0.

    Zᵢ lies within one step of a Gaussian Gᵢ of the same scale when both have the same quantile: for k ≥ 1 it holds that
    P(G ≥ k) ≤ P(Z ≥ k) ≤ P(G ≥ k − 1). With f(x) = exp(−x²/2σ²) the right side is Σ_{j≥k} f(j) ≤ ∫_{k−1} f and that the
    sum over all integers is at least σ√(2π), by Poisson summation. It is more by the part t = 2Σ exp(−2π²σ²m²) < 10⁻⁸;
    and Σ_{j≥k} f(j) exceeds ∫_k f by more than that part, since ∫_j^{j+1} f ≤ f(j)·(1 − exp(−x))/x with x = j/σ², which
    is below (1 − x/3)·f(j) for x ≤ 1 and below 0.64·f(j) beyond, and t < 1/3σ² ≤ x/3 for every σ ≥ 1. So the sum is a
    Gaussian one, give or take Σ cᵢ.
    """
    if beta <= 0:
        return math.inf
    low, high = 0.0, 2.0 * math.sqrt(math.log(beta.denominator) - math.log(beta.numerator) + 1)
    with precision(192):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if erfc(ball(Fraction(middle))) <= ball(beta) else (middle, high)
        variance = sum((factor**2 * mechanism.scale**2 for mechanism, factor in terms), Fraction(0))  # type: ignore[attr-defined]
        wide = upper(ball(Fraction(high)) * (2 * ball(variance)).sqrt())
    return float_above(Fraction(wide) + sum(factor for _, factor in terms))


def laplace_sum(scales: tuple[Fraction, ...], beta: Fraction) -> float:
    """An r with P[|Σ Lᵢ| > r] ≤ beta for independent Laplace variables; ∞ if beta is 0.

    With distinct scales the characteristic function ∏ 1/(1 + sᵢ²t²) is Σ Aᵢ/(1 + sᵢ²t²), Aᵢ = ∏ⱼ sᵢ²/(sᵢ² − sⱼ²), so
    the tail is Σ Aᵢ·exp(−r/sᵢ), exactly. Scales that are nearly equal are raised until they differ by a thousandth,
    which makes a sum of these continuous, unimodal laws less peaked  [Bir48]. The search starts where each stays within
    its own part of beta, and takes a smaller r only when its tail is proven: it ends, however many terms cancel.
    """
    if beta <= 0:
        return math.inf
    top, raised = max(scales), [Fraction(0)]
    for scale in sorted(scales):
        raised.append(Fraction(float_above(max(scale / top, raised[-1] * Fraction(_APART)))))
    del raised[0]
    surprise = math.log(len(raised)) + math.log(beta.denominator) - math.log(beta.numerator)
    low, high = 0.0, float(sum(raised)) * (surprise + 1)
    # a weight has some ten bits for each term, and they cancel down to beta
    with precision(96 + 12 * len(raised) + 2 * math.ceil(surprise)):
        tail = _tail(raised) if len(raised) <= _MOST_TERMS else _chernoff(raised)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if tail(middle) <= ball(beta) else (middle, high)
    return float_above(Fraction(high) * top)


def _tail(scales: list[Fraction]) -> Callable[[float], arb]:
    """The tail of a sum with distinct scales."""
    balls = [ball(scale) for scale in scales]
    squares = [scale**2 for scale in balls]
    weights = [
        math.prod((mine / (mine - other) for other in squares if other is not mine), start=ball(1)) for mine in squares
    ]

    def tail(r: float) -> arb:
        below = -ball(r)
        return sum((weight * (below / scale).exp() for weight, scale in zip(weights, balls, strict=True)), ball(0))

    return tail


def _chernoff(scales: list[Fraction]) -> Callable[[float], arb]:
    """No less than the tail: 2·exp(−λr)·∏ 1/(1 − λ²sᵢ²), the least over some λ; quick for any number of terms."""
    rates = [Fraction(i, 32) / max(scales) for i in range(1, 32)]
    logs = [sum((-(1 - ball(rate * scale) ** 2).log() for scale in scales), ball(2).log()) for rate in rates]

    def tail(r: float) -> arb:
        bounds = [(log - ball(rate) * ball(r)).exp() for log, rate in zip(logs, rates, strict=True)]
        return min(bounds, key=lambda bound: float(bound.mid()))

    return tail
