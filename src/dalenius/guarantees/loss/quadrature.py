"""Sums that stand for E e^(zL) over a continuous piece, with a proven distance to it.

Write f_z(y) for n(y)·e^((power+z)L(y)), z = s + it: the integrand of M(z) = E e^(zL). In y + ib, with θ = slope·b <
π,

    |n(y+ib)| = n(y)·e^(c2·b²/2),   |arg w| ≤ θ,   cos(θ/2)·w(y) ≤ |w(y+ib)| ≤ w(y),

the last since |A + Be^(iθ)|² = (A+B)² − 4AB·sin²(θ/2) ≥ (A+B)²·cos²(θ/2). With a the real exponent of w (s + 1, or −s
when the mixture is second), |f_z(y+ib)| ≤ f_s(y)·e^h with h = c2·b²/2 + |t|θ + max(0,−a)·(−log cos(θ/2)). So:

*On the whole line* the trapezoid sum of step η is within 2·e^h/(e^(2πb/η) − 1) · M(s) of M(z)  [TW14, Thm 5.1].

*Cut off at Y*, f_s falls outward at a rate κ = |Y| − (pull of w there) > 0, so what is cut is at most f_s(Y)·(1/κ +
η).

*On a bounded interval* of half-width R, Gauss–Legendre with m nodes is within (64/15)·R·S·ρ^(−2m)/(1 − ρ^(−2)), S the
supremum over the ellipse of semi-axes R(ρ ± 1/ρ)/2 (the smaller is b)  [Tre13, Thm 19.3]; S ≤
f_s(centre)·e^(G·R(ρ+1/ρ)/2 + h), G bounding |(log f_s)'|.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from flint import arb

from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.rounding import UNIT, WIDER, Uncertified, Vector
from dalenius.numerics import precision

_LARGEST_EXPONENT = 700.0
_REACH = 9.5  # standard deviations beyond the tilted law: e^(−45) of it is cut
_GOAL = 50.0  # the quadrature error is e^(−50) of M(s), so 1e9 steps keep 12 digits
_ANGLE = 2.6
_NODES = 32
_MANY = 3_000
_MOST = 40_000
_FIRST_PANELS = 8


class Rule(NamedTuple):
    """Nodes of one piece: P's share e^log_weight at `loss`, with bounds on the error of both.

    What the sum misses is at most `relative`·M(s) + e^log_missed + (the `ends` times the outermost tilted weights)
    for every |t| ≤ reach, and at most `missed_at_zero` + (the `ends` times the outermost weights) for z = 0.
    """

    y: Vector
    loss: Vector
    log_weight: Vector
    loss_error: Vector
    log_weight_error: Vector
    ends: tuple[float, float]
    relative: float
    log_missed: float
    missed_at_zero: float


def rule(piece: Piece, s: float, reach: float) -> Rule:
    """Nodes good for every z = s + it and for z = 0, |t| ≤ reach."""
    if math.isinf(piece.lo) and math.isinf(piece.hi):
        trapezoid = _trapezoid(piece, s, reach)
        if trapezoid is not None:
            return trapezoid
    return _panels(piece, s, reach)


def exponent_of(piece: Piece, s: float) -> float:
    """a, the real exponent of w in f_z."""
    return s + 1.0 if piece.mixed_first else -s


def window(piece: Piece, s: float) -> tuple[float, float, float, float]:
    """Where to cut, and the rates κ at which f_s and f_0 fall beyond.

    (log f)' = c1 − c2·y + a·(log w)', with 0 ≤ (log w)' ≤ slope, rising in y.
    """
    a = exponent_of(piece, s)
    right, kappa_right = piece.hi, math.inf
    if piece.hi == math.inf:
        centre = piece.c1 + max(a, 1.0) * piece.slope
        right, kappa_right = centre + _REACH, _REACH
    if piece.lo > -math.inf:
        return piece.lo, right, math.inf, kappa_right
    start = piece.c1 - _REACH
    if a < 0:
        start = min(start, _balance(piece, -a) - _REACH)
    left = min(start, right - _REACH)
    return left, right, piece.c1 - left - max(-a, 0.0) * _slope_at(piece, left), kappa_right


def _balance(piece: Piece, pull: float) -> float:
    """About the y where c1 − y = pull·|L'(y)|: the mode of n·w^(−pull)."""
    low, high = piece.c1 - pull * piece.slope, piece.c1
    for _ in range(40):
        y = 0.5 * (low + high)
        low, high = (y, high) if piece.c1 - y > pull * _slope_at(piece, y) else (low, y)
    return low


def _slope_at(piece: Piece, y: float) -> float:
    """`Piece.slope_at` for one y."""
    argument = piece.slope * y - piece.offset
    if piece.rate == 1.0:
        return piece.slope
    return piece.slope * piece.rate / (piece.rate + piece.rest * math.exp(min(-argument, _LARGEST_EXPONENT)))


def _trapezoid(piece: Piece, s: float, reach: float) -> Rule | None:
    a = exponent_of(piece, s)
    left, right, kappa_left, kappa_right = window(piece, s)
    widest = min(10.0, _ANGLE / piece.slope) if piece.rate < 1.0 else 10.0
    step = max(_step(piece, a, reach, widest * share) for share in (0.25, 0.5, 0.75, 1.0))
    count = math.ceil((right - left) / step) + 1
    if count > _MANY:
        return None
    y: Vector = left + step * np.arange(count, dtype=np.float64)
    kappa_right = kappa_right + y[-1] - right
    ends = (1 / (kappa_left * step) + 1, 1 / (kappa_right * step) + 1)
    error = 2.1 * math.exp(-_GOAL)
    return Rule(
        *_evaluated(piece, y, np.full(count, math.log(step)), 4 * UNIT * np.abs(y)), ends, error, -math.inf, error
    )


def _step(piece: Piece, a: float, reach: float, b: float) -> float:
    """η with h − 2πb/η = −_GOAL."""
    theta = piece.slope * b
    bend = -math.log(math.cos(theta / 2)) * max(-a, 0.0) if piece.rate < 1.0 and theta < math.pi else 0.0
    return 2 * math.pi * b / (_GOAL + 0.5 * piece.c2 * b * b + reach * theta + bend)


def _panels(piece: Piece, s: float, reach: float) -> Rule:
    """Gauss–Legendre on panels, halved where their error is too large: phases turn fast at large losses only."""
    left, right, kappa_left, kappa_right = window(piece, s)
    marks = np.linspace(left, right, _FIRST_PANELS + 1)
    centres, halves = 0.5 * (marks[1:] + marks[:-1]), 0.5 * np.diff(marks)
    goal, size = 8.0 - _GOAL - math.log(_MOST / _NODES), -math.inf
    kept: list[tuple[Vector, Vector, Vector, Vector]] = []
    number = 0
    while len(centres):
        if (number + len(centres)) * _NODES > _MOST:
            raise Uncertified("panels")
        log_missed, largest = _panel_errors(piece, s, reach, centres, halves)
        at_zero, _ = _panel_errors(piece, 0.0, 0.0, centres, halves)
        size = max(size, largest)
        large = np.maximum(log_missed - max(size, 0.0), at_zero) > goal
        kept.append((centres[~large], halves[~large], log_missed[~large], at_zero[~large]))
        number += len(kept[-1][0])
        smaller = 0.5 * halves[large]
        centres = np.concatenate([centres[large] - smaller, centres[large] + smaller])
        halves = np.concatenate([smaller, smaller])
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    order = np.argsort(columns[0])
    return _on_panels(piece, s, (left, right), (kappa_left, kappa_right), *(column[order] for column in columns))


def _on_panels(
    piece: Piece,
    s: float,
    cuts: tuple[float, float],
    kappas: tuple[float, float],
    centres: Vector,
    halves: Vector,
    log_missed: Vector,
    at_zero: Vector,
) -> Rule:
    nodes, weights = legendre(_NODES)
    y = (centres[:, None] + halves[:, None] * nodes).ravel()
    # a centre and a half are sums of dyadic parts of the cuts: off by at most 2u of the cuts a halving
    placed = np.full(len(y), 128 * UNIT * max(abs(cuts[0]), abs(cuts[1])))
    outermost = float(halves[0] * weights[0]), float(halves[-1] * weights[-1])
    ends = _tails(piece, s, y, cuts, kappas, outermost)
    evaluated = _evaluated(piece, y, np.log((halves[:, None] * weights).ravel()), placed)
    missed, missed_at_zero = (float(np.logaddexp.reduce(each)) + 1e-6 for each in (log_missed, at_zero))
    return Rule(*evaluated, ends, 0.0, missed, math.exp(missed_at_zero))


def _tails(
    piece: Piece,
    s: float,
    y: Vector,
    cuts: tuple[float, float],
    kappas: tuple[float, float],
    weights: tuple[float, float],
) -> tuple[float, float]:
    """Factors on the outermost weights that bound what lies beyond the cuts, f(cut)/κ.

    Between the node next to a cut and the cut, |(log f)'| ≤ |c1| + c2·|y| + (s+1)·|L'|, over far less than a panel.
    """
    growth = (
        abs(piece.c1)
        + piece.c2 * float(np.max(np.abs(y)))
        + (s + 1) * float(np.max(piece.slope_at(np.array([cuts[0], cuts[1]]))))
    )
    factors = []
    for node, cut, kappa, weight in zip((float(y[0]), float(y[-1])), cuts, kappas, weights, strict=True):
        factors.append(0.0 if math.isinf(kappa) else math.exp(min(growth * abs(cut - node), 700.0)) / (kappa * weight))
    return factors[0], factors[1]


def _panel_errors(piece: Piece, s: float, reach: float, centres: Vector, halves: Vector) -> tuple[Vector, float]:
    """The log of the Gauss–Legendre bound of each panel, on its best ellipse, and log of about the largest panel.

    With g = qE/w at the right end of a panel's ellipse (g rises in y), |arg w| ≤ gθ/cos(θ/2), as its derivative in θ
    is Re(qEe^(iθ)/w) ≤ |qE/w|, and |w|² = w²(1 − 4g(1−g)sin²(θ/2)). Where the mixture is mostly the other law, large
    s and t do no harm.
    """
    a = exponent_of(piece, s)
    log_f = piece.log_n(centres) + (piece.power + s) * piece.loss(centres)
    best = np.full_like(centres, math.inf)
    for rho in (1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0):
        wide, b = halves * (rho + 1 / rho) / 2, halves * (rho - 1 / rho) / 2
        theta = piece.slope * b
        steep = piece.slope_at(centres + wide)
        angle, bend, allowed = theta, np.zeros_like(centres), np.ones(len(centres), dtype=bool)
        if piece.rate < 1.0:
            allowed = theta <= _ANGLE
            half_angle = 0.5 * np.where(allowed, theta, 0.0)
            g = steep / piece.slope
            angle = g * theta / np.cos(half_angle)
            dip = 4 * np.where(g < 0.5, g * (1 - g), 0.25) * np.sin(half_angle) ** 2
            bend = -0.5 * max(-a, 0.0) * np.log1p(-dip)
        slope = abs(piece.c1) + piece.c2 * (np.abs(centres) + wide) + abs(a) * steep
        height = log_f + slope * wide + 0.5 * piece.c2 * b * b + reach * angle + bend - 2 * _NODES * math.log(rho)
        bound = height + np.log(64 / 15 * halves / (1 - rho**-2))
        best = np.where(allowed, np.minimum(best, bound), best)
    return best, float(np.max(log_f + np.log(halves)))


def _evaluated(
    piece: Piece, y: Vector, log_step: Vector, placed: Vector
) -> tuple[Vector, Vector, Vector, Vector, Vector]:
    """(y, loss, log weight, and the errors of the two); a node is within `placed` of where the rule wants it."""
    loss = piece.loss(y)
    loss_error = (piece.loss_error(y, loss) + piece.slope_at(y) * placed) * WIDER
    log_n = piece.log_n(y)
    rounded = 8 * UNIT * (1 + np.abs(log_step) + np.abs(log_n) + np.abs(loss))
    moved = (abs(piece.c1) + piece.c2 * np.abs(y)) * placed
    log_error = (piece.log_n_error(y) + moved + piece.power * loss_error + rounded) * WIDER
    return y, loss, log_n + piece.power * loss + log_step, loss_error, log_error


@functools.cache
def legendre(count: int) -> tuple[Vector, Vector]:
    """Gauss–Legendre nodes and weights, correctly rounded from flint's enclosures, in increasing order."""
    with precision(128):
        pairs = [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
    by_node = sorted((float(x.mid()), float(w.mid())) for x, w in pairs)
    nodes, weights = np.array(by_node).T
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights
