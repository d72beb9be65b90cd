"""A pair put into bins: where the grid lies, which points it uses, and certified masses of each bin."""

import math

import numpy as np

from dalenius.guarantees.loss.bins import EXPONENT, LossBins
from dalenius.guarantees.loss.pair import Atom, Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import legendre, window
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, Indices, Uncertified, Vector
from dalenius.guarantees.loss.saddle import moments, nodes

_MOST_BINS = 1 << 19
_THIN = 0.02
_NEAR = 40
_NUDGES = 6


def bins(pair: Pair, s: float, step: float, thin: float = 1.0) -> LossBins:
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


def _binned(pair: Pair, s: float, step: float, origin: float, thin: float, log_scale: float, *, near: bool) -> LossBins:
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
    if np.any((s * step * np.diff(index) > EXPONENT) & (arrays[1] + arrays[2] > 0)):
        raise Uncertified("bins too wide for the tilt")
    return LossBins(s, step, origin, index, *arrays, log_scale, missing / max(total, 1e-300) * 1.01, misplaced)


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
    """A loss to put on the grid: the heaviest atom's, or where the heaviest narrow part balances; any is sound."""
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

    Any choice is sound. A bin of k steps that holds a share p costs p·k² where the whole law costs 1, and where
    widths change some of the lower law is left unbalanced.
    """
    loss, log_weight = nodes(piece, s)
    if not piece.mixed_first:
        loss, log_weight = loss[::-1], log_weight[::-1]
    share = log_weight + s * loss
    share = np.exp(share - np.max(share))
    below = np.cumsum(share) / np.sum(share)
    beyond = np.minimum(below, 1.0 - below + share / np.sum(share))
    spread = math.sqrt(
        max(float(share @ (loss * loss)) / np.sum(share) - (float(share @ loss) / np.sum(share)) ** 2, 0.0)
    )
    thin = thin * _THIN * min(1.0, s * spread)
    stride = 4.0 ** np.floor(0.5 * np.log(np.maximum(thin / np.maximum(beyond, 1e-30), 1.0)) / math.log(4.0))
    start, end, _, _ = window(piece, s)
    ends = np.sort(piece.loss(np.array([max(start, piece.lo), min(end, piece.hi)])))
    marks = np.concatenate((ends[:1] - 1e-6 * step, loss, ends[1:] + 1e-6 * step))
    places = np.floor((np.clip(marks, ends[0], ends[1]) - origin) / step).astype(np.int64)
    places[-1] += 1
    strides = np.maximum(np.minimum(np.append(stride[:1], stride), np.append(stride, stride[-1:])), 1.0).astype(
        np.int64
    )
    if float(np.sum(np.diff(places) / strides)) > _MOST_BINS:
        raise Uncertified("too many bins")
    spans = [
        np.arange(a, b, k)
        for a, b, k in zip(places[:-1].tolist(), places[1:].tolist(), strides.tolist(), strict=True)
        if b > a
    ]
    return np.concatenate([*spans, places[-1:]])


def _place(
    atom: Atom,
    arrays: tuple[Vector, Vector, Vector, Vector],
    place: int,
    s: float,
    origin: float,
    index: int,
    step: float,
    log_scale: float,
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

    On a piece of half-width R with G ≥ |(log f)'| + slope near it and x = GR ≤ 0.15, the ellipse ρ = 2/x reaches
    about 1/G, stays within e^1.8 of the centre's density, and |1 − e^(g−L)| ≤ 1.72·(h + 2.2·|L'|/G) there: m nodes
    are within 24·(1 + 2.2·|L'|/(Gh))·(x/2)^(2m) of the bin's mass times h.
    """
    start, end, kappa_left, kappa_right = window(piece, s)
    points: Vector = origin + step * index.astype(np.float64)
    y = np.clip(piece.at(points), start, end)
    if not piece.mixed_first:
        y, points = y[::-1], points[::-1]
    if whole:
        y[0], y[-1] = max(start, piece.lo), min(end, piece.hi)
    steep, growth = _growth(piece, y)
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
    cut = _beyond(piece, s, log_scale, ((y[:1], kappa_left), (y[-1:], kappa_right)))
    if not piece.mixed_first:
        a, b, error = a[::-1], b[::-1], error[::-1]
    return np.maximum(a, 0.0), np.maximum(b, 0.0), error, cut


def _growth(piece: Piece, y: Vector) -> tuple[Vector, Vector]:
    """(|L'|, G) near each bin: the ellipse reaches 1/G beyond a piece of it, where |L'| has grown by at most e."""
    steep = np.minimum(piece.slope, 3 * piece.slope_at(y[1:]))
    furthest = np.maximum(np.abs(y[:-1]), np.abs(y[1:])) + 1
    return steep, abs(piece.c1) + piece.c2 * furthest + 3 * steep + piece.slope + 1


def _beyond(piece: Piece, s: float, log_scale: float, ends: tuple[tuple[Vector, float], ...]) -> float:
    """Tilted mass beyond the window: f(cut)/κ on each side that is cut."""
    total = 0.0
    for at, kappa in ends:
        if kappa < math.inf:
            total += math.exp(float(piece.log_n(at)[0] + (piece.power + s) * piece.loss(at)[0]) - log_scale) / kappa
    return total


def _at_node(piece: Piece, s: float, wide: Vector, log_scale: float, y: Vector, weight: Vector, low: Vector) -> Vector:
    """One node's part of (a, b, error), tilted at the bin's left end."""
    loss = piece.loss(y)
    log_n = piece.log_n(y)
    with np.errstate(under="ignore"):
        mass = weight * np.exp(log_n + piece.power * loss + s * low - log_scale)
    inside = loss - low
    share = np.expm1(-inside) / np.expm1(-wide)
    loss_error = piece.loss_error(y, loss) + 16 * UNIT * (np.abs(y) * piece.slope + np.abs(low))
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
