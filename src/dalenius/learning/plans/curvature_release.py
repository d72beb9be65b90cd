"""The curvature of a loss, released in two looks: the second where the first saw little."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.errors import UnprovenClaim
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, coded, whole_part
from dalenius.learning.data.rows import Matrix
from dalenius.learning.data.targets import Encoder
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.whole_noise import moves, whole_knorm
from dalenius.learning.sums.bends import BEND_DIGITS, Bends
from dalenius.mechanisms import Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits

ROUGH, LENGTHS, FINE = Fraction(2, 5), Fraction(1, 10), Fraction(1, 2)
"""The parts of ε: for a first look, for how long rows are in its axes, and for a second look."""
DIGITS, WEIGHT_DIGITS = 9, 20
_DIAGONAL, _BESIDE = 5, 7
"""What entries are multiplied by: 7² < 2·5², so that the vector is no longer than 5 times the matrix."""
_AXIS_DIGITS = 16
_FAINTEST = 2.0**-6
"""An axis is scaled down by no more than this, so that its whole numbers tell it."""
_MOST_DIGITS, _LARGEST_SCALE = 13, 39
"""Of a coordinate of the second look, where noise of at most 2³⁹ steps allows them."""
_LENGTHS = 40
_LONG_ROWS, _FEW_LONG_ROWS, _SEEN = 0.1, 0.01, 5.0
"""The share of rows that a second look may shorten: as few as noise lets be seen, from a hundredth to a tenth."""
_PIECE = 1 << 14
_MOST = 1 << 62
_SLACK = 1 - 2.0**-48
"""Covers the roundings of a row's factor, as in `UnitRows`."""


@dataclass(frozen=True, slots=True)
class MeasuredCurvature:
    """H in the axes Q of a first look, as QᵀHQ, with the variance of each entry's noise."""

    axes: Matrix
    matrix: Matrix
    variance: Matrix


@dataclass(frozen=True, slots=True)
class MatrixNoise:
    """Noise for Σ b·xxᵀ over rows of the unit ball, in ℓ2 or, where that is less, in ℓ∞  [HT10].

    In ℓ2 a row moves the entries, the pairs by √2 as much, by b₀; in ℓ∞ each by b₀m², m its largest coordinate. With D
    entries noise of ℓ2 has a variance of Δ²(D + 1)/ε² along every axis; of ℓ∞, Δ²(D + 1)(D + 2)/(3ε²) in every entry
    and up to twice that along an axis. All of it is public.
    """

    metric: Metric
    sensitivity: Sensitivity
    diagonal: int
    beside: int

    @classmethod
    def of(cls, unit: UnitRows, most: int, relation: Relation) -> "MatrixNoise":
        """The better of the two for these rows."""
        times, entries = moves(relation) * most, unit.width * (unit.width + 1) // 2
        largest = min(1 << DIGITS, math.ceil(2.0**DIGITS * max(1.0, unit.constant) / unit.radius))
        if 2 * largest**4 * (entries + 2) < 3 << 4 * DIGITS:
            return cls(Metric.LINF, Sensitivity(times * largest**2, Metric.LINF), 1, 1)
        return cls(Metric.L2, Sensitivity(times * _DIAGONAL << 2 * DIGITS, Metric.L2), _DIAGONAL, _BESIDE)

    def variance(self, scale: float, axes: Matrix) -> Matrix:
        """Of each entry of QᵀEQ, for noise of this scale in the entries' own steps."""
        d = len(axes)
        entries, steps = d * (d + 1) // 2, scale / self.diagonal
        if self.metric is Metric.L2:
            return steps**2 * (entries + 1) / 2 * (1 + np.eye(d))
        return steps**2 * (entries + 1) * (entries + 2) / 3 * (1 + np.eye(d) - (axes**2).T @ axes**2)


@dataclass(frozen=True, slots=True)
class CurvatureRelease:
    """Σ b(x·w)xxᵀ for public weights w: purely ε in three parts, each of which knows those before it  [A Thm 3.3].

    A look at all axes alike has the same noise along every one, and hides those along which rows are short. So after a
    first look Ĥ, of noise s along an axis, rows are written in its axes, each divided by its eigenvalue plus s: y = Ax.
    A noisy histogram says how long nearly all of them are then; they are held to that length r, and Σ b·yyᵀ is released
    with noise for b₀r², which is little along the axes that the first look could not see. b ≤ b₀ by a public rule.

    A unit is one row: the histogram counts rows, and a person who has several, each of a smaller weight, would be in as
    many bins. So rows with weights are refused here too, not by the models alone.
    """

    unit: UnitRows
    encoder: Encoder
    bends: Bends
    relation: Relation
    weights: Matrix
    """Whole numbers of 2⁻²⁰."""
    most: int
    """b₀ in whole steps of 2⁻¹⁰."""

    def run(self, view: AnyRows, epsilon: Fraction, rows: int, bits: Bits) -> MeasuredCurvature:
        """Look, measure lengths, look again, and weigh the two looks by their noise."""
        noise = MatrixNoise.of(self.unit, self.most, self.relation)
        mechanism = whole_knorm(noise.sensitivity, epsilon * ROUGH)
        released = mechanism.release(self.entries(view, None, noise), bits)
        size = 2.0 ** (2 * DIGITS + BEND_DIGITS)
        first = symmetric(np.asarray(released, np.float64) / size, noise, self.unit.width)
        values, axes = np.linalg.eigh(first)
        variance = noise.variance(float(mechanism.scale) / size, axes)
        spread = math.sqrt(float(np.diag(variance).max()))
        scaled = ScaledAxes.of(values, axes, spread)
        held = self.length(view, scaled, epsilon * LENGTHS, rows, bits)
        digits = self.fine_digits(epsilon)
        fine = self.fine_noise(digits)
        second = whole_knorm(fine.sensitivity, epsilon * FINE)
        entries = second.release(self.entries(view, (scaled, held, digits), fine), bits)
        size = 2.0 ** (2 * digits + BEND_DIGITS)
        shrunk = symmetric(np.asarray(entries, np.float64) / size, fine, self.unit.width)
        return combined(values, axes, variance, scaled.back(shrunk, held), scaled.noise(fine, second.scale, size, held))

    def fine_digits(self, epsilon: Fraction) -> int:
        """How finely the second look tells a row: from 9 to 13 digits, by the noise that they need; public."""
        steps = math.log2(moves(self.relation) * self.most * _DIAGONAL / float(epsilon * FINE))
        return max(DIGITS, min(_MOST_DIGITS, math.floor((_LARGEST_SCALE - steps) / 2)))

    def fine_noise(self, digits: int) -> MatrixNoise:
        """Of the second look, whose rows have length at most 1: 5·b₀, twice that where a row is replaced."""
        moved = moves(self.relation) * self.most * _DIAGONAL << 2 * digits
        return MatrixNoise(Metric.L2, Sensitivity(moved, Metric.L2), _DIAGONAL, _BESIDE)

    def length(self, view: AnyRows, scaled: "ScaledAxes", epsilon: Fraction, rows: int, bits: Bits) -> int:
        """k: few rows have ‖Ax‖² > 2⁻ᵏ, by a noisy histogram; a row is in one bin  [D Thm 2.8]."""
        mechanism = calibrate(Geometric, Sensitivity(moves(self.relation), Metric.L1), epsilon=epsilon)
        noisy = np.asarray(mechanism.release(self.histogram(view, scaled), bits), np.float64)
        allowed = min(_LONG_ROWS * rows, max(_FEW_LONG_ROWS * rows, _SEEN * moves(self.relation) / float(epsilon)))
        too_many = np.flatnonzero(np.cumsum(noisy)[:-1] > allowed)
        return int(too_many[0]) if len(too_many) else _LENGTHS - 1

    def histogram(self, view: AnyRows, scaled: "ScaledAxes") -> Any:
        """The number of rows with 2⁻ᵏ⁻¹ < ‖Ax‖² ≤ 2⁻ᵏ, for each k; the first and the last bin hold all beyond."""
        edges = np.array([2.0 ** (2 * (DIGITS + _AXIS_DIGITS) - k) for k in range(1, _LENGTHS)])[::-1]
        counts = np.zeros(_LENGTHS, np.int64)
        for x, _, present in self._pieces(view):
            squares = scaled.squares(scaled.steps(x))[present]
            counts += np.bincount(_LENGTHS - 1 - np.searchsorted(edges, squares), minlength=_LENGTHS)
        return counts

    def entries(self, view: AnyRows, looked: "tuple[ScaledAxes, int, int] | None", noise: MatrixNoise) -> Any:
        """The upper triangle of Σ b·xxᵀ, or of Σ b·yyᵀ: whole numbers, whatever their order."""
        d = self.unit.width
        total = np.zeros((d, d), object)
        for x, bend, present in self._pieces(view):
            y = x if looked is None else looked[0].held(x, *looked[1:])
            total += (y.T @ (y * np.where(present, bend, 0.0)[:, None])).astype(np.int64).astype(object)
        upper = np.triu_indices(d)
        factors = np.where(upper[0] == upper[1], noise.diagonal, noise.beside)
        return np.array([max(-_MOST, min(_MOST, int(v) * int(f))) for v, f in zip(total[upper], factors, strict=True)])

    def _pieces(self, view: AnyRows) -> Iterator[tuple[Matrix, Matrix, Any]]:
        """(steps of rows, their second derivatives, whether they have a target), some thousands at a time."""
        if isinstance(view, WeightedRows):
            raise UnprovenClaim("the curvature counts rows, one for each person: it has no rule for rows with weights")
        for part in coded(view, self.unit, self.encoder):
            steps, target, _ = whole_part(part)
            for start in range(0, len(steps), _PIECE):
                piece = slice(start, start + _PIECE)
                margins = (steps[piece] @ self.weights) * 2.0 ** -(DIGITS + WEIGHT_DIGITS)  # whole below 2⁵³, scaled
                yield steps[piece], self.bends.at(margins, self.most), ~np.isnan(target[piece])


@dataclass(frozen=True, slots=True)
class ScaledAxes:
    """y = Ax for a public A, close to diag(scales)·Qᵀ: whole numbers of 2⁻¹⁶, so that y is exact."""

    axes: Matrix
    scales: Matrix
    whole: Matrix
    """A's transpose, times 2¹⁶."""

    @classmethod
    def of(cls, values: Matrix, axes: Matrix, spread: float) -> "ScaledAxes":
        """One over eigenvalue plus noise, the largest of them 1."""
        with np.errstate(all="ignore"):
            faint = 1 / (np.maximum(values, 0.0) + spread)
            scales = np.maximum(np.nan_to_num(faint / faint.max(), nan=1.0), _FAINTEST)
        return cls(axes, scales, np.round(axes * scales * 2.0**_AXIS_DIGITS))

    def steps(self, x: Matrix) -> Matrix:
        """Y in steps of 2⁻²⁵: whole numbers below 2⁵³, exact in any order."""
        y: Matrix = x @ self.whole
        return y

    @staticmethod
    def squares(y: Matrix) -> Matrix:
        """‖y‖² in steps: at most some 2⁵⁰, exact in any order."""
        total: Matrix = (y * y).sum(axis=1)
        return total

    def held(self, x: Matrix, k: int, digits: int) -> Matrix:
        """Y over the length 2^(−k/2), shortened where it is longer, in steps: each row of length at most 2^digits."""
        y = self.steps(x)
        lengths = np.sqrt(np.maximum(self.squares(y), 2.0 ** (2 * (DIGITS + _AXIS_DIGITS) - k)))
        whole: Matrix = np.trunc(y * (2.0**digits * _SLACK / lengths)[:, None])
        return whole

    def back(self, shrunk: Matrix, k: int) -> Matrix:
        """QᵀHQ from Σ b·yyᵀ of rows that were divided by the length 2^(−k/2)."""
        inverse = np.linalg.inv(self.whole * 2.0**-_AXIS_DIGITS) @ self.axes
        turned: Matrix = inverse.T @ shrunk @ inverse * 2.0**-k
        return turned

    def noise(self, fine: MatrixNoise, scale: Fraction, size: float, k: int) -> Matrix:
        """The variance of each entry of what `back` gives."""
        own = fine.variance(float(scale) / size, np.eye(len(self.scales)))
        variance: Matrix = own * (2.0**-k / np.outer(self.scales, self.scales)) ** 2
        return variance


def symmetric(entries: Matrix, noise: MatrixNoise, d: int) -> Matrix:
    """The matrix of an upper triangle whose entries were multiplied."""
    upper, whole = np.triu_indices(d), np.zeros((d, d))
    whole[upper] = entries / np.where(upper[0] == upper[1], noise.diagonal, noise.beside)
    return whole + np.triu(whole, 1).T


def combined(values: Matrix, axes: Matrix, rough: Matrix, second: Matrix, fine: Matrix) -> MeasuredCurvature:
    """Both looks in the axes of the first, entry by entry weighed by one over their variances."""
    share = rough / (rough + fine)
    return MeasuredCurvature(axes, share * second + (1 - share) * np.diag(values), share * fine)
