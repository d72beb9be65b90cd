"""An audit that may stop at any time: bets against the claim, and ends when they have won enough.

Under a claim every line (ε, δ) that it proves gives E[1_E(y) − e^ε 1_E(y')] ≤ δ for y drawn on x, y' on x2 and every
event E [A Thm 3.4]. So a bet on Z = 1_E(y) − e^ε 1_E(y') − δ, with a stake λ and an event fixed before the draw,
multiplies the wealth by 1 + λZ ≥ 0, whose expectation is at most 1: the wealth is a supermartingale, and by Ville's
inequality it ever reaches 1/α with probability at most α [WR24]. Event, line and stake may change from draw to draw.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.audit.bound import FEWEST, goal_of
from dalenius.audit.choose import Event, Goal, choose, columns_of
from dalenius.audit.draw import as_callable, draw_pair
from dalenius.audit.encode import OutcomeEncoder, Outputs
from dalenius.calls import named_arguments
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.noise import Bits

_STAKE = 0.5
"""The largest stake, as a part of the one that could lose all."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where the bets ended."""

    claim: Guarantee
    rejects: bool
    p_value: float
    """1 over the most wealth ever held: valid whenever one looks."""
    wealth: float
    draws: int
    event: str


@named_arguments
def sequential(
    mechanism: Any,
    x: Any,
    x2: Any,
    *,
    claim: Guarantee,
    draws: int = 100_000,
    alpha: float = 0.05,
    first: int = 500,
    bits: Bits | None = None,
    trees: bool = False,
) -> Stopped:
    """Draw until the claim is refuted at level alpha, or `draws` were made on each data set.

    The first `first` draws only choose an event; from then on each draw is bet upon, and the event is chosen anew, from
    all draws past, whenever their number has doubled.

    >>> from dalenius.guarantees import PureDP
    >>> told = sequential(sum, [1, 1], [1], claim=PureDP(1))
    >>> told.rejects, told.draws < 1000
    (True, True)
    """
    if first < FEWEST or draws <= first:
        raise InvalidParameter(f"first must be at least {FEWEST} and below draws, got {first} and {draws}")
    if not 0 < alpha < 1:
        raise InvalidParameter(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    run = as_callable(mechanism, bits)
    seen = [list(side) for side in draw_pair(run, x, x2, first, bits=bits)]
    log_wealth = best = 0.0
    event: Event | None = None
    while len(seen[0]) < draws and best < math.log(1 / alpha):
        size = min(len(seen[0]), draws - len(seen[0]))
        encoder, event = _event(seen, goal_of(claim, None, alpha, size), trees)
        stake = _Stake.on(event, encoder, seen, goal_of(claim, None, alpha, size))
        for part in _parts(size, 250):
            fresh = [list(side) for side in draw_pair(run, x, x2, part, bits=bits)]
            log_wealth, best = stake.bet(fresh, log_wealth, best)
            seen = [[*old, *new] for old, new in zip(seen, fresh, strict=True)]
            if best >= math.log(1 / alpha):
                break
    if event is None:
        raise AuditFailed("no draw was bet upon: allow more draws")
    wealth = math.exp(min(log_wealth, 700))
    return Stopped(claim, best >= math.log(1 / alpha), min(1.0, math.exp(-best)), wealth, len(seen[0]), str(event))


def _event(seen: list[list[Any]], goal: Goal, trees: bool) -> tuple[OutcomeEncoder, Event]:
    first, second = (Outputs.read(side) for side in seen)
    encoder = OutcomeEncoder.fit(first, second)
    return encoder, choose(columns_of(encoder(first)), columns_of(encoder(second)), goal, trees)


@dataclass(frozen=True, slots=True)
class _Stake:
    """An event, the line it is to cross, and how much is bet on it."""

    event: Event
    encoder: OutcomeEncoder
    growth: float
    delta: float
    complement: bool
    stake: float

    @classmethod
    def on(cls, event: Event, encoder: OutcomeEncoder, seen: list[list[Any]], goal: Goal) -> "_Stake":
        """The stake that would have grown wealth most, nearly: mean over mean square of Z  [WR24]."""
        epsilon, delta, complement = goal.claim.line(event.shares[1])
        bare = cls(event, encoder, math.exp(epsilon), delta, complement, 0.0)
        past = bare._gains(seen)
        mean, square = float(np.mean(past)), float(np.mean(past**2)) + 1e-9
        limit = _STAKE / (math.exp(epsilon) + delta)
        return cls(event, encoder, bare.growth, delta, complement, min(limit, max(0.0, 0.8 * mean / square)))

    def bet(self, fresh: list[list[Any]], log_wealth: float, best: float) -> tuple[float, float]:
        """Log wealth after these draws, and the most it ever was."""
        path = log_wealth + np.cumsum(np.log1p(self.stake * self._gains(fresh)))
        return float(path[-1]), max(best, float(path.max()))

    def _gains(self, outputs: list[list[Any]]) -> Any:
        held = [self.event.holds(columns_of(self.encoder(Outputs.read(side)))) for side in outputs]
        one, other = (held[1], held[0]) if self.event.reversed else held
        if self.complement:
            one, other = ~other, ~one
        return one.astype(np.float64) - self.growth * other - self.delta


def _parts(size: int, each: int) -> list[int]:
    whole, rest = divmod(size, each)
    return [each] * whole + ([rest] if rest else [])
