"""One pair on the line Re z = s: its log moment, its tilted law, and how fast the transform of that decays."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import Rule, rule
from dalenius.guarantees.loss.rounding import (
    BLOCK,
    FUNCTION,
    UNIT,
    WIDER,
    Uncertified,
    Vector,
    additions,
    blocked_sum,
)
from dalenius.guarantees.loss.shifted_decay import ShiftedDecay, shifted_decay

_EXPONENT = 600.0


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """M(z) = E(e^(zL); L < ∞) on z = s + it, |t| ≤ reach, by nodes `loss` with tilted weights `share` that sum to 1.

    log M(s) is `log_moment` ± `log_moment_error`; φ(t) = M(s+it)/M(s) is Σ share·e^(itL) ± (`flat` +
    |t|·`per_radian`).
    """

    s: float
    reach: float
    loss: Vector
    share: Vector
    log_moment: float
    log_moment_error: float
    flat: float
    per_radian: float
    layers: tuple[Vector, Vector]
    shifted: tuple[ShiftedDecay, ...] = ()
    atoms: float = 1.0
    """The share of the atoms, at most, which does not decay; 1 where `shifted` does not cover all pieces."""

    @property
    def mean(self) -> float:
        """About K'(s)."""
        return float(self.share @ self.loss)

    @property
    def variance(self) -> float:
        """About K''(s)."""
        centred = self.loss - self.mean
        return float(self.share @ (centred * centred))

    def log_characteristic(self, t: Vector) -> tuple[Vector, Vector, Vector]:
        """(real, imaginary) of log φ̃(t), and the bound on |φ(t) − φ̃(t)|.

        φ − 1 is summed, not φ, as Σ share·(−2sin²(tL/2) + i·sin tL): its error is then relative to |tL|, which counts
        when many steps are composed: |t|·Σ share·|L|·(relative errors) + |t|·Σ share·(error of L).
        """
        real, imaginary = np.zeros(len(t)), np.zeros(len(t))
        for start in range(0, len(self.loss), BLOCK):
            share = self.share[start : start + BLOCK]
            here, turned = _turned(t, self.loss[start : start + BLOCK])
            real, imaginary = real + here @ share, imaginary + turned @ share
        log_modulus, angle = _logarithm(real, imaginary)
        return log_modulus, angle, self.flat + np.abs(t) * self.per_radian

    def log_characteristics(self, step: float, last: int) -> tuple[Vector, Vector, Vector]:
        """`log_characteristic` at the multiples 0, …, `last` of a step, by one product of matrices.

        With t = a + b, a a multiple of a stride, e^(itL) − 1 = (e^(iaL) − 1)·e^(ibL) + (e^(ibL) − 1), so that sines are
        taken at about 2√last points only, and the two terms are at most |aL| and |bL|: the error stays relative to
        |tL|. The sum over nodes is taken in blocks, so that it rounds `additions` times and not once for each node.
        """
        stride = math.isqrt(last) + 1
        rows: Vector = np.arange(last // stride + 1, dtype=np.float64) * (stride * step)
        columns: Vector = np.arange(stride, dtype=np.float64) * step
        t: Vector = np.arange(last + 1, dtype=np.float64) * step
        total = np.zeros((len(rows), stride), dtype=np.complex128)
        for start in range(0, len(self.loss), BLOCK):
            loss, share = self.loss[start : start + BLOCK], self.share[start : start + BLOCK]
            (a, a_turned), (b, b_turned) = _turned(rows, loss), _turned(columns, loss)
            second = b + 1j * b_turned
            total += ((a + 1j * a_turned) * share) @ (1.0 + second).T + second @ share
        flat = total.ravel()[: last + 1]
        log_modulus, angle = _logarithm(flat.real, flat.imag)
        return log_modulus, angle, self.flat + t * self.per_radian

    def log_decay(self, t: float) -> float:
        """Upper bound on log sup of |φ| beyond t: φ is a mixture of uniform laws' and of something at most 1.

        A uniform law of width c has |sin(tc/2)/(tc/2)|, so |φ(t)| ≤ 1 − Σ weight·(1 − sup beyond of that). And it is at
        most what lines beside the outcomes give, plus the share of the atoms.
        """
        widths, weights = self.layers
        if not len(widths):
            return 0.0
        slices = math.log1p(-min(float(weights @ (1.0 - _sinc_beyond(0.5 * t * widths))) * (1 - 1e-9), 1.0 - 1e-9))
        beside = self.atoms + sum(each.bound(t) for each in self.shifted)
        return min(slices, math.log(beside)) if beside < 1 else slices


def _turned(t: Vector, loss: Vector) -> tuple[Vector, Vector]:
    """(real, imaginary) of e^(itL) − 1, each t a row."""
    half = 0.5 * np.multiply.outer(t, loss)
    sine = np.sin(half)
    return -2.0 * sine * sine, 2.0 * sine * np.cos(half)


def _logarithm(real: Vector, imaginary: Vector) -> tuple[Vector, Vector]:
    """(real, imaginary) of log φ from those of φ − 1."""
    gone = real * (2.0 + real) + imaginary * imaginary  # |φ|² − 1, which cancels where |φ| is small
    with np.errstate(divide="ignore"):
        small = np.log(np.hypot(1.0 + real, imaginary))
        log_modulus = np.where(gone > -0.5, 0.5 * np.log1p(np.maximum(gone, -0.5)), small)
    return log_modulus, np.arctan2(imaginary, 1.0 + real)


def tilt(pair: Pair, s: float, reach: float = 0.0, *, decay: bool = False) -> Tilt:
    """The tilted view of a pair, certified for |t| ≤ reach; its decay is bounded by 1 unless asked for."""
    rules = [rule(piece, s, reach) for piece in pair.pieces]
    loss, log_weight, loss_error, log_error = _joined(pair, rules)
    nodes = _Nodes(loss, log_weight, loss_error, log_error)
    large = float(np.max(s * loss)) > _EXPONENT
    moment = _in_logs(nodes, s) if large else _about_one(nodes, s, float(1 - pair.infinite) - pair.lost)
    missed, missed_at_zero = _missed(rules, moment.tilted, log_weight, moment.total, moment.shift)
    missed_at_zero += (1e-9 + 4 * UNIT) * pair.lost
    bound = (moment.error / moment.total + missed + (0.0 if large else missed_at_zero / moment.total)) * WIDER
    if not bound < 0.01:
        raise Uncertified("moment")
    share, size = moment.tilted / blocked_sum(moment.tilted), np.abs(loss)
    # a share, the sine and cosine of two angles, their product, and the sums of φ̃ and of the shares
    relative = moment.relative + (2 * additions(len(loss)) + 16) * UNIT + 6 * FUNCTION
    per_radian = float(share @ (relative * size + loss_error)) + float(share @ relative) * float(share @ size)
    layers = _layers(pair, rules if decay else [], s, moment.log_total + bound * 1.02 + 1e-9)
    off = bound * 1.02 + 16 * UNIT * abs(moment.log_total)
    shifted, atoms = _beside(pair, s, share, moment.log_total - off) if decay else ((), 1.0)
    errors = 2.1 * missed * WIDER, 1.05 * per_radian * WIDER
    return Tilt(s, reach, loss, share, moment.log_total, off, *errors, layers, shifted, atoms)


class _Nodes(NamedTuple):
    loss: Vector
    log_weight: Vector
    loss_error: Vector
    log_error: Vector


class _Moment(NamedTuple):
    """M(s) = total·e^shift, off by at most `error`·e^shift; each of its terms `tilted` by a `relative` error."""

    tilted: Vector
    total: float
    log_total: float
    shift: float
    error: float
    relative: Vector


def _in_logs(nodes: _Nodes, s: float) -> _Moment:
    """The sum of exponentials that would overflow, scaled by the largest."""
    exponent = nodes.log_weight + s * nodes.loss
    shift = float(np.max(exponent))
    tilted = np.exp(exponent - shift)
    total = float(np.sum(tilted))
    size = np.abs(nodes.log_weight) + s * np.abs(nodes.loss) + abs(shift)
    relative = nodes.log_error + s * nodes.loss_error + FUNCTION + 4 * UNIT * size
    error = float(tilted @ relative) + len(tilted) * UNIT * total
    return _Moment(tilted, total, math.log(total) + shift, shift, error, relative)


def _about_one(nodes: _Nodes, s: float, whole: float) -> _Moment:
    """M(0) + Σ weight·(e^(sL) − 1), M(0) being known: errors are relative to s|L|, not to 1."""
    weight, grown = np.exp(nodes.log_weight), np.expm1(s * nodes.loss)
    tilted = weight * (1.0 + grown)
    excess = float(weight @ grown)
    moved = s * (nodes.loss_error + 2 * UNIT * np.abs(nodes.loss))
    relative = nodes.log_error + 4 * FUNCTION
    size = np.abs(weight * grown)
    error = float(size @ relative) + float(tilted @ moved) + (len(weight) + 16) * UNIT * float(np.sum(size))
    log_total = math.log(whole) + math.log1p(excess / whole)
    return _Moment(tilted, whole + excess, log_total, 0.0, error, relative + moved + 4 * UNIT)


def _joined(pair: Pair, rules: list[Rule]) -> tuple[Vector, Vector, Vector, Vector]:
    """Nodes of all pieces, and the atoms as nodes whose numbers are within 8u."""
    atoms = [each for each in pair.atoms if each.first > 0]
    loss = np.array([each.loss for each in atoms])
    mass = np.array([each.first for each in atoms])
    log_mass = np.log(mass) if len(mass) else mass
    small = 8 * UNIT * np.abs(loss), 16 * UNIT * (1 + np.abs(log_mass))
    columns = (
        zip(*((r.loss, r.log_weight, r.loss_error, r.log_weight_error) for r in rules), strict=True)
        if rules
        else ((),) * 4
    )
    own = (loss, log_mass, *small)
    joined = tuple(np.concatenate([*parts, mine]) for parts, mine in zip(columns, own, strict=True))
    return joined[0], joined[1], joined[2], joined[3]


def _missed(rules: list[Rule], tilted: Vector, log_weight: Vector, total: float, shift: float) -> tuple[float, float]:
    """What quadrature and cutting miss: relative to M(s) on the line, absolute at z = 0."""
    on_line = at_zero = 0.0
    start = 0
    for each in rules:
        last = start + len(each.loss) - 1
        first_weight, last_weight = float(tilted[start]), float(tilted[last])
        on_line += each.relative + (each.ends[0] * first_weight + each.ends[1] * last_weight) / total
        on_line += math.exp(min(each.log_missed - shift - math.log(total), 0.0))
        plain = each.ends[0] * math.exp(float(log_weight[start])) + each.ends[1] * math.exp(float(log_weight[last]))
        at_zero += each.missed_at_zero + plain
        start = last + 1
    return on_line * 1.1, at_zero * 1.1


def _beside(pair: Pair, s: float, share: Vector, log_moment: float) -> tuple[tuple[ShiftedDecay, ...], float]:
    """The decay of each piece on lines beside its outcomes and the share of the atoms, or nothing and 1."""
    atoms = sum(1 for each in pair.atoms if each.first > 0)
    try:
        pieces = tuple(shifted_decay(piece, s, log_moment) for piece in pair.pieces)
    except Uncertified:
        return (), 1.0
    return pieces, float(np.sum(share[len(share) - atoms :])) * 1.02 if atoms else 0.0


def _layers(pair: Pair, rules: list[Rule], s: float, log_moment: float) -> tuple[Vector, Vector]:
    """Uniform laws inside the tilted law of the continuous losses: (widths, weights)."""
    if not rules:
        return np.empty(0), np.empty(0)
    layers = [_piece_layers(piece, each, s, log_moment) for piece, each in zip(pair.pieces, rules, strict=True)]
    return np.concatenate([widths for widths, _ in layers]), np.concatenate([weights for _, weights in layers])


def _piece_layers(piece: Piece, nodes: Rule, s: float, log_moment: float) -> tuple[Vector, Vector]:
    """A step function below the density of L, made unimodal from below, cut into horizontal slices.

    Between two nodes log n is concave, L monotone and |dL/dy| increasing in y, so the ends bound the density from
    below. The slices of a unimodal step function are intervals: taken from the highest step down, the k-th is as wide
    as the k highest steps together.
    """
    width = np.maximum(np.abs(np.diff(nodes.loss)) - nodes.loss_error[:-1] - nodes.loss_error[1:], 0.0)
    log_n = piece.log_n(nodes.y)
    tilted = (piece.power + s) * nodes.loss
    floor = np.minimum(log_n[:-1], log_n[1:]) + np.minimum(tilted[:-1], tilted[1:]) - log_moment
    with np.errstate(under="ignore"):
        density = np.exp(np.minimum(floor, _EXPONENT)) / piece.slope_at(nodes.y[1:])
    top = int(np.argmax(density * np.minimum(width, np.max(width))))
    density[top:] = np.minimum.accumulate(density[top:])
    density[: top + 1] = np.minimum.accumulate(density[top::-1])[::-1]
    order = np.argsort(-density, kind="stable")
    level = density[order]
    widths = np.cumsum(width[order])
    return widths, (level - np.append(level[1:], 0.0)) * widths


def _sinc_beyond(u: Vector) -> Vector:
    """The sup of |sin v / v| over v ≥ u: sin u/u above the second lobe's 0.21724 (at v = 4.4934), then at most 1/u."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(u < 2.55, np.where(u > 0, np.sin(u) / u, 1.0), 0.0)
        return np.maximum(first, np.where(u < 4.6, 0.21724, 1 / u))
