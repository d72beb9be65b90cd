"""δ(ε) of a composition as one integral on a line, every error of its numerical value bounded.

For s > 0, ∫ e^(zε)·E(1 − e^(ε−L))₊ dε = M(z)/(z(z+1)) on Re z = s, so with K = log M and finite losses

    δ_f(ε) = (1/2π) ∫ e^(K(z) − zε)/(z(z+1)) dt,  z = s + it.

*Aliasing.* G(x) = e^(sx)·δ_f(x) is continuous, of bounded variation and integrable, and its transform is O(t^−2):
Poisson summation holds, and the trapezoid sum of step τ is e^(−sε)·Σ_n G(ε + 2πn/τ). All terms are ≥ 0, n = 0 is
δ_f(ε). With W = 2π/τ: those with n < 0 sum to at most 1/(e^(sW) − 1), as δ_f ≤ 1; those with n > 0 by δ_f(x) ≤
C(s')e^(K(s') − s'x) at any s' > s, C(s) = s^s/(s+1)^(s+1), to at most C(s')e^(K(s') − s'ε)/(e^((s'−s)W) − 1).

*Cutting* the sum at |t| ≤ t_N loses at most sup_{t ≥ t_N} |M(s+it)|·e^(−sε) · 2∫_{t_N}^∞ dt/(2πt²), as |z(z+1)| ≥ t²
and rises in t: that is e^(K(s) − sε)·∏ρ_i^(n_i)/(π·t_N), with ρ_i the decay proved in `Tilt.log_decay` (e^(−μ²t²/2)
for the Gaussian part).

*Rounding and quadrature.* If |φ_i − φ̃_i| ≤ e_i then |∏φ_i^(n_i) − ∏φ̃_i^(n_i)| ≤ ∏|φ̃_i|^(n_i)·(exp Σ n_i·log(1 +
e_i/|φ̃_i|) − 1).
"""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.rounding import UNIT, WIDER, Uncertified, Vector
from dalenius.guarantees.loss.saddle import Saddle, saddle_at
from dalenius.guarantees.loss.tilt import Tilt, tilt

_MOST_TERMS, _MOST_ROUGH_TERMS = 20_000, 2_000
_ROUGH = 1e-2
_DOUBLINGS = 40
_HALVINGS = 3
_FEW_TERMS = 60.0
_CANCELLATION = 14.0
"""Off the saddle the terms cancel; this many digits (in e) are spared for fewer terms."""
_DIGITS = 33.5
"""About how many digits (in e) one step's part of the sum has."""


@dataclass(frozen=True, slots=True, eq=False)
class ContourLine:
    """Everything needed to bound δ_f(ε) at any ε from one line: K(s) and ∏φ^n at the multiples of τ."""

    s: float
    step: float
    log_moment: float
    log_moment_error: float
    t: Vector
    phase: Vector
    even: Vector
    odd: Vector
    size: float
    """Σ of the terms' moduli; the next two are the same sum with each phase, and with each t, as a factor."""
    phase_size: float
    turns: float
    error: float
    further: tuple[float, float]

    def delta(self, epsilon: Vector) -> tuple[Vector, Vector]:
        """Proven bounds on δ_f at each ε."""
        s, window = self.s, 2 * math.pi / self.step
        angle = self.phase - np.multiply.outer(epsilon, self.t)
        total = np.cos(angle) @ self.even + np.sin(angle) @ self.odd
        turned = 16 * UNIT * (self.phase_size + self.turns * np.abs(epsilon))
        error = (self.error + turned + self.size * (len(self.t) + 64) * UNIT) * WIDER
        peak = self.log_moment - s * epsilon
        off = self.log_moment_error + 8 * UNIT * (abs(self.log_moment) + s * np.abs(epsilon) + 4)
        s_far, log_far = self.further
        with np.errstate(over="ignore", under="ignore"):
            above = np.exp(peak + off) * (total + error)
            below = np.exp(peak - off) * (total - error)
            left = 1 / math.expm1(min(s * window, 700.0))
            right = np.exp(log_far - s_far * epsilon + off) / math.expm1(min((s_far - s) * window, 700.0))
            return np.maximum(below - (left + right) * WIDER, 0.0) * (1 - 1e-14), above * (1 + 1e-14)


def line(
    composition: LossComposition, saddle: Saddle, tolerance: float, point: tuple[float, float] | None = None
) -> ContourLine:
    """A line near the saddle, fine and long enough for a relative error near `tolerance` in δ, or `Uncertified`.

    `point` is the ε that matters and about log δ there, where they are known better than the saddle point tells.
    """
    epsilon, log_delta = (saddle.epsilon, saddle.log_delta) if point is None else point
    log_error = log_delta + math.log(tolerance / 8)
    here, far, wide, body = _placed(composition, saddle, epsilon, log_delta, log_error)
    s = here.s
    log_share = log_error - (here.log_moment - s * epsilon)  # of e^(K − sε)
    guess = 1.3 * math.sqrt(-2 * min(log_share, -1.0)) / min(here.spread, body)
    tilts = [(tilt(pair, s, guess, decay=True), count) for pair, count in composition.others]
    start = 0.5 * math.sqrt(-2 * min(log_share, -1.0)) / max(here.spread, body)
    end = _end(composition.gaussian, tilts, log_share, start)
    terms = math.ceil(end * wide / (2 * math.pi))
    if terms > (_MOST_TERMS if tolerance < _ROUGH else _MOST_ROUGH_TERMS):
        raise Uncertified("too many terms")
    step = 2 * math.pi / wide
    t: Vector = step * np.arange(terms + 1, dtype=np.float64)
    cut = math.exp(_log_decay(composition.gaussian, tilts, float(t[-1]))) / (math.pi * float(t[-1])) * 1.0001
    if t[-1] > guess:
        tilts = [(tilt(pair, s, float(t[-1])), count) for pair, count in composition.others]
    return _summed(composition.gaussian, tilts, s, step, t, cut, log_tail_factor(composition, far))


def _placed(
    composition: LossComposition, saddle: Saddle, epsilon: float, log_delta: float, log_error: float
) -> tuple[Saddle, float, float, float]:
    """(s, s', W, width of the law's body): the saddle, or left of it if a heavy tail would need a wide window."""
    s = saddle.s
    right = [saddle_at(composition, s + steps / saddle.spread) for steps in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)]
    body = math.sqrt(saddle_at(composition, s / 2).variance)  # a heavy tail tilted up hides how narrow the body is
    if not min(body, saddle.variance) > 0:
        raise Uncertified("an atom")
    steps = sum(count for _, count in composition.others)
    spare = min(_CANCELLATION, _DIGITS + log_error - log_delta - math.log(steps))
    best = _cost(saddle, right, epsilon, log_error, body)
    if best[0] <= _FEW_TERMS and saddle.log_moment - s * epsilon - log_delta <= spare:
        return saddle, best[1], best[2], body
    lines = [saddle, *(saddle_at(composition, s * share) for share in (0.9, 0.8, 0.65, 0.5, 0.35))]
    gaps = [each.log_moment - each.s * epsilon - log_delta for each in lines]
    spare = max(spare, min(gaps) + 0.5)
    costs = [
        (*_cost(each, [*right, *lines[:k]], epsilon, log_error, body), k)
        for k, (each, gap) in enumerate(zip(lines, gaps, strict=True))
        if gap <= spare
    ]
    if not costs:
        raise Uncertified("range")
    _, far, wide, k = min(costs)
    return lines[k], far, wide, body


def _cost(
    here: Saddle, others: list[Saddle], epsilon: float, log_error: float, body: float
) -> tuple[float, float, float]:
    """(about how many terms, s', W) for a line: W such that the aliases on both sides are about e^log_error."""
    bounds = (
        (each.log_moment - each.s * epsilon - math.log(each.s) - log_error) / (each.s - here.s) for each in others
    )
    needed, far = min(zip(bounds, (each.s for each in others), strict=True))
    wide = max(needed, -log_error / here.s)
    share = log_error - (here.log_moment - here.s * epsilon)
    return math.sqrt(-2 * min(share, -1.0)) / min(math.sqrt(here.variance), body) * wide / (2 * math.pi), far, wide


def _end(gaussian: float, tilts: list[tuple[Tilt, int]], wanted: float, start: float) -> float:
    """A t_N beyond which what is cut is below e^wanted."""
    t = start
    for _ in range(_DOUBLINGS):
        if _log_cut(gaussian, tilts, t) <= wanted:
            break
        t *= 2
    else:
        raise Uncertified("no decay")
    if t == start:
        return t
    low = 0.5 * t
    for _ in range(_HALVINGS):  # any t that was seen to do will do
        middle = math.sqrt(low * t)
        low, t = (low, middle) if _log_cut(gaussian, tilts, middle) <= wanted else (middle, t)
    return t


def _log_cut(gaussian: float, tilts: list[tuple[Tilt, int]], t: float) -> float:
    return _log_decay(gaussian, tilts, t) - math.log(math.pi * t)


def _log_decay(gaussian: float, tilts: list[tuple[Tilt, int]], t: float) -> float:
    return -0.5 * gaussian * t * t + sum(count * each.log_decay(t) for each, count in tilts)


def log_tail_factor(composition: LossComposition, s: float) -> tuple[float, float]:
    """(s, log C(s) + K(s)), K rounded up, so that δ_f(ε) ≤ e^(that − sε) at every ε, for any s > 0.

    Since (1 − e^(−x))₊ ≤ C(s)·e^(sx), C(s) = s^s/(s+1)^(s+1).
    """
    log_moment = composition.gaussian * s * (s + 1) / 2 * (1 + 8 * UNIT)
    for pair, count in composition.others:
        each = tilt(pair, s)
        log_moment += count * (each.log_moment + each.log_moment_error)
    return s, log_moment + 8 * UNIT * abs(log_moment) + log_peak(s) + 1e-9


def log_peak(s: float) -> float:
    """About log C(s) = −s·log(1 + 1/s) − log(1 + s), which keeps its digits at large s."""
    return -s * math.log1p(1 / s) - math.log1p(s)


def _summed(
    gaussian: float,
    tilts: list[tuple[Tilt, int]],
    s: float,
    step: float,
    t: Vector,
    cut: float,
    further: tuple[float, float],
) -> ContourLine:
    """The terms of the sum, with the bound on what their errors and the cut can do."""
    log_modulus, phase = -0.5 * gaussian * t * t, gaussian * (s + 0.5) * t
    log_moment = gaussian * s * (s + 1) / 2
    log_moment_error = 8 * UNIT * log_moment
    phase_size = np.abs(phase) + np.abs(log_modulus) + 1.0
    off = np.zeros_like(t)
    for each, count in tilts:
        modulus, angle, error = each.log_characteristics(step, len(t) - 1)
        log_modulus = log_modulus + count * modulus
        phase = phase + count * angle
        # a logarithm is off by a relative 8u, which the error of φ − 1 covers, save for the branch of the angle:
        # whole turns drop out
        off = off + count * np.log1p(error * np.exp(-modulus))
        log_moment += count * each.log_moment
        log_moment_error += count * (each.log_moment_error + 4 * UNIT * abs(each.log_moment))
        phase_size = phase_size + count * (np.abs(angle) + 8 * np.abs(modulus))
    real, imaginary = s * (s + 1) - t * t, t * (2 * s + 1)  # z(z+1)
    squared = real * real + imaginary * imaginary
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        weight = np.exp(log_modulus) * (step / math.pi)
        weight[0] *= 0.5
        broken = float(np.sum(weight * np.expm1(off) / np.sqrt(squared)))
    all_errors = broken * WIDER + cut
    if not all_errors < math.inf:
        raise Uncertified("rounding")
    even, odd, sizes = weight * real / squared, weight * imaginary / squared, weight / np.sqrt(squared)
    sums = float(np.sum(sizes)), float(sizes @ np.where(sizes > 0, phase_size, 0.0)), float(sizes @ t)
    return ContourLine(s, step, log_moment, log_moment_error, t, phase, even, odd, *sums, all_errors, further)
