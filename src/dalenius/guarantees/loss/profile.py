"""δ(ε) and ε(δ) of one composition in one direction: which method, and a search with ends proved by an evaluation."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from dalenius.guarantees.gaussian import gaussian_profile
from dalenius.guarantees.loss.composition import Composition, largest_loss
from dalenius.guarantees.loss.contour import Line, line
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.saddle import Saddle, saddle_for_delta, saddle_for_epsilon
from dalenius.guarantees.loss.tilted_grid import TiltedGrid, grid_step, tilted_grid
from dalenius.numerics import ends

Evaluator = Callable[[float], tuple[float, float]]
"""ε to proven bounds on the finite part of δ(ε)."""

_TRIES = 4
_SMALLEST = 1e-307
_LARGEST_GRID = 2**21
_COARSER = 8
_SECANTS = 60
_COARSE = 1e-2


def delta_bounds(composition: Composition, epsilon: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on δ(ε), about `rtol` apart relative to δ where that can be reached."""
    if not composition.parts or epsilon >= composition.largest:
        return composition.infinite
    if not composition.others:
        return ends(gaussian_profile(composition.gaussian_square, Fraction(epsilon)))
    low, high = composition.infinite[0], 1.0
    for each, evaluate in _ways(composition, partial(saddle_for_epsilon, epsilon=epsilon), lambda _: rtol, [epsilon]):
        found = evaluate(epsilon)
        low = max(low, 0.0, _plus(each.infinite[0], found[0], down=True))
        high = min(high, _plus(each.infinite[1], found[1], down=False))
        if high - low <= rtol * high:
            break
    return low, high


def epsilon_bounds(composition: Composition, delta: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on the smallest ε ≥ 0 with δ(ε) ≤ delta."""
    if not composition.parts or delta >= 1.0:
        return 0.0, 0.0
    if delta < composition.infinite[0]:
        return math.inf, math.inf
    high = composition.largest if delta >= composition.infinite[1] else math.inf
    if delta - composition.infinite[1] <= _SMALLEST:
        return _nothing_left(composition, delta, rtol), high
    low = _top(composition, delta)
    if high < math.inf and high - low <= rtol * high:
        return low, high
    at: list[float] = []
    finder = partial(saddle_for_delta, delta=min(delta - composition.infinite[1], 0.999))
    for each, evaluate in _ways(composition, finder, lambda here: rtol * abs(here.epsilon) * here.s, at):
        # δ_f must fall below delta − δ_∞: `sure` is below that number, `possible` above
        sure, possible = _plus(delta, -each.infinite[1], down=True), _plus(delta, -each.infinite[0], down=False)
        found = _solved(evaluate, finder(each), sure, possible, rtol)
        low, high = max(low, found[0]), min(high, found[1])
        at.append(found[1])
        if high < math.inf and high - low <= rtol * high:
            break
    if low == 0.0 < high and delta_bounds(composition, 0.0, 1e-2)[1] <= delta:
        return 0.0, 0.0
    return min(low, high), high


def _top(composition: Composition, delta: float) -> float:
    """A lower bound on ε from the largest loss: all steps reach it with probability p, so δ(ε) ≥ p(1 − e^(ε − it))."""
    if composition.gaussian or math.isinf(composition.largest):
        return 0.0
    log_mass = 0.0
    for pair, count in composition.others:
        atom = max(pair.atoms, key=lambda each: each.loss, default=None)
        if atom is None or atom.loss < largest_loss(pair) * (1 - 1e-12):
            return 0.0
        log_mass += count * math.log(atom.first)
    missing = delta * math.exp(min(-log_mass * (1 + 1e-12), 700.0)) * (1 + 1e-9)
    return max(0.0, composition.largest * (1 - 4e-12) + math.log1p(-missing)) if missing < 1 else 0.0


def _nothing_left(composition: Composition, delta: float, rtol: float) -> float:
    """A lower bound on ε when δ_∞ takes all of delta: what a larger delta needs."""
    more = composition.infinite[1] + max(4 * _SMALLEST, 1e-12 * delta)
    return epsilon_bounds(composition, more, max(rtol, 1e-4))[0] if more > delta else 0.0


def proves(composition: Composition, epsilon: float, delta: float) -> bool:
    """Whether δ(ε) ≤ delta is seen at once, by a line much coarser than an answer needs."""
    if epsilon >= composition.largest or epsilon == math.inf or not composition.others:
        return delta_bounds(composition, epsilon, 1e-6)[1] <= delta
    try:
        high = _on_line(certified_line(composition, saddle_for_epsilon(composition, epsilon), _COARSE))(epsilon)[1]
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


def _ways(
    composition: Composition, finder: Callable[[Composition], Saddle], width: Callable[[Saddle], float], at: list[float]
) -> Iterator[tuple[Composition, Evaluator]]:
    """Compositions to use instead of the given one, and ways to evaluate their finite part, the cheapest first.

    First a line. If the far tail of the loss stands in the way, the composition without it, on a line and then on
    grids that get finer.
    """
    lattice = grid_step(composition, math.inf)[1]
    tried = False
    here = composition
    if not lattice:
        for cut in (False, True):
            try:
                saddle = finder(here)
                wanted = _clipped(width(saddle))
                if cut:
                    here = composition.cut(math.exp(saddle.log_delta) * wanted / 16)
                    saddle = finder(here)
                made = certified_line(here, saddle, _clipped(width(saddle)) / 2)
            except Uncertified:
                continue
            yield here, _on_line(made)
            tried = True
            if cut or here.infinite == composition.cut(1e-300).infinite:
                break
    try:
        saddle = finder(here)
    except Uncertified:
        return
    for evaluate in _grids(here, saddle, _clipped(width(saddle)), at, tried=tried):
        yield here, evaluate


def _clipped(wanted: float) -> float:
    return min(max(wanted, 1e-11), 1e-2)


def _grids(
    composition: Composition, saddle: Saddle, wanted: float, at: list[float], *, tried: bool
) -> Iterator[Evaluator]:
    """Finer and finer grids, from what the one before reached at the ε last found."""
    count = max(1, sum(n for _, n in composition.others))
    step = math.sqrt(2.5 * wanted / (count * saddle.s * (saddle.s + 1)))
    if tried and 20 * saddle.spread / step > _LARGEST_GRID:
        return
    # what is outside the window counts C(s) ≤ 1/(e·s) where the answer is about 1/(s(s+1)·spread·√2π)
    scale = min(1.0, 1 / ((saddle.s + 1) * saddle.spread))
    step, thin = step * 8, 1.0
    for _ in range(_TRIES):
        made = _grid(composition, saddle, step, wanted / 30 * scale, thin)
        if made is None:
            return
        grid, step = made
        yield grid.delta
        epsilon = at[-1] if at and 0 < at[-1] < math.inf else saddle.epsilon
        low, high = grid.delta(epsilon)
        if high <= low:
            return
        step *= max(min(0.7 * math.sqrt(wanted * high / (high - low)), 0.5), 1 / 64)
        peak = saddle.log_moment - saddle.s * (epsilon + 1 / saddle.s)
        thin = min(
            1.0, math.exp(min(0.0, math.log(max(high, 1e-300)) - peak + math.log((saddle.s + 1) * saddle.spread)))
        )


def _grid(
    composition: Composition, saddle: Saddle, wanted: float, tolerance: float, thin: float
) -> tuple[TiltedGrid, float] | None:
    """The finest grid near the wanted step that fits in memory."""
    for _ in range(_COARSER):
        step = grid_step(composition, wanted)[0]
        try:
            with np.errstate(all="ignore"):
                return tilted_grid(composition, saddle, step, max(tolerance * thin, 1e-14), thin), step
        except (Uncertified, ArithmeticError, ValueError):
            wanted = max(wanted, step) * 2
    return None


def certified_line(composition: Composition, saddle: Saddle, tolerance: float) -> Line:
    """`line`, with numbers out of the range of floats as one more obligation that fails; NaN proves nothing."""
    try:
        with np.errstate(all="ignore"):
            return line(composition, saddle, tolerance)
    except (ArithmeticError, ValueError) as error:
        raise Uncertified("range") from error


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
    """About where log δ_f passes the goal, and its slope there: the secant rule inside a bracket."""
    left, right, epsilon, slope = -math.inf, math.inf, saddle.epsilon, -saddle.s
    before: tuple[float, float] | None = None
    reach = 3 / saddle.s
    for _ in range(_SECANTS):
        low, high = evaluate(epsilon)
        value = math.log(max(low, high * 0.5) / 2 + high / 2) - goal if high > 0 else -math.inf
        left, right = (epsilon, right) if value > 0 else (left, epsilon)
        if before is not None and epsilon != before[0] and math.isfinite(value - before[1]) and value != before[1]:
            slope = min((value - before[1]) / (epsilon - before[0]), -1e-3 * saddle.s)
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


def _plus(x: float, y: float, *, down: bool) -> float:
    """The sum, rounded in a direction."""
    return math.nextafter(x + y, -math.inf if down else math.inf)
