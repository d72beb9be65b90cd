"""Heavy tails: the steps whose loss jumps beyond a level are taken out and added in closed form.

A sampled Gaussian has a rare, large loss. No tilt of such a law gathers near ε, so a line needs many terms that cancel.
Let a step *jump* if its loss is above a level l, and let A be the event that some step jumps. With S the sum of losses,

    δ(ε) = ∫_{not A} (1 − e^(ε − S))₊ dP + P(A) − e^ε·Q(A) + ∫_A (e^(ε − S) − 1)₊ dP.

The first integral is δ_f of the composition of the steps cut at l, whose losses are bounded. P(A) and Q(A) are closed
forms. In the last one, some step has jumped: by the union bound over which, and since the others have a sum S' that
does not know of it, it is at most M·E_P(e^(ε − l − S') − 1)₊, M the expected number of jumps under P. That mean is
e^(−u)·δ'(u) at u = l − ε, δ' being the profile of the pairs swapped, which fewer steps only make smaller; and
δ'(u) ≤ C(s)·e^(K'(s) − su) at any s > 0 (`contour`), and 0 where u is at least the largest loss of the pairs swapped.
So l is put where that is small: a little above ε.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from flint import arb

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.contour import log_peak, log_tail_factor
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.rounding import WIDER, Uncertified
from dalenius.guarantees.loss.saddle import saddle_at
from dalenius.guarantees.loss.single import tail_masses
from dalenius.numerics import ball, lower, precision, upper

_BITS = 192
_DEVIATIONS = (0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0)
_BISECTIONS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Jumps:
    """What steps beyond the level add to δ(ε), and the composition `kept` of the steps below it."""

    kept: LossComposition
    first: arb
    second: arb
    expected: float
    level: float
    chernoff: tuple[float, float]
    swapped_largest: float

    def bounds(self, epsilon: float) -> tuple[float, float]:
        """Proven bounds on ∫_A (1 − e^(ε − S))₊ dP."""
        s, log_factor = self.chernoff
        u = self.level - epsilon
        exponent = log_factor - s * u - u
        missed = self.expected * math.exp(exponent) * WIDER if exponent < 700.0 else math.inf
        if u >= self.swapped_largest:
            missed = 0.0
        with precision(_BITS):
            sure = self.first - ball(epsilon).exp() * self.second
            return max(0.0, lower(sure)), math.nextafter(max(0.0, upper(sure)) + missed, math.inf)


def is_heavy(composition: LossComposition) -> bool:
    """Whether some loss is unbounded and rare, and all of the composition is finite and whole."""
    return any(_heavy(piece) for pair, _ in composition.others for piece in pair.pieces) and not any(
        pair.infinite or pair.vanishing or pair.lost for pair, _ in composition.parts
    )


def jumps_beyond(composition: LossComposition, epsilon: float, log_delta: float, tolerance: float) -> Jumps:
    """Jumps above the lowest level at which what their closed form misses is about `tolerance`·e^log_delta."""
    swapped = LossComposition.of((pair.swapped(), count) for pair, count in composition.parts)
    spread = math.sqrt(saddle_at(swapped, 1e-3).variance)
    if not spread > 0:
        raise Uncertified("an atom")
    tails = [_Tail.at(swapped, deviations / spread) for deviations in _DEVIATIONS]

    def missed(level: float) -> float:
        u = level - epsilon
        if u >= swapped.largest:
            return -math.inf
        return _log_expected(composition, level) + min(each.log_factor - each.s * u for each in tails) - u

    goal = log_delta + math.log(tolerance / 10)
    low, high = 0.0, epsilon + min(12 * spread, swapped.largest * (1 + 1e-9))
    if missed(high) > goal:
        low, high = high, 2 * high + 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if missed(middle) > goal else (low, middle)
    tails.sort(key=lambda each: each.log_factor - each.s * (high - epsilon))
    return _taken_out(composition, high, _proved(swapped, tails), swapped.largest)


def _proved(composition: LossComposition, tails: list["_Tail"]) -> tuple[float, float]:
    """The first of these bounds that is proved; an empty one if none is."""
    for each in tails:
        try:
            return log_tail_factor(composition, each.s)
        except Uncertified:
            continue
    return 1.0, math.inf


class _Tail(NamedTuple):
    """δ'(u) ≤ e^(log_factor − s·u), about."""

    s: float
    log_factor: float

    @classmethod
    def at(cls, composition: LossComposition, s: float) -> "_Tail":
        return cls(s, saddle_at(composition, s).log_moment + log_peak(s))


def _taken_out(
    composition: LossComposition, level: float, chernoff: tuple[float, float], swapped_largest: float
) -> Jumps:
    """The composition cut at the level, with the masses beyond it."""
    kept, lowest = [], math.inf
    with precision(_BITS):
        log_none, log_none_second, expected = ball(0), ball(0), ball(0)
        for pair, count in composition.parts:
            first = second = ball(0)
            pieces = []
            for piece in pair.pieces if pair.gaussian is None else ():
                if _heavy(piece):
                    end = float(piece.at(np.array([level]))[0])
                    mass, other = tail_masses(piece, end)
                    first, second = first + mass, second + other
                    lowest = min(lowest, _loss_below(piece, end))
                    piece = replace(piece, hi=end)
                pieces.append(piece)
            log_none += count * (-first).log1p()
            log_none_second += count * (-second).log1p()
            expected += count * first
            kept.append((pair if pair.gaussian is not None else _cut(pair, pieces, float(first.mid())), count))
        return Jumps(
            LossComposition(tuple(kept)),
            -log_none.expm1(),
            -log_none_second.expm1(),
            upper(expected),
            lowest,
            chernoff,
            swapped_largest,
        )


def _cut(pair: Pair, pieces: list[Piece], lost: float) -> Pair:
    return replace(pair, pieces=tuple(pieces), symmetric=False, lost=lost, further=None)


def _heavy(piece: Piece) -> bool:
    return piece.mixed_first and piece.hi == math.inf and piece.rate < 1.0


def _loss_below(piece: Piece, y: float) -> float:
    at = np.array([y])
    loss = piece.loss(at)
    return float(loss[0] - 2 * piece.loss_error(at, loss)[0])


def _log_expected(composition: LossComposition, level: float) -> float:
    """About log of the expected number of steps that lose more than the level."""
    total = -math.inf
    for pair, count in composition.others:
        for piece in pair.pieces:
            if _heavy(piece):
                total = float(
                    np.logaddexp(total, math.log(count) + piece.log_tail(float(piece.at(np.array([level]))[0])))
                )
    return total
