"""One pair on a grid of losses, tilted: a law above it and a law below it, both second order in the step.

Points g_j = origin + jh. A mass p at loss l in [g_j, g_{j+1}] is split into

    b = p(1 − e^(g_j − l))/(1 − e^(−h)) on the right end  and  a = p − b on the left one:

P's mass is kept, and Q's too, since a·e^(−g_j) + b·e^(−g_{j+1}) = p·e^(−l).

*Above.* The split pair dominates: sending both ends' new outcomes back to l (in proportion to a and b) is a processing that returns the
pair as it was  [A Thm 13.2]. Compositions of dominating pairs dominate  [A Thm 14.2].

*Below.* A bin's masses merged into one outcome, then parts of two neighboring bins merged into one more, are processings, so what they
give is dominated. The part α of bin j−1 and β of bin j merge at loss exactly g_j when α·(e^(g_j)q_{j−1} − p_{j−1}) = β·(p_j − e^(g_j)q_j); these
torques are (e^h − 1)·a_{j−1} and (1 − e^(−h))·b_j. Each bin offers half to either side; what does not balance is offered again, a few
times: neighboring bins differ by O(h), so what is left shrinks by that factor each time. What is left in the end is moved down to g_j.

*Direction of errors.* δ(ε) = E_P(1 − e^(ε−ΣL))₊ rises in every loss and in every mass of P, whatever Q is. So a law is on the upper side as
soon as its masses are too large or too far right, on the lower side if too small or too far left; only P's masses are ever stored.
"""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.pair import Atom, Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import legendre, window
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, Indices, Uncertified, Vector
from dalenius.guarantees.loss.saddle import moments, nodes

_ROUNDS = 5
_MOST_BINS = 1 << 22
_LOOSE = 1e-8  # a bin known less well than this is left out of the lower law
_ON_GRID = 1e-9
_THIN = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class GridLaw:
    """Tilted masses e^(s·g_j)·(mass at g_j)/e^log_total at the indices j, which sum to about 1."""

    origin: float
    index: Indices
    masses: Vector
    log_total: float
    shift: float
    """By how much each loss may still lie to the safe side of its grid point."""


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The split (a, b) of every bin, tilted at its left end, with a bound `off` on each error, and what lies on the points."""

    s: float
    step: float
    origin: float
    index: Indices
    left: Vector
    right: Vector
    off: Vector
    on_points: Vector
    log_scale: float
    missing: float
    """Tilted mass cut off, over all."""

    @property
    def width(self) -> Vector:
        """Of each bin; bins may span several steps where there is little mass."""
        return self.step * np.diff(self.index)

    def above(self) -> GridLaw:
        """A law whose pair dominates."""
        masses = self.on_points * (1 + 64 * UNIT)
        masses[:-1] += self.left + self.off
        masses[1:] += (self.right + self.off) * np.exp(self.s * self.width)
        return self._law(masses, 1 + 256 * UNIT, 0.0)

    def below(self) -> GridLaw:
        """A law that the pair dominates."""
        sure = np.maximum(self.left + self.right - 2 * self.off, 0.0)
        free = np.where(self.off <= _LOOSE * sure, 1.0, 0.0)
        worst = float(np.max(np.where(free > 0, self.off / np.where(sure > 0, sure, 1.0) * self.width, 0.0), initial=0.0))
        grown = np.exp(self.s * self.width)
        pull = self.left * grown * np.expm1(self.width)  # torque of bin j at its right end, tilted there
        push = self.right * -np.expm1(-self.width)  # torque of bin j at its left end
        masses = self.on_points.copy()
        for _ in range(_ROUNDS):
            torque = 0.5 * np.minimum(free[:-1] * pull[:-1], free[1:] * push[1:])
            with np.errstate(divide="ignore", invalid="ignore"):
                alpha = np.where(torque > 0, torque / pull[:-1], 0.0)
                beta = np.where(torque > 0, torque / push[1:], 0.0)
            masses[1:-1] += alpha * sure[:-1] * grown[:-1] + beta * sure[1:]
            free[:-1] -= alpha
            free[1:] -= beta
        masses[:-1] += np.maximum(free, 0.0) * sure
        return self._law(masses, 1 - 256 * UNIT, 4 * worst)

    def _law(self, masses: Vector, factor: float, shift: float) -> GridLaw:
        total = float(np.sum(masses))
        return GridLaw(self.origin, self.index, masses / total, self.log_scale + math.log(total * factor), shift)


def bins(pair: Pair, s: float, step: float) -> Bins:
    """The pair in bins of width `step`, tilted by s."""
    origin = max(pair.atoms, key=lambda each: each.first * math.exp(min(s * each.loss, 600.0))).loss if pair.atoms else 0.0
    at_atoms = [math.floor((each.loss - origin) / step + _ON_GRID) for each in pair.atoms]
    edges = [_edges(piece, s, origin, step) for piece in pair.pieces]
    index = np.unique(np.concatenate([*edges, np.array(at_atoms, dtype=np.int64), np.array(at_atoms, dtype=np.int64) + 1]))
    if len(index) > _MOST_BINS:
        raise Uncertified("too many bins")
    log_scale = moments(pair, s)[0]
    size = len(index) - 1
    arrays = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size + 1)
    missing = 0.0
    for piece, own in zip(pair.pieces, edges, strict=True):
        start, end = np.searchsorted(index, (own[0], own[-1]))
        a, b, e, cut = _piece_bins(piece, s, origin, step, index[start : end + 1], log_scale)
        for array, values in zip(arrays, (a, b, e), strict=False):
            array[start:end] += values
        missing += cut
    for each, point, place in zip(pair.atoms, at_atoms, np.searchsorted(index, at_atoms).tolist(), strict=True):
        _place(each, arrays, place, s, origin + point * step, step, log_scale)
    total = float(sum(np.sum(arrays[k]) for k in (0, 1, 3)))
    return Bins(s, step, origin, index, *arrays, log_scale, missing / total * 1.01)


def _edges(piece: Piece, s: float, origin: float, step: float) -> Indices:
    """Indices of the points used, all of them where the tilted law has its mass, fewer the less is left beyond.

    Any choice is sound. A bin of k steps that holds a share p costs p·k² where the whole law costs 1, and where widths change some of the
    lower law is left unbalanced.
    """
    loss, log_weight = nodes(piece, s)
    if not piece.mixed_first:
        loss, log_weight = loss[::-1], log_weight[::-1]
    share = log_weight + s * loss
    share = np.exp(share - np.max(share))
    below = np.cumsum(share) / np.sum(share)
    beyond = np.minimum(below, 1.0 - below + share / np.sum(share))
    spread = math.sqrt(max(float(share @ (loss * loss)) / np.sum(share) - (float(share @ loss) / np.sum(share)) ** 2, 0.0))
    thin = _THIN * min(1.0, s * spread)
    stride = 4.0 ** np.floor(0.5 * np.log(np.maximum(thin / np.maximum(beyond, 1e-30), 1.0)) / math.log(4.0))
    start, end, _, _ = window(piece, s)
    ends = np.sort(piece.loss(np.array([max(start, piece.lo), min(end, piece.hi)])))
    marks = np.concatenate((ends[:1] - 1e-6 * step, loss, ends[1:] + 1e-6 * step))
    places = np.floor((np.clip(marks, ends[0], ends[1]) - origin) / step).astype(np.int64)
    places[-1] += 1
    strides = np.maximum(np.minimum(np.append(stride[:1], stride), np.append(stride, stride[-1:])), 1.0).astype(np.int64)
    spans = [np.arange(a, b, k) for a, b, k in zip(places[:-1].tolist(), places[1:].tolist(), strides.tolist(), strict=True) if b > a]
    return np.concatenate([*spans, places[-1:]])


def _place(
    atom: Atom, arrays: tuple[Vector, Vector, Vector, Vector], place: int, s: float, point: float, step: float, log_scale: float
) -> None:
    """Put one atom on its point, or split it between two."""
    left, right, off, on_points = arrays
    tilted = atom.first * math.exp(s * point - log_scale)
    slack = 16 * UNIT * (1 + s * abs(point) + abs(log_scale))
    if abs(atom.loss - point) <= 2 * _ON_GRID * step:
        # the loss and the point differ by less than what `grid` adds to every position
        on_points[place] += tilted
        return
    share = math.expm1(point - atom.loss) / math.expm1(-step)
    right[place] += tilted * share
    left[place] += tilted * (1 - share)
    off[place] += tilted * (slack + 16 * UNIT * abs(atom.loss) / step)


def _piece_bins(
    piece: Piece, s: float, origin: float, step: float, index: Indices, log_scale: float
) -> tuple[Vector, Vector, Vector, float]:
    """(a, b, error) per bin and the tilted mass cut off, by Gauss–Legendre on pieces of bins.

    On a piece of half-width R with G ≥ |(log f)'| + slope and x = GR, the ellipse ρ = 2/x stays within e^1.8 of the centre's density, and
    |1 − e^(g−L)| ≤ 1.72·(h + 2.2·slope/G) there: m nodes are within 24·(1 + 2.2·slope/(Gh))·(x/2)^(2m) of the bin's mass times h.
    """
    start, end, kappa_left, kappa_right = window(piece, s)
    points = origin + step * index
    y = np.clip(piece.at(points), start, end)
    if not piece.mixed_first:
        y, points = y[::-1], points[::-1]
    y[0], y[-1] = max(start, piece.lo), min(end, piece.hi)
    growth = abs(piece.c1) + piece.c2 * max(abs(start), abs(end)) + (s + 3) * piece.slope + 1
    width = np.maximum(np.diff(y), 0.0)
    parts = np.maximum(np.ceil(width * growth / 0.3), 1).astype(np.int64)
    if int(parts.sum()) > _MOST_BINS:
        raise Uncertified("too many pieces")
    which = np.repeat(np.arange(len(parts)), parts)
    starts = np.cumsum(parts) - parts
    half = 0.5 * (width / parts)[which]
    centre = y[:-1][which] + half * (2 * (np.arange(len(which)) - starts[which]) + 1)
    order, missed = _order(float(np.max(half)) * growth, piece.slope / (growth * step))
    low = np.minimum(points[:-1], points[1:])[which]
    wide = (step * np.abs(np.diff(index if piece.mixed_first else index[::-1])))[which]
    sums = np.zeros((3, len(which)))
    for node, weight in zip(*legendre(order), strict=True):
        sums += _at_node(piece, s, wide, log_scale, centre + half * node, half * weight, low)
    a, b, error = np.add.reduceat(sums, starts, axis=1)
    error += (a + b) * (missed + 64 * UNIT)
    cut = sum(
        math.exp(float(piece.log_n(at)[0] + (piece.power + s) * piece.loss(at)[0]) - log_scale) / kappa
        for at, kappa in ((y[:1], kappa_left), (y[-1:], kappa_right))
        if kappa < math.inf
    )
    if not piece.mixed_first:
        a, b, error = a[::-1], b[::-1], error[::-1]
    return np.maximum(a, 0.0), np.maximum(b, 0.0), error, cut


def _at_node(
    piece: Piece, s: float, wide: Vector, log_scale: float, y: Vector, weight: Vector, low: Vector
) -> Vector:
    """One node's part of (a, b, error), tilted at the bin's left end."""
    loss = piece.loss(y)
    log_n = piece.log_n(y)
    with np.errstate(under="ignore"):
        mass = weight * np.exp(log_n + piece.power * loss + s * low - log_scale)
    inside = loss - low
    share = np.expm1(-inside) / np.expm1(-wide)
    loss_error = piece.loss_error(y, loss) + 4 * UNIT * (np.abs(y) * piece.slope + np.abs(low))
    size = np.abs(log_n) + np.abs(loss) + s * np.abs(low) + abs(log_scale)
    relative = piece.log_n_error(y) + 4 * UNIT * piece.c2 * y * y + loss_error + 8 * UNIT * size + 4 * FUNCTION
    return np.stack((mass * (1 - share), mass * share, mass * (relative + 1.1 * loss_error / wide)))


def _order(x: float, ratio: float) -> tuple[int, float]:
    """The fewest nodes that bring the quadrature error below rounding, and that error."""
    for order in range(2, 17):
        missed = 24 * (1 + 2.2 * ratio) * (x / 2) ** (2 * order)
        if missed < 1e-16:
            break
    return order, missed
