"""How fast the transform of a tilted loss decays, seen on a line beside the outcomes.

Let f_z = n·w^A be the integrand of M(z), z = s + it, over the outcomes y (`quadrature`), A = z + 1 with the mixture
first and −z otherwise, a = Re A. It is analytic where θ = slope·b stays below π and falls at both ends like a
Gaussian, so the integral may be taken along y + ib. There |n(y+ib)| = n(y)·e^(c2·b²/2), |w(y+ib)|² = w²·(1 −
4g(1−g)·sin²(θ/2)) with g = qE/w, and the phase damps: with b of the right sign

    |M(s+it)| ≤ ∫ n(y)·e^(c2·b²/2)·|w(y+ib)|^a·e^(−t·α(y)) dy,   α(y) = arg(1 − q + q·E(y)·e^(iθ)) ∈ (0, θ).

α rises in y, since E does. Where the outcomes end at `hi`, the way there and back adds the segment from hi to hi +
ib, ∫ f_s(hi)·e^(c2·β²/2 − t·α(hi, β)) dβ over β in [0, b]. For a fixed b all of this falls in t, so its value at t
holds for all that is beyond. For small losses it is that of a Gaussian law, e^(−t²·Var/2), where the slices of
`Tilt.log_decay` have 1/t only: with few steps that is the difference between some thirty terms and thousands.
"""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import exponent_of, window
from dalenius.guarantees.loss.rounding import UNIT, Uncertified, Vector

_CELLS = 384
_FURTHEST = 12.0
_ANGLE = 2.8
_RIGHT_ANGLE = 1.57
_SEGMENTS = 24
_SHARES = (1.0, 0.8, 0.62, 0.48, 0.36, 0.25, 0.15)
_ROUNDING = 1e-6
"""Added to every logarithm, and a relative 16u of its parts: far above what floats lose in it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One b: logarithms of shares of M(s) in each cell and on each segment at the end, with their angles."""

    log_shares: Vector
    angles: Vector
    outside: float

    def bound(self, t: float) -> float:
        with np.errstate(under="ignore"):
            return float(np.sum(np.exp(self.log_shares - t * self.angles))) * (1 + 1e-9) + self.outside


@dataclass(frozen=True, slots=True, eq=False)
class ShiftedDecay:
    """The bound of one piece on a few lines beside its outcomes."""

    lines: tuple[_Line, ...]

    def bound(self, t: float) -> float:
        """An upper bound on this piece's part of |φ(t')| for every t' ≥ t ≥ 0."""
        return min(line.bound(t) for line in self.lines)


def shifted_decay(piece: Piece, s: float, log_moment: float) -> ShiftedDecay:
    """The bound for a Gaussian piece that is unbounded to the left; `log_moment` is at most log M(s).

    On a cell between two points log n is at most the larger of its ends plus c2·h²/8, w^a the larger of its ends,
    g(1−g) that at the right end while g < ½ (else ¼), and α that at the left end. Beyond the cuts e^(−tα) ≤ 1 and f_s
    falls at the rates κ of `window`; with a < 0 and θ ≤ π/2 both w and |w(y+ib)| rise in y, so |w(y+ib)|^a is at most
    its value at the right cut.
    """
    if not (math.isinf(piece.lo) and piece.rate < 1.0 and piece.c2 == 1.0):
        raise Uncertified("no line beside these outcomes")
    a = exponent_of(piece, s)
    left, right, kappa_left, kappa_right = window(piece, s)
    if not min(kappa_left, kappa_right) > 0:
        raise Uncertified("no rate at the cut")
    y: Vector = np.linspace(left, right, _CELLS + 1)
    log_n, tilted = piece.log_n(y) - log_moment, (piece.power + s) * piece.loss(y)
    rounded = _ROUNDING + 16 * UNIT * float(np.max(np.abs(log_n) + np.abs(tilted)) + 2 * abs(log_moment))
    width = (right - left) / _CELLS
    top = np.maximum(log_n[:-1], log_n[1:]) + np.maximum(tilted[:-1], tilted[1:]) + width**2 / 8
    log_plain = top + math.log(width) + rounded
    log_f = log_n + tilted + rounded
    g = piece.slope_at(y) / piece.slope
    lines = []
    for share in _SHARES:
        b = share * min(_FURTHEST, (_ANGLE if a > 0 else _RIGHT_ANGLE) / piece.slope)
        theta, lifted = piece.slope * b, 0.5 * b * b
        dip = 4 * np.where(g < 0.5, g * (1 - g), 0.25) * math.sin(theta / 2) ** 2
        bend = -0.5 * max(-a, 0.0) * np.log1p(-np.minimum(dip * (1 + 1e-12), 1 - 1e-12))
        with np.errstate(over="ignore"):
            outside = (
                np.exp(log_f[0] + lifted + bend[0]) / kappa_left + np.exp(log_f[-1] + lifted + bend[-1]) / kappa_right
            )
        log_cells, angles = log_plain + lifted + bend[1:], _angle(g[:-1], theta)
        if math.isfinite(piece.hi):
            log_end, end_angles = _end(float(log_f[-1]), float(g[-1]), piece.slope, b, float(bend[-1]))
            log_cells, angles = np.concatenate([log_cells, log_end]), np.concatenate([angles, end_angles])
        lines.append(_Line(log_cells, angles, float(outside) * (1 + 1e-6)))
    return ShiftedDecay(tuple(lines))


def _angle(g: Vector, theta: Vector | float) -> Vector:
    """A lower bound on the angle of (1 − g) + g·e^(iθ), which is that of w(y + ib)."""
    angle: Vector = np.arctan2(g * np.sin(theta), 1 - g * (1 - np.cos(theta)))
    return angle * (1 - 1e-9)


def _end(log_f: float, g: float, slope: float, b: float, bend: float) -> tuple[Vector, Vector]:
    """The segment from hi to hi + ib in parts: on each e^(β²/2) at its far end, and the angle at an end.

    As a function of θ the angle rises up to cos θ = −g/(1−g) and falls from there on, so its least value on a part is
    at one of the ends.
    """
    beta: Vector = np.linspace(0.0, b, _SEGMENTS + 1)
    angle = _angle(np.full_like(beta, g), slope * beta)
    return log_f + bend + 0.5 * beta[1:] ** 2 + math.log(b / _SEGMENTS), np.minimum(angle[:-1], angle[1:])
