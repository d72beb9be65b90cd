"""One pair seen from the line Re z = s: its log moment, its tilted law, and how fast the characteristic function of that decays."""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import Rule, rule
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, WIDER, Uncertified, Vector

_EXPONENT = 600.0


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """M(z) = E(e^(zL); L < ∞) on z = s + it, |t| ≤ reach, by nodes `loss` with tilted weights `share` that sum to 1.

    log M(s) is `log_moment` ± `log_moment_error`; φ(t) = M(s+it)/M(s) is Σ share·e^(itL) ± (`flat` + |t|·`per_radian`).
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

        φ − 1 is summed, not φ, as Σ share·(−2sin²(tL/2) + i·sin tL): its error is then relative to |tL|, which counts when many steps are
        composed: |t|·Σ share·|L|·(relative errors) + |t|·Σ share·(error of L).
        """
        half = 0.5 * np.multiply.outer(t, self.loss)
        sine = np.sin(half)
        real = -2.0 * (sine * sine) @ self.share
        imaginary = 2.0 * (sine * np.cos(half)) @ self.share
        modulus = np.maximum(real * (2.0 + real) + imaginary * imaginary, -1.0)
        with np.errstate(divide="ignore"):
            log_modulus = 0.5 * np.log1p(modulus)
        return log_modulus, np.arctan2(imaginary, 1.0 + real), self.flat + np.abs(t) * self.per_radian

    def log_decay(self, t: float) -> float:
        """Upper bound on log sup of |φ| beyond t: φ is a mixture of uniform laws' and of something at most 1.

        A uniform law of width c has |sin(tc/2)/(tc/2)|, so |φ(t)| ≤ 1 − Σ weight·(1 − sup beyond of that).
        """
        widths, weights = self.layers
        if not len(widths):
            return 0.0
        return math.log1p(-min(float(weights @ (1.0 - _sinc_beyond(0.5 * t * widths))) * (1 - 1e-9), 1.0 - 1e-9))


def tilt(pair: Pair, s: float, reach: float = 0.0) -> Tilt:
    """The tilted view of a pair, certified for |t| ≤ reach."""
    rules = [rule(piece, s, reach) for piece in pair.pieces]
    loss, log_weight, loss_error, log_error = _joined(pair, rules)
    whole = float(1 - pair.infinite) - pair.lost
    exponent = log_weight + s * loss
    large = float(np.max(s * loss)) > _EXPONENT
    shift = float(np.max(exponent)) if large else 0.0
    if large:
        tilted = np.exp(exponent - shift)
        total = float(np.sum(tilted))
        log_moment = math.log(total) + shift
        relative = log_error + s * loss_error + FUNCTION + 4 * UNIT * (np.abs(log_weight) + s * np.abs(loss) + abs(shift))
        error = float(tilted @ relative) + len(loss) * UNIT * total
    else:
        weight = np.exp(log_weight)
        grown = np.expm1(s * loss)
        tilted = weight * (1.0 + grown)
        excess = float(weight @ grown)
        total = whole + excess
        log_moment = math.log(whole) + math.log1p(excess / whole)
        relative = log_error + 4 * FUNCTION
        error = float(np.abs(weight * grown) @ relative)
        error += float(tilted @ (s * loss_error)) + (len(loss) + 8) * UNIT * float(weight @ np.abs(grown)) + 8 * UNIT * abs(excess)
        relative = relative + s * loss_error + UNIT * (4 + s * np.abs(loss))
    missed, missed_at_zero = _missed(rules, tilted, log_weight, total, shift)
    missed_at_zero += 1e-9 * pair.lost + 4 * UNIT * pair.lost
    bound = (error / total + missed + (0.0 if large else missed_at_zero / total)) * WIDER
    if not bound < 0.01:
        raise Uncertified("moment")
    share = tilted / float(np.sum(tilted))
    relative = relative + (len(loss) + 16) * UNIT + 2 * FUNCTION
    size = np.abs(loss)
    per_radian = 1.05 * (float(share @ (relative * size + loss_error)) + float(share @ relative) * float(share @ size)) * WIDER
    layers = _layers(pair, rules, s, log_moment)
    flat = 2.1 * missed * WIDER
    return Tilt(s, reach, loss, share, log_moment, bound * 1.02 + 16 * UNIT * (abs(log_moment)), flat, per_radian, layers)


def _joined(pair: Pair, rules: list[Rule]) -> tuple[Vector, Vector, Vector, Vector]:
    """Nodes of all pieces, and the atoms as nodes whose numbers are within 8u."""
    atoms = [each for each in pair.atoms if each.first > 0]
    loss = np.array([each.loss for each in atoms])
    mass = np.array([each.first for each in atoms])
    log_mass = np.log(mass) if len(mass) else mass
    small = 8 * UNIT * np.abs(loss), 16 * UNIT * (1 + np.abs(log_mass))
    columns = zip(*((r.loss, r.log_weight, r.loss_error, r.log_weight_error) for r in rules), strict=True) if rules else ((),) * 4
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


def _layers(pair: Pair, rules: list[Rule], s: float, log_moment: float) -> tuple[Vector, Vector]:
    """Uniform laws inside the tilted law of the continuous losses: (widths, weights)."""
    found = [_piece_layers(piece, each, s, log_moment) for piece, each in zip(pair.pieces, rules, strict=True)]
    if not found:
        return np.empty(0), np.empty(0)
    return np.concatenate([widths for widths, _ in found]), np.concatenate([weights for _, weights in found])


def _piece_layers(piece: Piece, nodes: Rule, s: float, log_moment: float) -> tuple[Vector, Vector]:
    """A step function below the density of L, made unimodal from below, cut into horizontal slices.

    Between two nodes log n is concave, L monotone and |dL/dy| increasing in y, so the ends bound the density from below. The slices of a
    unimodal step function are intervals: taken from the highest step down, the k-th is as wide as the k highest steps together.
    """
    width = np.abs(np.diff(nodes.loss))
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
    """sup of |sin v / v| over v ≥ u: sin u/u while that exceeds the second lobe, 0.21724 (at v = 4.4934), then at most 1/u."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(u < 2.55, np.where(u > 0, np.sin(u) / u, 1.0), 0.0)
        return np.maximum(first, np.where(u < 4.6, 0.21724, 1 / u))
