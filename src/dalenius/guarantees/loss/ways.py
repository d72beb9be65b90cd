"""Ways to evaluate δ of a composition, the cheapest first: a closed form, lines, lines without jumps, grids."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from dalenius.guarantees.loss.chernoff import chernoff_factors, least_bound
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.contour import ContourLine, line
from dalenius.guarantees.loss.jumps import is_heavy, jumps_beyond
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.rough import near, rough_delta
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.saddle import Saddle, saddle_at, saddle_for_delta, saddle_for_epsilon
from dalenius.guarantees.loss.single import single_delta
from dalenius.guarantees.loss.tilted_grid import TiltedGrid, grid_step, tilted_grid

Evaluator: TypeAlias = Callable[[float], tuple[float, float]]
"""ε to proven bounds on the finite part of δ(ε)."""

_TRIES = 4
_LARGEST_GRID = 2**20
_LOOSE = 0.1
_COARSER_TOLERANCES = (1e-5, 3e-4)
_COARSER = 8
_ROUNDS = 6
_HIDDEN = 3.0
"""A tilted law this many times as wide as its body is mostly its tail."""


class Start(NamedTuple):
    """Where to begin a search, and about how fast log δ falls there."""

    epsilon: float
    s: float


class Way(NamedTuple):
    """Bounds on the mass at an infinite loss, an evaluator of the rest, and where a search along it begins."""

    infinite: tuple[float, float]
    evaluate: Evaluator
    start: Start


def ways_to_delta(composition: LossComposition, epsilon: float, rtol: float) -> Iterator[Way]:
    """Ways that are best near one ε."""
    finder = partial(saddle_for_epsilon, epsilon=epsilon)

    def placed(tolerance: float) -> Iterator[Way]:
        log_delta = rough_delta(composition, epsilon).log_delta
        for _ in range(_ROUNDS):
            way = _without_jumps(composition, epsilon, log_delta, tolerance)
            yield way
            before, log_delta = log_delta, _log_middle(way, epsilon)
            if abs(log_delta - before) < 0.1:
                return

    yield from _ways(composition, finder, lambda _: rtol, [epsilon], placed)


def ways_to_epsilon(composition: LossComposition, delta: float, rtol: float, at: list[float]) -> Iterator[Way]:
    """Ways that are best near the ε at which δ_f is `delta`; `at` is where the caller writes what it found."""
    finder = partial(saddle_for_delta, delta=delta)
    goal = math.log(delta)

    def width(saddle: Saddle) -> float:
        return rtol * abs(saddle.epsilon) * saddle.s

    def placed(tolerance: float) -> Iterator[Way]:
        epsilon = near(composition, goal, finder(composition.cut(delta * 1e-2)).epsilon)
        for _ in range(_ROUNDS):
            way = _without_jumps(composition, epsilon, goal, tolerance)
            yield way
            if not 0.0 < at[-1] < math.inf or abs(at[-1] - epsilon) <= 0.3 / way.start.s:
                return
            epsilon = at[-1]

    yield from _ways(composition, finder, width, at, placed)


def _ways(
    composition: LossComposition,
    finder: Callable[[LossComposition], Saddle],
    width: Callable[[Saddle], float],
    at: list[float],
    placed: Callable[[float], Iterator[Way]],
) -> Iterator[Way]:
    lattice = grid_step(composition, math.inf)[1]
    single = _single(composition)
    if single is not None and not lattice:
        yield Way(composition.infinite, _in_closed_form(single), _start(composition, finder))
    heavy = is_heavy(composition)
    here, tried, hidden = composition, False, False
    for cut in () if lattice else (False, True):
        try:
            hidden = hidden or (heavy and (cut or _is_hidden(composition, finder(here))))
            if hidden:
                for way in _at_some_tolerance(placed, _clipped(width(finder(composition))) / 4):
                    tried = True
                    yield way
                break
            saddle = finder(here)
            if cut:
                here = composition.cut(math.exp(saddle.log_delta) * _clipped(width(saddle)) / 16)
                saddle = finder(here)
            made = certified_line(here, saddle, _clipped(width(saddle)) / 2)
        except Uncertified:
            if hidden:
                break
            continue
        yield Way(here.infinite, on_line(made), Start(saddle.epsilon, saddle.s))
        tried = True
        if not heavy and (cut or here.infinite == composition.cut(1e-300).infinite):
            break
    try:
        here = composition.cut(math.exp(finder(composition).log_delta) * 1e-8) if heavy else here
        saddle = finder(here)
    except Uncertified:
        return
    for evaluate in _grids(here, saddle, _clipped(width(saddle)), at, tried=tried):
        yield Way(here.infinite, evaluate, Start(saddle.epsilon, saddle.s))
    if heavy and not tried:
        yield from _one_jump_or_none(composition, at[-1] if at and math.isfinite(at[-1]) else saddle.epsilon)


def _at_some_tolerance(placed: Callable[[float], Iterator[Way]], finest: float) -> Iterator[Way]:
    """The ways at the finest tolerance that is reached."""
    coarser = (2.5 * finest, *_COARSER_TOLERANCES)
    for tolerance in (finest, *(each for each in coarser if each > finest)):
        try:
            yield from placed(tolerance)
        except Uncertified:
            continue
        return
    raise Uncertified("no line")


def _single(composition: LossComposition) -> Pair | None:
    """The pair, if there is one and it is there once."""
    if composition.gaussian or len(composition.others) != 1 or composition.others[0][1] != 1:
        return None
    pair = composition.others[0][0]
    return None if pair.lost else pair


def _in_closed_form(pair: Pair) -> Evaluator:
    def evaluate(epsilon: float) -> tuple[float, float]:
        try:
            return single_delta(pair, epsilon)
        except Uncertified:
            return 0.0, 1.0

    return evaluate


def _start(composition: LossComposition, finder: Callable[[LossComposition], Saddle]) -> Start:
    try:
        saddle = finder(composition)
    except Uncertified:
        return Start(0.0, 1.0)
    return Start(saddle.epsilon, saddle.s)


def _is_hidden(composition: LossComposition, saddle: Saddle) -> bool:
    """Whether the saddle is one of the far tail, not of the body of the law."""
    return saddle.spread > _HIDDEN * math.sqrt(saddle_at(composition, saddle.s / 2).variance)


def _log_middle(way: Way, epsilon: float) -> float:
    low, high = way.evaluate(epsilon)
    return max(math.log(max(0.5 * (low + high), 1e-300)), -690.0)


def _without_jumps(composition: LossComposition, epsilon: float, log_delta: float, tolerance: float) -> Way:
    """A line for the steps that do not jump, and the closed form of those that do; `log_delta` is about log δ(ε)."""
    try:
        with np.errstate(all="ignore"):
            jumps = jumps_beyond(composition, epsilon, log_delta, tolerance)
            saddle = saddle_for_epsilon(jumps.kept, epsilon)
    except (ArithmeticError, ValueError) as error:
        raise Uncertified("range") from error
    body = on_line(certified_line(jumps.kept, saddle, tolerance, (epsilon, log_delta)))

    def evaluate(at: float) -> tuple[float, float]:
        (low, high), (more, most) = body(at), jumps.bounds(at)
        return (low + more) * (1 - 4e-16), (high + most) * (1 + 4e-16)

    return Way(composition.infinite, evaluate, Start(epsilon, saddle.s))


def _one_jump_or_none(composition: LossComposition, epsilon: float) -> Iterator[Way]:
    """A loose last resort: the closed form of steps that jump, and Chernoff's bound for those that do not."""
    try:
        with np.errstate(all="ignore"):
            rough = rough_delta(composition, epsilon)
            jumps = jumps_beyond(composition, epsilon, rough.log_delta, _LOOSE)
            factors = chernoff_factors(jumps.kept, epsilon)
    except (Uncertified, ArithmeticError, ValueError):
        return

    def evaluate(at: float) -> tuple[float, float]:
        if not math.isfinite(at):
            return 0.0, 1.0
        low, high = jumps.bounds(at)
        return low, (high + least_bound(factors, at)) * (1 + 4e-16)

    yield Way(composition.infinite, evaluate, Start(epsilon, rough.slope))


def _clipped(wanted: float) -> float:
    return min(max(wanted, 1e-11), 1e-2)


def _grids(
    composition: LossComposition, saddle: Saddle, wanted: float, at: list[float], *, tried: bool
) -> Iterator[Evaluator]:
    """Finer and finer grids, from what the one before reached at the ε last found."""
    count = max(1, sum(n for _, n in composition.others))
    step = math.sqrt(2.5 * wanted / (count * saddle.s * (saddle.s + 1)))
    coarsest = 20 * saddle.spread / _LARGEST_GRID
    if tried and step < coarsest:
        return
    step = max(step, coarsest)
    # what is outside the window counts C(s) ≤ 1/(e·s) where the answer is about 1/(s(s+1)·spread·√2π)
    scale = min(1.0, 1 / ((saddle.s + 1) * saddle.spread))
    step, thin, finest = step * 8, 1.0, math.inf
    for _ in range(_TRIES):
        if step < coarsest:
            if finest <= 1.1 * coarsest:
                return  # memory allows no finer one
            step = coarsest
        made = _grid(composition, saddle, step, wanted / 30 * scale, thin)
        if made is None:
            return
        grid, made_step = made
        yield grid.delta
        if made_step > 0.9 * finest or made_step > 1.9 * step:
            return  # memory allows no finer one
        finest = step = made_step
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
    composition: LossComposition, saddle: Saddle, wanted: float, tolerance: float, thin: float
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


def certified_line(
    composition: LossComposition, saddle: Saddle, tolerance: float, point: tuple[float, float] | None = None
) -> ContourLine:
    """`line`, with numbers out of the range of floats as one more obligation that fails; NaN proves nothing."""
    try:
        with np.errstate(all="ignore"):
            return line(composition, saddle, tolerance, point)
    except (ArithmeticError, ValueError) as error:
        raise Uncertified("range") from error


def on_line(made: ContourLine) -> Evaluator:
    """The line's bounds at one ε; a search that left the floats proves nothing."""

    def evaluate(epsilon: float) -> tuple[float, float]:
        if not math.isfinite(epsilon):
            return 0.0, 1.0
        low, high = made.delta(np.array([epsilon]))
        return float(low[0]), float(high[0])

    return evaluate
