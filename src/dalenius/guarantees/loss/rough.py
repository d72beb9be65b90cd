"""About δ(ε) of a heavy composition, and about the ε of a δ: where to make a line. Nothing here is proved."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.jumps import jumps_beyond
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.saddle import saddle_for_epsilon
from dalenius.guarantees.loss.single import single_delta

_COARSE = 1e-2
_UNKNOWN = -60.0
_NEWTON = 12
_CLOSE = 0.5


class RoughDelta(NamedTuple):
    """About log δ at some ε, and how fast it falls; proves nothing."""

    log_delta: float
    slope: float


@lru_cache(maxsize=256)
def rough_delta(composition: LossComposition, epsilon: float) -> RoughDelta:
    """The saddle point value for the steps that do not jump, plus that of one step alone or of jumps."""
    try:
        with np.errstate(all="ignore"):
            jumps = jumps_beyond(composition, epsilon, _UNKNOWN, _COARSE)
            saddle = saddle_for_epsilon(jumps.kept, epsilon)
            off = (saddle.epsilon - epsilon) / saddle.spread
            body = saddle.log_delta + saddle.s * (saddle.epsilon - epsilon) - 0.5 * off * off
            alone = sum(count * single_delta(pair, epsilon)[0] for pair, count in composition.others)
            beyond = max(jumps.bounds(epsilon)[0], min(alone, 1.0))
            log_delta = float(np.logaddexp(body, np.log(beyond)))
    except (ArithmeticError, ValueError) as error:
        raise Uncertified("range") from error
    return RoughDelta(max(log_delta, -690.0), saddle.s)


def near(composition: LossComposition, goal: float, start: float) -> float:
    """About where log δ passes the goal: the secant rule, begun with the slope of a line, inside a bracket."""
    left, right, epsilon = 0.0, math.inf, max(start, 0.0)
    before = (math.nan, math.nan)
    for _ in range(_NEWTON):
        log_delta, slope = rough_delta(composition, epsilon)
        left, right = (epsilon, right) if log_delta > goal else (left, epsilon)
        if epsilon != before[0] and before[1] > -math.inf:
            slope = max((before[1] - log_delta) / (epsilon - before[0]), 1e-2 * slope)
        move, before = (log_delta - goal) / slope, (epsilon, log_delta)
        if abs(log_delta - goal) < _CLOSE:
            return max(epsilon + move, left)
        epsilon += move
        if not left < epsilon < right:
            epsilon = 0.5 * (left + right) if right < math.inf else 2 * left + abs(move)
    return epsilon
