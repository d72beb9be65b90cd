"""Variances, covariances and correlations of numbers with noise: every value they take over a box.

The numbers of a group lie in a box [a₁, b₁] × … × [aₙ, bₙ]. A variance is the least mean square distance from one
point: Var x = min_c Σ(xᵢ − c)²/n. So over the box

- its least value is min_c Σ d(c, [aᵢ, bᵢ])²/n, exactly, for both minima may change places;
- its largest is at most Σ max((aᵢ − c)², (bᵢ − c)²)/n for every c, for max min ≤ min max.

Both sums are convex in c, so bisection on their slope finds the c that does best; whichever c it finds, the second
bound holds, and from the first what a convex function may still fall by, |slope| · |bracket|, is taken off.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.formula import Linear
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.values import (
    MISSING,
    Between,
    CombinedValue,
    Exact,
    MadeValue,
    Unknown,
    Value,
    formula_of,
)

Floats = NDArray[np.float64]
Ends = tuple[float, float]
_HALVINGS = 80
_SLACK = 1e-12
"""More than the roundings of a few thousand additions of positive numbers, relative to their sum."""


def variance_of(values: Sequence[Value], region: JointRegion, sample: bool, root: bool) -> Value:
    """VAR_POP or VAR_SAMP, or the root of it, of numbers none of which may be NULL, in rows that are surely there."""
    ends = _box(values, region)
    degrees = len(values) - sample
    if not values or degrees < 1:
        return Exact(None)
    if ends is None:
        return Unknown("a variance of what is no number has no rule for regions")
    mean = math.fsum(float(value.point) for value in values) / len(values)
    square = math.fsum((float(value.point) - mean) ** 2 for value in values) / degrees
    point = math.sqrt(square) if root else square
    if all(isinstance(value, Exact) for value in values):
        return Exact(point)
    low, high = squares_between(*ends)
    low, high = low / degrees, high / degrees
    if root:
        low, high = math.sqrt(low), math.sqrt(high)
    return Between(low * (1 - _SLACK), high * (1 + _SLACK), point)


def variance_of_some(sure: Sequence[Ends], perhaps: Sequence[Ends], point: Any, sample: bool, root: bool) -> Between:
    """A variance, or its root, of all numbers that are surely there and any of those that may be.

    For every c the variance of a set S is at most Σ_S max((aᵢ − c)², (bᵢ − c)²) over the degrees of freedom, |S| or
    |S| − 1: of sets of one size that is largest with the largest of these, so one set of each size is looked at. And
    Σ_S (xᵢ − mean)² does not fall as S grows, so what is surely there gives the least sum, and all the most degrees.
    """
    box = np.array([*sure, *perhaps], np.float64).reshape(-1, 2)
    most, least = len(box) - sample, len(sure) - sample
    if most < 1:
        return Between(0.0, 0.0, point, nullable=True)
    low, high = 0.0, math.inf
    with np.errstate(over="ignore", invalid="ignore"):
        if len(sure) > 1:
            low = squares_between(*np.array(sure, np.float64).T)[0] / most
        if np.isfinite(box).all():
            high = min(_largest_of_some(box, len(sure), sample, c) for c in _centres(box, len(sure)))
    high = math.inf if math.isnan(high) else high
    if root:
        low, high = math.sqrt(low), math.sqrt(high)
    return Between(low * (1 - _SLACK), high * (1 + _SLACK), point, nullable=least < 1)


def _centres(box: Floats, sure: int) -> list[float]:
    """Points to measure from: any will do, and these do well."""
    sides = [box, box[:sure]] if sure else [box]
    return [float(one[:, 0].min() / 2 + one[:, 1].max() / 2) for one in sides]


def _largest_of_some(box: Floats, sure: int, sample: bool, c: float) -> float:
    """The largest mean square distance from c, by the degrees of freedom, over all sets."""
    squares = np.maximum(np.abs(box[:, 0] - c), np.abs(box[:, 1] - c)) ** 2
    sums = float(squares[:sure].sum()) + np.concatenate([[0.0], np.cumsum(np.sort(squares[sure:])[::-1])])
    degrees = sure + np.arange(len(sums)) - sample
    return float((sums[degrees >= 1] / degrees[degrees >= 1]).max())


def squares_between(low: Floats, high: Floats) -> Ends:
    """The least and a largest Σ(xᵢ − mean)² over a box."""
    if len(low) < 2:
        return 0.0, 0.0
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return 0.0, math.inf

    def near(c: float) -> Floats:
        return np.asarray(np.maximum(c - high, 0.0) - np.maximum(low - c, 0.0))

    def far(c: float) -> Floats:
        return np.asarray(np.where(c - low > high - c, c - low, c - high))

    start, end = float(low.min()), float(high.max())
    with np.errstate(over="ignore", invalid="ignore"):
        middle, bracket = _least(near, start, end)
        distances = near(middle)
        least = float(distances @ distances) * (1 - _SLACK) - 2 * abs(float(distances.sum())) * bracket
        distances = far(_least(far, start, end)[0])
        most = float(distances @ distances) * (1 + _SLACK)
    return (least if least > 0 and math.isfinite(least) else 0.0), (math.inf if math.isnan(most) else most)


def _least(distances: Callable[[float], Floats], low: float, high: float) -> tuple[float, float]:
    """Where the sum of the squares of these is least, and how wide the bracket is that holds it."""
    for _ in range(_HALVINGS):
        middle = low / 2 + high / 2
        if float(distances(middle).sum()) >= 0:
            high = middle
        else:
            low = middle
    return low / 2 + high / 2, high - low


def covariance_of(values: Sequence[Value], by: Sequence[Value], region: JointRegion, sample: bool) -> Value:
    """COVAR_POP or COVAR_SAMP; a sum of released numbers where one side is public: Σ(xᵢ − mean)·yᵢ over the degrees."""
    degrees = len(values) - sample
    if not values or degrees < 1:
        return Exact(None)
    if not all(_is_finite(value.point) for value in (*values, *by)):
        return Unknown("a covariance of what is no number has no rule for regions")
    point: Any = _products(values, by) / degrees
    for public, other in ((values, by), (by, values)):
        if not all(isinstance(value, Exact) for value in public):
            continue
        if all(isinstance(value, Exact) for value in other):
            return Exact(point)
        mean = sum((Fraction(value.point) for value in public), Fraction(0)) / len(public)
        weights = [(Fraction(value.point) - mean) / degrees for value in public]
        forms = [None if formula is None else formula.linear() for formula in map(formula_of, other)]
        if None not in forms:
            return MadeValue(CombinedValue(_weighted([one for one in forms if one is not None], weights)), point)
    boxes = _box(values, region), _box(by, region)
    if boxes[0] is None or boxes[1] is None:
        return Unknown("a covariance of what is no number has no rule for regions")
    low, high = _joint_products(boxes[0], boxes[1])
    return Between(*_outward(low / degrees, high / degrees), point)


def correlation_of(values: Sequence[Value], by: Sequence[Value], region: JointRegion) -> Value:
    """CORR: the covariance over the root of both variances, each within its own ends, and never beyond 1."""
    if len(values) < 2:
        return Unknown("CORR of fewer than two rows has no rule for regions")
    boxes = _box(values, region), _box(by, region)
    covariance = covariance_of(values, by, region, sample=False)
    ends = region.ends(covariance)
    if boxes[0] is None or boxes[1] is None or ends is None:
        return Unknown("a correlation of what is no number has no rule for regions")
    squares = [squares_between(*box) for box in boxes if box is not None]
    low = math.sqrt(squares[0][0]) * math.sqrt(squares[1][0]) / len(values) * (1 - _SLACK)
    high = math.sqrt(squares[0][1]) * math.sqrt(squares[1][1]) / len(values) * (1 + _SLACK)
    root = math.sqrt(_products(values, values)) * math.sqrt(_products(by, by))
    point: Any = min(1.0, max(-1.0, _products(values, by) / root)) if root else MISSING
    if all(isinstance(value, Exact) for value in (*values, *by)):
        return Exact(point) if root else Unknown("CORR of one value has no rule for regions")
    least = ends[0] / (low if ends[0] < 0 else high) if low else -1.0
    most = ends[1] / (low if ends[1] > 0 else high) if low else 1.0
    return Between(*_within_one(*_outward(least, most)), point, nullable=not low)


def _within_one(low: float, high: float) -> Ends:
    return (low if low > -1 else -1.0), (high if high < 1 else 1.0)


def _box(values: Sequence[Value], region: JointRegion) -> tuple[Floats, Floats] | None:
    """Ends of every number; all are asked for before one is missed."""
    ends = [region.ends(value) for value in values]
    known = [pair for pair in ends if pair is not None]
    if len(known) < len(ends) or not all(_is_finite(value.point) for value in values):
        return None
    return np.array([low for low, _ in known]), np.array([high for _, high in known])


def _is_finite(point: Any) -> bool:
    return isinstance(point, int | float | Fraction) and math.isfinite(point)


def _products(values: Sequence[Value], by: Sequence[Value]) -> float:
    """Σ(x − mean)(y − mean) in what was released."""
    x, y = ([float(value.point) for value in side] for side in (values, by))
    means = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return math.fsum((a - means[0]) * (b - means[1]) for a, b in zip(x, y, strict=True))


def _weighted(forms: Sequence[Linear], weights: Sequence[Fraction]) -> Linear:
    terms: dict[str, Fraction] = {}
    constant = Fraction(0)
    for form, weight in zip(forms, weights, strict=True):
        constant += weight * form.constant
        for name, factor in form.terms:
            terms[name] = terms.get(name, Fraction(0)) + weight * factor
    return Linear.of(terms, constant)


def _joint_products(x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Ends:
    """Ends of Σ(xᵢ − x̄)(yᵢ − ȳ) = Σ(xᵢ − c)(yᵢ − d) − n(x̄ − c)(ȳ − d), for c and d in the middle of the released."""
    size = len(x[0])
    with np.errstate(all="ignore"):
        c, d = (float(np.nan_to_num(side[0] / 2 + side[1] / 2).mean()) for side in (x, y))
        x, y = (x[0] - c, x[1] - c), (y[0] - d, y[1] - d)
        low, high = _sum_of_products(x, y)
        means = [(np.array([side[0].mean()]), np.array([side[1].mean()])) for side in (x, y)]
        least, most = _sum_of_products(means[0], means[1])
    return low - size * most, high - size * least


def _sum_of_products(x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Ends:
    """Ends of Σ xᵢyᵢ: each product is extreme at a corner."""
    with np.errstate(all="ignore"):
        corners = np.stack([np.where((a == 0) | (b == 0), 0.0, a * b) for a in x for b in y])
    low, high = corners.min(axis=0), corners.max(axis=0)
    wide = _SLACK * float(np.abs(corners).max(axis=0).sum())
    return float(low.sum()) - wide, float(high.sum()) + wide


def _outward(low: float, high: float) -> Ends:
    """A little wider; the whole line where ∞ − ∞ has left nothing."""
    low, high = low - _SLACK * abs(low), high + _SLACK * abs(high)
    return (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)
