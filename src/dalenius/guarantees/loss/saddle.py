"""Where to put the line Re z = s. Nothing here is proved; whatever uses it proves its own result at any s."""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.quadrature import legendre, window
from dalenius.guarantees.loss.rounding import Uncertified, Vector

_STEPS = 80
_COARSE = 0.35
_LARGEST = 1e12
_PANELS = 8


class Saddle(NamedTuple):
    """K(s), K'(s), K''(s) of a composition, about."""

    s: float
    log_moment: float
    mean: float
    variance: float

    @property
    def epsilon(self) -> float:
        """The ε at which the integrand e^(K(z) − zε)/(z(z+1)) is flat at s."""
        return self.mean - 1 / self.s - 1 / (self.s + 1)

    @property
    def spread(self) -> float:
        """Root of the second derivative of that integrand's logarithm."""
        return math.sqrt(self.variance + self.s**-2 + (self.s + 1) ** -2)

    @property
    def log_delta(self) -> float:
        """Saddle point value of log δ at `epsilon`."""
        peak = self.log_moment - self.s * self.epsilon
        return peak - math.log(self.s * (self.s + 1) * self.spread * math.sqrt(2 * math.pi))


def saddle_at(composition: LossComposition, s: float) -> Saddle:
    """The moments at s."""
    mu2 = composition.gaussian
    log_moment, mean, variance = mu2 * s * (s + 1) / 2, mu2 * (s + 0.5), mu2
    for pair, count in composition.others:
        one = moments(pair, s)
        log_moment, mean, variance = log_moment + count * one[0], mean + count * one[1], variance + count * one[2]
    return Saddle(s, log_moment, mean, variance)


@functools.lru_cache(maxsize=256)
def saddle_for_delta(composition: LossComposition, delta: float, close: float = 0.5) -> Saddle:
    """A line for about this δ: −log δ grows like s², so Newton's rule on its logarithm."""
    wanted = math.log(delta)
    first = saddle_at(composition, 1.0)
    start = math.sqrt(2 * max(1.0, -wanted) / first.spread**2)

    def step(here: Saddle) -> float:
        have, growth = here.log_delta, (here.s * here.spread) ** 2
        if have < 0 and wanted < 0:
            return math.log(wanted / have) * -have / growth
        return (have - wanted) / growth

    return _search(composition, start, step, lambda here: abs(here.log_delta - wanted) < close)


@functools.lru_cache(maxsize=256)
def saddle_for_epsilon(composition: LossComposition, epsilon: float) -> Saddle:
    """A line for this ε."""
    first = saddle_at(composition, 1.0)
    start = max(1.0 + (epsilon - first.epsilon) / first.spread**2, 1 / first.spread)
    return _search(
        composition,
        start,
        lambda here: (epsilon - here.epsilon) / (here.s * here.spread**2),
        lambda here: abs(here.epsilon - epsilon) < 0.3 * here.spread,
    )


def _search(
    composition: LossComposition, start: float, step: Callable[[Saddle], float], done: Callable[[Saddle], bool]
) -> Saddle:
    """Newton on log s, kept in the bracket that the signs of the steps give."""
    low, high, x = -math.log(_LARGEST), math.log(_LARGEST), math.log(start)
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            here = saddle_at(composition, math.exp(x))
        if not math.isfinite(here.log_moment + here.mean):
            high = x
            x = (max(low, x - 4) + x) / 2
            continue
        if done(here):
            return here
        move = step(here)
        low, high = (x, high) if move > 0 else (low, x)
        x += max(-1.5, min(1.5, move))
        if not low < x < high:
            x = (low + high) / 2
        if high - low < 1e-6:
            return here
    raise Uncertified("no saddle")


def moments(pair: Pair, s: float) -> tuple[float, float, float]:
    """About (log M(s), mean and variance of the tilted loss)."""
    parts = [nodes(piece, s) for piece in pair.pieces]
    kept = [each for each in pair.atoms if each.first > 0]
    if kept:
        parts.append((np.array([each.loss for each in kept]), np.log(np.array([each.first for each in kept]))))
    loss = np.concatenate([each[0] for each in parts]) if len(parts) > 1 else parts[0][0]
    log_weight = np.concatenate([each[1] for each in parts]) if len(parts) > 1 else parts[0][1]
    exponent = s * loss
    top = float(np.max(log_weight + exponent))
    share = np.exp(log_weight + exponent - top)
    total = float(np.sum(share))
    share /= total
    mean = float(share @ loss)
    centred = loss - mean
    if top < 500 and float(np.max(exponent)) < 500:
        log_moment = math.log1p(float(np.exp(log_weight) @ np.expm1(exponent)))
    else:
        log_moment = math.log(total) + top
    return log_moment, mean, float(share @ (centred * centred))


def nodes(piece: Piece, s: float) -> tuple[Vector, Vector]:
    """A coarse rule: losses and log weights."""
    left, right, _, _ = window(piece, s)
    if math.isinf(piece.lo) and math.isinf(piece.hi):
        step = min(_COARSE, 1.5 / piece.slope)
        y: Vector = left + step * np.arange(int((right - left) / step) + 2, dtype=np.float64)
        log_step: float | Vector = math.log(step)
    else:
        middles, halves = _graded(left, right)
        places, weights = legendre(16)
        y = (middles[:, None] + halves[:, None] * places).ravel()
        log_step = np.log((halves[:, None] * weights).ravel())
    loss = piece.loss(y)
    return loss, piece.log_n(y) + piece.power * loss + log_step


def _graded(left: float, right: float) -> tuple[Vector, Vector]:
    """(middles, half-widths) of panels that shrink toward both ends, where a tilted law gathers."""
    inner = 2.0 ** -np.arange(1, _PANELS + 1)
    marks = np.concatenate([[0.0], inner[::-1], 1.0 - inner[1:], [1.0]]) * (right - left) + left
    return 0.5 * (marks[1:] + marks[:-1]), 0.5 * (marks[1:] - marks[:-1])
