"""Where a falling bound passes a number: a search without proof, then two ends proved by an evaluation."""

import math

from dalenius.guarantees.loss.ways import Evaluator, Start, Way

_SECANTS = 60


def solved(way: Way, sure: float, possible: float, rtol: float) -> tuple[float, float]:
    """(low, high) with δ_f(low) ≥ possible or low = 0, and δ_f(high) ≤ sure, both proved by the way's evaluator."""
    middle, slope = root(way.evaluate, way.start, math.log(sure), rtol)
    low = _end(way.evaluate, middle, slope, sure, 1)
    if low <= 0.0 and way.evaluate(0.0)[1] <= sure:
        return 0.0, 0.0
    high = max(low, 0.0)
    return max(0.0, _end(way.evaluate, middle, slope, possible, -1)), high


def root(evaluate: Evaluator, start: Start, goal: float, rtol: float) -> tuple[float, float]:
    """About where log δ_f passes the goal, and its slope there: the secant rule inside a bracket."""
    left, right, epsilon, slope = -math.inf, math.inf, start.epsilon, -start.s
    before: tuple[float, float] | None = None
    reach = 3 / start.s
    for _ in range(_SECANTS):
        low, high = evaluate(epsilon)
        middle = max(low, high * 0.5) / 2 + high / 2
        value = math.log(middle) - goal if middle > 0 else -math.inf
        left, right = (epsilon, right) if value > 0 else (left, epsilon)
        if before is not None and epsilon != before[0] and math.isfinite(value - before[1]) and value != before[1]:
            slope = min((value - before[1]) / (epsilon - before[0]), -1e-3 * start.s)
        before = epsilon, value
        move = max(min(-value / slope, reach), -reach)
        if not left < epsilon + move < right:
            move = (left + right) / 2 - epsilon if right - left < math.inf else math.copysign(reach, -value / slope)
        epsilon += move
        reach *= 1.5
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
