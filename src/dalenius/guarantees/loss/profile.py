"""δ(ε) and ε(δ) of one composition, in one direction: which method to use, and a search whose ends are each proved by an evaluation."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from dalenius.guarantees.gaussian import gaussian_profile
from dalenius.guarantees.loss.composition import Composition
from dalenius.guarantees.loss.contour import Line, line
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.saddle import Saddle, saddle_for_delta, saddle_for_epsilon
from dalenius.guarantees.loss.tilted_grid import TiltedGrid, grid_step, tilted_grid
from dalenius.numerics import ends

Evaluator = Callable[[float], tuple[float, float]]
"""ε to proven bounds on the finite part of δ(ε)."""

_TRIES = 4
_SMALLEST = 1e-307
_LARGEST_GRID = 2**22
_WORST_STEP = 1e3
_COARSE = 1e-2


def delta_bounds(composition: Composition, epsilon: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on δ(ε), about `rtol` apart relative to δ where that can be reached."""
    low, high = composition.infinite
    if not composition.parts or epsilon >= composition.largest:
        return low, high
    if not composition.others:
        return ends(gaussian_profile(composition.gaussian_square, Fraction(epsilon)))
    best = 0.0, 1.0
    for evaluate in _evaluators(composition, saddle_for_epsilon(composition, epsilon), lambda here: rtol):
        found = evaluate(epsilon)
        best = max(best[0], found[0]), min(best[1], found[1])
        if best[1] - best[0] <= rtol * best[1]:
            break
    return _plus(low, best[0], down=True), min(1.0, _plus(high, best[1], down=False))


def epsilon_bounds(composition: Composition, delta: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on the smallest ε ≥ 0 with δ(ε) ≤ delta."""
    low, high = composition.infinite
    # δ_f must fall below delta − δ_∞: `sure` is below that number, `possible` above
    sure, possible = _plus(delta, -high, down=True), _plus(delta, -low, down=False)
    if possible < 0 or not composition.parts:
        return (math.inf, math.inf) if possible < 0 else (0.0, 0.0)
    if sure <= _SMALLEST:
        least = (
            epsilon_bounds(composition, _SMALLEST * 4 + high, rtol)[0]
            if possible > _SMALLEST
            else composition.largest * (1 - 1e-9)
        )
        return min(least, composition.largest), composition.largest if sure >= 0 else math.inf
    low_end, high_end = 0.0, math.inf
    try:
        saddle = saddle_for_delta(composition, min(sure, 0.999))
    except Uncertified:
        return _without_saddle(composition, sure, possible)
    for evaluate in _evaluators(composition, saddle, lambda here: rtol * abs(here.epsilon) * here.s):
        found = _solved(evaluate, saddle, sure, possible, rtol)
        low_end, high_end = max(low_end, found[0]), min(high_end, found[1])
        if high_end - low_end <= rtol * high_end:
            break
    return low_end, min(high_end, composition.largest)


def proves(composition: Composition, epsilon: float, delta: float) -> bool:
    """Whether δ(ε) ≤ delta is seen at once, by a line much coarser than an answer needs."""
    if epsilon >= composition.largest or epsilon == math.inf or not composition.others:
        return delta_bounds(composition, epsilon, 1e-6)[1] <= delta
    try:
        high = _on_line(line(composition, saddle_for_epsilon(composition, epsilon), _COARSE))(epsilon)[1]
    except Uncertified:
        return False
    return _plus(composition.infinite[1], high, down=False) <= delta


def guess_epsilon(composition: Composition, delta: float) -> float:
    """About where δ(ε) passes delta; proves nothing."""
    left = delta - composition.infinite[1]
    if not left > _SMALLEST or not composition.parts:
        return math.inf
    try:
        return saddle_for_delta(composition, min(left, 0.999)).epsilon
    except Uncertified:
        return composition.largest


def _evaluators(composition: Composition, saddle: Saddle, width: Callable[[Saddle], float]) -> Iterator[Evaluator]:
    """Ways to evaluate, the cheapest that may reach the relative width in δ first."""
    wanted = min(max(width(saddle), 1e-11), 1e-2)
    exact, tried = grid_step(composition, math.inf)[1], False
    if not exact:
        try:
            yield _on_line(line(composition, saddle, wanted / 2))
            tried = True
        except Uncertified:
            pass
    count = max(1, sum(n for _, n in composition.others))
    step = math.sqrt(2.5 * wanted / (count * saddle.s * (saddle.s + 1)))
    if tried and 20 * saddle.spread / step > _LARGEST_GRID:
        return
    step *= 8
    thin = 1.0
    # what is outside the window counts C(s) ≤ 1/(e·s) where the answer is about 1/(s(s+1)·spread·√2π)
    scale = min(1.0, 1 / ((saddle.s + 1) * saddle.spread))
    for _ in range(_TRIES):
        made = _grid(composition, saddle, step, wanted / 30 * scale, thin)
        if made is None:
            return
        grid, step = made
        yield grid.delta
        low, high = grid.delta(saddle.epsilon)
        if high <= low:
            return
        step *= max(min(0.7 * math.sqrt(wanted * high / (high - low)), 0.5), 1 / 64)
        thin = min(1.0, math.exp(min(0.0, math.log(max(high, 1e-300)) - saddle.log_delta)))


def _grid(
    composition: Composition, saddle: Saddle, wanted: float, tolerance: float, thin: float
) -> tuple[TiltedGrid, float] | None:
    """The finest grid near the wanted step that fits in memory."""
    while wanted < _WORST_STEP:
        step, _ = grid_step(composition, wanted)
        try:
            return tilted_grid(composition, saddle, step, max(tolerance * thin, 1e-14), thin), step
        except Uncertified:
            wanted = max(wanted, step) * 2
    return None


def _on_line(made: Line) -> Evaluator:
    def evaluate(epsilon: float) -> tuple[float, float]:
        low, high = made.delta(np.array([epsilon]))
        return float(low[0]), float(high[0])

    return evaluate


def _solved(evaluate: Evaluator, saddle: Saddle, sure: float, possible: float, rtol: float) -> tuple[float, float]:
    """(low, high) with δ_f(low) ≥ possible or low = 0, and δ_f(high) ≤ sure, both proved by `evaluate`."""
    middle, slope = _root(evaluate, saddle, math.log(sure), rtol)
    low, high = _end(evaluate, middle, slope, sure, 1), 0.0
    if low <= 0.0 and evaluate(0.0)[1] <= sure:
        return 0.0, 0.0
    high = max(low, 0.0)
    return max(0.0, _end(evaluate, middle, slope, possible, -1)), high


def _root(evaluate: Evaluator, saddle: Saddle, goal: float, rtol: float) -> tuple[float, float]:
    """About where log δ_f passes the goal, and its slope there: the secant rule."""
    epsilon, slope, before = saddle.epsilon, -saddle.s, None
    for _ in range(30):
        low, high = evaluate(epsilon)
        if high <= 0.0:
            epsilon -= 0.5 / saddle.s
            continue
        value = math.log(max(low, high * 0.5) / 2 + high / 2) - goal
        if before is not None and epsilon != before[0] and value != before[1]:
            slope = min((value - before[1]) / (epsilon - before[0]), -1e-3 * saddle.s)
        before = epsilon, value
        move = -value / slope
        epsilon += max(min(move, 3 / saddle.s), -3 / saddle.s)
        if abs(move) <= 1e-3 * rtol * abs(epsilon):
            break
    return epsilon, slope


def _end(evaluate: Evaluator, middle: float, slope: float, target: float, side: int) -> float:
    """The nearest point tried on one side of the root where the bound needed holds."""
    low, high = evaluate(middle)
    gap = (high / target - 1) if side > 0 else (1 - low / target)
    distance = max(1.1 * gap / -slope, 4e-15 * abs(middle), 1e-300)
    for _ in range(60):
        at = middle + side * distance
        if at <= 0.0 and side < 0:
            return 0.0
        low, high = evaluate(at)
        if (high <= target) if side > 0 else (low >= target):
            return at
        distance *= 2
    return math.inf if side > 0 else 0.0


def _without_saddle(composition: Composition, sure: float, possible: float) -> tuple[float, float]:
    return 0.0, composition.largest


def _plus(x: float, y: float, *, down: bool) -> float:
    """X + y rounded in a direction; exact where one is 0."""
    if x == 0.0 or y == 0.0:
        return x + y
    return math.nextafter(x + y, -math.inf if down else math.inf)
