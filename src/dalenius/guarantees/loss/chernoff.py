"""The bound δ_f(ε) ≤ C(s)·e^(K(s) − sε): loose, but there is always one, however hard the composition."""

import math
from collections.abc import Callable

import numpy as np

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.contour import log_peak, log_tail_factor
from dalenius.guarantees.loss.rounding import UNIT, Uncertified
from dalenius.guarantees.loss.saddle import saddle_at

_TRIED = tuple(2.0 ** (k / 2) for k in range(-10, 61))
_PROVED = 4


def chernoff_delta(composition: LossComposition, epsilon: float) -> float:
    """The least of a few such bounds at ε; 1 if none is proved."""
    return least_bound(chernoff_factors(composition, epsilon), epsilon)


def chernoff_factors(composition: LossComposition, epsilon: float) -> list[tuple[float, float]]:
    """(s, log factor) of bounds δ_f ≤ e^(log factor − s·ε) that hold at every ε and are best near this one."""
    return _best(composition, lambda s, log_factor: log_factor - s * epsilon)


def least_bound(factors: list[tuple[float, float]], epsilon: float) -> float:
    """The least of these bounds at an ε, at most 1; where s·ε is large its rounding counts."""
    logs = [log_factor - s * epsilon + 4 * UNIT * (abs(log_factor) + abs(s * epsilon)) for s, log_factor in factors]
    return min([1.0, *(math.nextafter(math.exp(each) * (1 + 1e-12), math.inf) for each in logs if each < 0)])


def chernoff_epsilon(composition: LossComposition, delta: float) -> float:
    """The least ε at which one of a few such bounds is at most delta; +inf if none is proved."""
    if not delta > 0:
        return math.inf
    goal = math.log(delta)
    proved = _best(composition, lambda s, log_factor: (log_factor - goal) / s)
    return min([math.inf, *(max(0.0, _reached(s, log_factor, goal)) for s, log_factor in proved)])


def _reached(s: float, log_factor: float, goal: float) -> float:
    """An ε from which on log factor − s·ε is at most the goal, rounded up."""
    above = log_factor - goal + 1e-12 * abs(goal) + 4 * UNIT * (abs(log_factor) + abs(goal))
    return math.nextafter(above / s, math.inf)


def _best(composition: LossComposition, cost: Callable[[float, float], float]) -> list[tuple[float, float]]:
    """(s, log factor), proved, for the s that promise most."""
    guesses: list[tuple[float, float]] = []
    for s in _TRIED:
        with np.errstate(all="ignore"):
            log_moment = saddle_at(composition, s).log_moment
        if not math.isfinite(log_moment):
            break
        guesses.append((cost(s, log_moment + log_peak(s)), s))
        if guesses[-1][0] > min(guesses)[0] and len(guesses) > _PROVED:
            break  # both costs fall and then rise in s
    proved: list[tuple[float, float]] = []
    for _, s in sorted(guesses):
        if len(proved) == _PROVED:
            break
        try:
            with np.errstate(all="ignore"):
                proved.append(log_tail_factor(composition, s))
        except (Uncertified, ArithmeticError, ValueError):
            continue
    return [each for each in proved if not math.isnan(each[1])]
