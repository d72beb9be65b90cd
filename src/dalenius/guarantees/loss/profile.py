"""δ(ε) and ε(δ) of one composition in one direction, each end proved by an evaluation."""

import math
from fractions import Fraction
from functools import lru_cache

from dalenius.guarantees.curves.gaussian import gaussian_profile
from dalenius.guarantees.loss.chernoff import chernoff_delta, chernoff_epsilon
from dalenius.guarantees.loss.composition import LossComposition, largest_loss
from dalenius.guarantees.loss.few_atoms import FewAtoms, few_epsilon
from dalenius.guarantees.loss.few_laplace import MOST, few_laplace_delta, few_laplace_epsilon
from dalenius.guarantees.loss.jumps import is_heavy
from dalenius.guarantees.loss.rough import rough_delta
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.saddle import saddle_for_delta, saddle_for_epsilon
from dalenius.guarantees.loss.search import solved
from dalenius.guarantees.loss.ways import certified_line, on_line, ways_to_delta, ways_to_epsilon
from dalenius.numerics import ends

_SMALLEST = 1e-307
_COARSE = 1e-2


def delta_bounds(composition: LossComposition, epsilon: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on δ(ε), about `rtol` apart relative to δ where that can be reached."""
    if not composition.parts or epsilon >= composition.largest:
        return composition.infinite
    if composition.laplace is not None and composition.laplace[1] <= MOST:
        return few_laplace_delta(*composition.laplace, epsilon)
    few = few_atoms(composition)
    if few is not None:
        low, high = few.delta(epsilon)
        return _plus(composition.infinite[0], low, down=True), _plus(composition.infinite[1], high, down=False)
    if not composition.others:
        return ends(gaussian_profile(composition.gaussian_square, Fraction(epsilon)))
    low, high = composition.infinite[0], 1.0
    for way in ways_to_delta(composition, epsilon, rtol):
        finite = way.evaluate(epsilon)
        low = max(low, 0.0, _plus(way.infinite[0], finite[0], down=True))
        high = min(high, _plus(way.infinite[1], finite[1], down=False))
        if high - low <= rtol * high:
            return low, high
    return low, max(low, min(high, _plus(composition.infinite[1], chernoff_delta(composition, epsilon), down=False)))


def epsilon_bounds(composition: LossComposition, delta: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on the smallest ε ≥ 0 with δ(ε) ≤ delta."""
    if not composition.parts or delta >= 1.0:
        return 0.0, 0.0
    if delta < composition.infinite[0]:
        return math.inf, math.inf
    if composition.laplace is not None and composition.laplace[1] <= MOST:
        return few_laplace_epsilon(*composition.laplace, delta, rtol)
    few = few_atoms(composition)
    if few is not None and delta > composition.infinite[1]:
        return few_epsilon(few, composition.infinite, delta, composition.largest, rtol)
    high = composition.largest if delta >= composition.infinite[1] else math.inf
    if delta - composition.infinite[1] <= _SMALLEST:
        return _nothing_left(composition, delta, rtol), high
    low = _top(composition, delta)
    if high < math.inf and high - low <= rtol * high:
        return low, high
    at: list[float] = []
    for way in ways_to_epsilon(composition, min(delta - composition.infinite[1], 0.999), rtol, at):
        # δ_f must fall below delta − δ_∞: `sure` is below that number, `possible` above
        sure, possible = _plus(delta, -way.infinite[1], down=True), _plus(delta, -way.infinite[0], down=False)
        if sure <= 0.0:
            continue
        ends_found = solved(way, sure, possible, rtol)
        low, high = max(low, ends_found[0]), min(high, ends_found[1])
        at.append(ends_found[1])
        if high < math.inf and high - low <= rtol * high:
            break
    else:
        high = min(high, chernoff_epsilon(composition, delta - composition.infinite[1]))
    if low == 0.0 < high and delta_bounds(composition, 0.0, 1e-2)[1] <= delta:
        return 0.0, 0.0
    return min(low, high), high


@lru_cache(maxsize=64)
def few_atoms(composition: LossComposition) -> FewAtoms | None:
    """The list of all sums of losses, made once; None where it would be long."""
    return FewAtoms.of(composition)


def _top(composition: LossComposition, delta: float) -> float:
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


def _nothing_left(composition: LossComposition, delta: float, rtol: float) -> float:
    """A lower bound on ε when δ_∞ takes all of delta: what a larger delta needs."""
    more = composition.infinite[1] + max(4 * _SMALLEST, 1e-12 * delta)
    return epsilon_bounds(composition, more, max(rtol, 1e-4))[0] if more > delta else 0.0


def proves(composition: LossComposition, epsilon: float, delta: float) -> bool:
    """Whether δ(ε) ≤ delta is seen at once, by a line much coarser than an answer needs."""
    if epsilon >= composition.largest or epsilon == math.inf or not composition.others:
        return delta_bounds(composition, epsilon, 1e-6)[1] <= delta
    if _plus(composition.infinite[1], chernoff_delta(composition, epsilon), down=False) <= delta:
        return True
    try:
        high = on_line(certified_line(composition, saddle_for_epsilon(composition, epsilon), _COARSE))(epsilon)[1]
    except Uncertified:
        return False
    return _plus(composition.infinite[1], high, down=False) <= delta


def guess_log_delta(composition: LossComposition, epsilon: float) -> float:
    """About log δ(ε), or −inf; proves nothing."""
    if not composition.others or epsilon >= composition.largest:
        return -math.inf
    try:
        if is_heavy(composition):
            return rough_delta(composition, epsilon).log_delta
        return saddle_for_epsilon(composition, epsilon).log_delta
    except Uncertified:
        return -math.inf


def guess_epsilon(composition: LossComposition, delta: float) -> float:
    """About where δ(ε) passes delta; proves nothing."""
    left = delta - composition.infinite[1]
    if not left > _SMALLEST or not composition.parts:
        return math.inf
    try:
        return saddle_for_delta(composition, min(left, 0.999)).epsilon
    except Uncertified:
        return composition.largest


def _plus(x: float, y: float, *, down: bool) -> float:
    """The sum, rounded in a direction."""
    return math.nextafter(x + y, -math.inf if down else math.inf)
