"""Auditing one run of training: many canaries, each in or out by a coin, guessed afterwards  [SNJ23]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from dalenius.audit.claim import ceiling
from dalenius.audit.guessing import tail_bound
from dalenius.calls import named_arguments
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import ApproxDP, Guarantee, PureDP
from dalenius.noise import Bits
from dalenius.numerics import ball, precision

Train = Callable[[list[Any]], Callable[[Any], float]]
"""Trains on the canaries that are in (and whatever else) and returns a score of a canary: higher, likelier in."""


@dataclass(frozen=True, slots=True)
class OneRun:
    """How many guesses were right, and what that proves."""

    claim: Guarantee
    canaries: int
    guesses: int
    correct: int
    alpha: float
    epsilon: float
    """The run was not (ε', delta)-DP for any ε' < epsilon, with confidence 1 − alpha."""
    delta: float
    p_value: float

    @property
    def rejects(self) -> bool:
        """Whether the claim is refuted at level alpha."""
        return self.p_value <= self.alpha


@named_arguments
def one_run(
    train: Train,
    canaries: Sequence[Any],
    *,
    claim: Guarantee,
    guesses: int | None = None,
    alpha: float = 0.05,
    bits: Bits | None = None,
) -> OneRun:
    """Train once, with each canary in by a fair coin, guess from the scores which were in, and count.

    The top half of `guesses` by score is said to be in, the bottom half out, the rest is left open; `guesses`, two
    thirds of the canaries unless given, is fixed before. Under add-remove neighbors and (ε, δ)-DP the number of right
    guesses is at most that of coins with chance e^ε/(1 + e^ε), but for a term in δ [SNJ23, Thm 5.2]. A claim with a
    whole curve (GDP, zCDP, a trade-off function) is tested on it [MMC25], and as (ε, δ) at δ = α/(20·canaries); both
    bound the chance of so many right guesses, so the smaller of the two is the p-value. `epsilon` is certified at that
    δ by the second.
    """
    size = len(canaries)
    asked = 2 * (size // 3) if guesses is None else guesses
    if size < 10 or not 2 <= asked <= size:
        raise InvalidParameter(f"at least 10 canaries and 2 to {size} guesses are needed, got {size} and {asked}")
    source = Bits() if bits is None else bits
    inside = (source.octets(size) & 1).astype(bool)
    score = train([canary for canary, here in zip(canaries, inside, strict=True) if here])
    values = np.array([float(score(canary)) for canary in canaries])
    if np.isnan(values).any():
        raise AuditFailed("a score was NaN: scores must order the canaries")
    order = np.argsort(values, kind="stable")
    half = asked // 2
    correct = int(inside[order[size - half :]].sum() + (~inside[order[: asked - half]]).sum())
    epsilon, delta = _line(claim, alpha, size)
    certified = certified_epsilon(size, asked, correct, delta, alpha)
    p = min(p_value(size, asked, correct, epsilon, delta), tail_bound(ceiling(claim), size, asked, correct))
    return OneRun(claim, size, asked, correct, alpha, certified, delta, p)


def p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    """The most likely that an (ε, δ)-DP run gets so many right: P[B ≥ v] + 2mδ·max_i P[v > B ≥ v − i]/i  [SNJ23]."""
    with precision(96):
        chance = float((1 / (1 + (-ball(epsilon)).exp())).upper()) if epsilon < 700 else 1.0
    tail = float(binom.sf(correct - 1, guesses, chance))
    if delta == 0 or correct == 0:
        return min(1.0, tail)
    below = np.cumsum(binom.pmf(np.arange(correct - 1, -1, -1), guesses, chance))
    steepest = float(np.max(below / np.arange(1, correct + 1)))
    return min(1.0, tail + 2 * canaries * delta * steepest)


def certified_epsilon(canaries: int, guesses: int, correct: int, delta: float, alpha: float) -> float:
    """The largest ε (to 1e-4) whose p-value is at most alpha."""
    low, high = 0.0, 30.0
    if p_value(canaries, guesses, correct, low, delta) > alpha:
        return 0.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(canaries, guesses, correct, middle, delta) <= alpha else (low, middle)
    return low


def _line(claim: Guarantee, alpha: float, canaries: int) -> tuple[float, float]:
    if isinstance(claim, PureDP | ApproxDP) and claim.sum_form is not None:
        return float(claim.sum_form[0]), float(claim.sum_form[1])
    delta = alpha / (20 * canaries)
    return claim.epsilon(delta), delta
