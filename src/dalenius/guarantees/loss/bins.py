"""One pair on a grid of losses, tilted: a law above it and a law below it, both second order in the step.

Points g_j = origin + jh. A mass p at loss l in [g_j, g_{j+1}] is split into

    b = p(1 − e^(g_j − l))/(1 − e^(−h)) on the right end  and  a = p − b on the left one:

P's mass is kept, and Q's too, since a·e^(−g_j) + b·e^(−g_{j+1}) = p·e^(−l).

*Above.* The split pair dominates: sending both ends' new outcomes back to l (in proportion to a and b) is a processing that returns the
pair as it was  [A Thm 13.2]. Compositions of dominating pairs dominate  [A Thm 14.2].

*Below.* Parts of outcomes merged into one are a processing too, so what that gives is dominated: `merging` does it.

*Direction of errors.* δ(ε) = E_P(1 − e^(ε−ΣL))₊ rises in every loss and in every mass of P, whatever Q is. So a law is on the upper side as
soon as its masses are too large or too far right, on the lower side if too small or too far left; only P's masses are ever stored.
"""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.merging import Merging
from dalenius.guarantees.loss.pair import Atom, Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import legendre, window
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, Indices, Uncertified, Vector
from dalenius.guarantees.loss.saddle import moments, nodes

_MOST_BINS = 1 << 19
_LOOSE = 1e-8  # a bin known less well than this is left out of the lower law
_THIN = 0.02
_EXPONENT = 700.0
_NEAR = 40
_NUDGES = 6


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
    misplaced: float
    """How far what is on the points may be from them."""

    @property
    def width(self) -> Vector:
        """Of each bin; bins may span several steps where there is little mass."""
        return self.step * np.diff(self.index)

    def above(self) -> GridLaw:
        """A law whose pair dominates."""
        masses = self.on_points * (1 + 64 * UNIT)
        masses[:-1] += self.left + self.off
        moved = self.right + self.off
        masses[1:] += np.where(moved > 0, moved * np.exp(np.minimum(self.s * self.width, _EXPONENT)), 0.0)
        return self._law(masses, 1 + 256 * UNIT, self.misplaced)

    def below(self) -> GridLaw:
        """A law that the pair dominates."""
        sure = np.maximum(self.left + self.right - 2 * self.off, 0.0)
        known = self.off <= _LOOSE * sure
        worst = float(np.max(np.where(known, self.off / np.where(sure > 0, sure, 1.0) * self.width, 0.0), initial=0.0))
        state = Merging(self.s, self.width, self.left, self.right, sure, np.where(known, 1.0, 0.0), self.on_points.copy())
        return self._law(state.merged(), 1 - 256 * UNIT, 4 * worst + 2 * self.misplaced)

    def nudge(self) -> float:
        """By how much to move the origin so that what lies about it balances; proves nothing."""
        middle = int(np.searchsorted(self.index, 0))
        if not 0 < middle < len(self.left):
            return 0.0
        all_bins = self.left + self.right
        state = Merging(self.s, self.width, self.left, self.right, all_bins, np.ones_like(all_bins), self.on_points.copy())
        state.merged()
        after = float(state.free[middle] * self.right[middle] * self.width[middle])
        before = float(state.free[middle - 1] * self.left[middle - 1] * self.width[middle - 1])
        mass = float(all_bins[middle] + all_bins[middle - 1] + self.on_points[middle])
        return (after - before) / mass if mass > 0 else 0.0

    def _law(self, masses: Vector, factor: float, shift: float) -> GridLaw:
        total = float(np.sum(masses))
        return GridLaw(self.origin, self.index, masses / total, self.log_scale + math.log(total * factor), shift)


def bins(pair: Pair, s: float, step: float, thin: float = 1.0) -> Bins:
    """The pair in bins of width `step`, tilted by s; a smaller `thin` keeps bins narrow further out."""
    log_scale = moments(pair, s)[0]
    origin = _origin(pair, s, step)
    if pair.spacing is None:
        for _ in range(_NUDGES):
            nudge = _binned(pair, s, step, origin, thin, log_scale, near=True).nudge()
            origin += nudge
            if abs(nudge) < 1e-9 * step:
                break
    return _binned(pair, s, step, origin, thin, log_scale, near=False)


def _binned(pair: Pair, s: float, step: float, origin: float, thin: float, log_scale: float, *, near: bool) -> Bins:
    """All bins, or (to choose the origin) only those near it."""
    edges = [_edges(piece, s, origin, step, thin) for piece in pair.pieces]
    at_atoms = [(each, _index(each.loss, origin, step)) for each in pair.atoms]
    if near:
        edges = [own[np.abs(own) <= _NEAR] for own in edges]
        at_atoms = [(each, point) for each, point in at_atoms if abs(point) <= _NEAR]
    points = np.array([point for _, point in at_atoms], dtype=np.int64)
    index = np.unique(np.concatenate([*edges, points, points + 1]))
    if len(index) > _MOST_BINS:
        raise Uncertified("too many bins")
    size = max(len(index) - 1, 0)
    arrays = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size + 1)
    missing = 0.0
    for piece, own in zip(pair.pieces, edges, strict=True):
        if len(own) < 2:
            continue
        start, end = np.searchsorted(index, (own[0], own[-1]))
        a, b, e, cut = _piece_bins(piece, s, origin, step, index[start : end + 1], log_scale, whole=not near)
        for array, values in zip(arrays, (a, b, e), strict=False):
            array[start:end] += values
        missing += cut
    misplaced = 0.0
    for (each, point), place in zip(at_atoms, np.searchsorted(index, points).tolist(), strict=True):
        misplaced = max(misplaced, _place(each, arrays, place, s, origin, point, step, log_scale))
    total = float(sum(np.sum(arrays[k]) for k in (0, 1, 3)))
    if np.any((s * step * np.diff(index) > _EXPONENT) & (arrays[1] + arrays[2] > 0)):
        raise Uncertified("bins too wide for the tilt")
    return Bins(s, step, origin, index, *arrays, log_scale, missing / max(total, 1e-300) * 1.01, misplaced)


def _index(loss: float, origin: float, step: float) -> int:
    """The point an atom lies on, within rounding, or the one below it."""
    nearest = round((loss - origin) / step)
    return nearest if _on_point(loss, origin, step, nearest) else math.floor((loss - origin) / step)


def _on_point(loss: float, origin: float, step: float, index: int) -> bool:
    return abs(loss - (origin + index * step)) <= _misplaced(loss, origin, step, index)


def _misplaced(loss: float, origin: float, step: float, index: int) -> float:
    """How far from its point an atom counts as lying on it; `shift` makes up for it."""
    return 64 * UNIT * (abs(loss) + abs(origin) + abs(index) * step)


def _origin(pair: Pair, s: float, step: float) -> float:
    """A loss to put on the grid: the heaviest atom's, or where the heaviest narrow part of the law balances. Any choice is sound."""
    if pair.spacing is not None:
        return max(pair.atoms, key=lambda each: math.log(max(each.first, 1e-320)) + s * each.loss).loss
    parts = [nodes(piece, s) for piece in pair.pieces]
    parts += [(np.array([each.loss]), np.log(np.array([each.first]))) for each in pair.atoms if each.first > 0]
    loss, log_weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(loss)
    loss, log_weight = loss[order], log_weight[order]
    tilted = log_weight + s * loss
    total = np.concatenate(([0.0], np.cumsum(np.exp(tilted - np.max(tilted)))))
    start, end = np.searchsorted(loss, loss - step), np.searchsorted(loss, loss + step, side="right")
    best = int(np.argmax(total[end] - total[start]))
    near, centre = slice(int(start[best]), int(end[best])), float(loss[best])
    if near.stop - near.start == 1:
        return centre
    weight = np.exp(log_weight[near] - np.max(log_weight[near]))
    return centre - math.log1p(float(weight @ np.expm1(centre - loss[near])) / float(np.sum(weight)))


def _edges(piece: Piece, s: float, origin: float, step: float, thin: float) -> Indices:
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
    thin = thin * _THIN * min(1.0, s * spread)
    stride = 4.0 ** np.floor(0.5 * np.log(np.maximum(thin / np.maximum(beyond, 1e-30), 1.0)) / math.log(4.0))
    start, end, _, _ = window(piece, s)
    ends = np.sort(piece.loss(np.array([max(start, piece.lo), min(end, piece.hi)])))
    marks = np.concatenate((ends[:1] - 1e-6 * step, loss, ends[1:] + 1e-6 * step))
    places = np.floor((np.clip(marks, ends[0], ends[1]) - origin) / step).astype(np.int64)
    places[-1] += 1
    strides = np.maximum(np.minimum(np.append(stride[:1], stride), np.append(stride, stride[-1:])), 1.0).astype(np.int64)
    if float(np.sum(np.diff(places) / strides)) > _MOST_BINS:
        raise Uncertified("too many bins")
    spans = [np.arange(a, b, k) for a, b, k in zip(places[:-1].tolist(), places[1:].tolist(), strides.tolist(), strict=True) if b > a]
    return np.concatenate([*spans, places[-1:]])


def _place(
    atom: Atom, arrays: tuple[Vector, Vector, Vector, Vector], place: int, s: float, origin: float, index: int, step: float, log_scale: float
) -> float:
    """Put one atom on its point, or split it between two; how far from its point it may be."""
    left, right, off, on_points = arrays
    point = origin + index * step
    tilted = atom.first * math.exp(s * point - log_scale)
    slack = 16 * UNIT * (1 + s * abs(point) + abs(log_scale))
    if _on_point(atom.loss, origin, step, index):
        on_points[place] += tilted
        return 2 * _misplaced(atom.loss, origin, step, index)
    share = min(max(math.expm1(point - atom.loss) / math.expm1(-step), 0.0), 1.0)
    right[place] += tilted * share
    left[place] += tilted * (1 - share)
    off[place] += tilted * (slack + 32 * UNIT * (abs(atom.loss) + abs(point)) / step)
    return 0.0


def _piece_bins(
    piece: Piece, s: float, origin: float, step: float, index: Indices, log_scale: float, *, whole: bool
) -> tuple[Vector, Vector, Vector, float]:
    """(a, b, error) per bin and the tilted mass cut off, by Gauss–Legendre on pieces of bins.

    On a piece of half-width R with G ≥ |(log f)'| + slope near it and x = GR ≤ 0.15, the ellipse ρ = 2/x reaches about 1/G, stays within e^1.8
    of the centre's density, and |1 − e^(g−L)| ≤ 1.72·(h + 2.2·|L'|/G) there: m nodes are within 24·(1 + 2.2·|L'|/(Gh))·(x/2)^(2m) of the
    bin's mass times h.
    """
    start, end, kappa_left, kappa_right = window(piece, s)
    points = origin + step * index
    y = np.clip(piece.at(points), start, end)
    if not piece.mixed_first:
        y, points = y[::-1], points[::-1]
    if whole:
        y[0], y[-1] = max(start, piece.lo), min(end, piece.hi)
    # the ellipse reaches 1/G beyond a piece of a bin, where |L'| has grown by at most e
    steep = np.minimum(piece.slope, 3 * piece.slope_at(y[1:]))
    growth = abs(piece.c1) + piece.c2 * (np.maximum(np.abs(y[:-1]), np.abs(y[1:])) + 1) + (s + 3) * steep + piece.slope + 1
    width = np.maximum(np.diff(y), 0.0)
    parts = np.maximum(np.ceil(width * growth / 0.3), 1).astype(np.int64)
    if int(parts.sum()) > _MOST_BINS:
        raise Uncertified("too many pieces")
    which = np.repeat(np.arange(len(parts)), parts)
    starts = np.cumsum(parts) - parts
    half = 0.5 * (width / parts)[which]
    centre = y[:-1][which] + half * (2 * (np.arange(len(which)) - starts[which]) + 1)
    order, missed = _order(float(np.max(half * growth[which])), float(np.max(steep / growth)) / step)
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
