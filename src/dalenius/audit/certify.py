"""What two counts prove: an exact confidence region for a pair of probabilities, and what lies outside it.

An event E, fixed before these draws, was seen k₁ times in n₁ draws on x and k₂ times in n₂ draws on x2. Order the
outcomes by T = k₁ − w·k₂ with a weight w ≥ 0 fixed before too. Then {(P, Q) : P_{P,Q}[T ≥ t] > α − γ, Q inside its
Clopper–Pearson limits at γ} holds the true pair with probability at least 1 − α [BB94; CP34]: the first set misses it
with probability at most α − γ, the second with at most γ. A claim is a curve P ≤ g(Q); it is rejected when the region
has no point on or below it. The tail grows with P and falls with Q, so over Q in [a, b] it is at most its value
at (g(b), a): a finite grid bounds the supremum, nothing is left to the grid.

One region serves every claim, so the ε that it excludes at each δ hold together. T joins the two counts: separate
limits for each would add the two radii, this adds their squares, which is what an event of comparable counts needs.
"""

import functools
import heapq
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri
from scipy.stats import beta as beta_law

from dalenius.audit.claim import Ceiling

Floats = NDArray[np.float64]

SHARE = 1 / 20
"""The part γ of α that the limits of Q take."""
_REACH, _ROOM = 8.5, 30  # a binomial is 8.5 deviations (and 30 more) off with probability below 1e-15
_CELLS, _SPLITS, _CLOSE = 12, 400, 0.03
_ERROR = 1e-13  # tails left out of a window, and the error of the summed masses


@dataclass(frozen=True, slots=True)
class EventCounts:
    """How often an event was seen on x (first) and on x2 (second), and the weight of a second draw in the statistic."""

    first: int
    first_draws: int
    second: int
    second_draws: int
    weight: float

    def second_limits(self, gamma: float) -> tuple[float, float]:
        """Clopper–Pearson limits of P[E | x2], each missed with probability at most γ/2  [CP34]."""
        return limits(self.second, self.second_draws, gamma)

    def tail(self, first: float, second: float) -> float:
        """P[T ≥ t] at the pair of probabilities, rounded up."""
        js, masses = window(self.second_draws, second)
        needed = self.first + self.weight * (js - self.second)
        total = float(masses @ at_least(self.first_draws, first, np.ceil(needed - 1e-9)))
        return min(1.0, total * (1 + 1e-9) + _ERROR)

    def p_value(self, claim: Ceiling, gamma: float, level: float | None = None) -> float:
        """The supremum of P[T ≥ t] over pairs that the claim allows, plus γ, rounded up by at most a part in 30.

        With a `level` it stops as soon as the side of it is settled.
        """
        low, high = self.second_limits(gamma)
        edges = np.linspace(low, high, _CELLS + 1).tolist()
        cells = [(-self.tail(claim.at(b), a), a, b) for a, b in itertools.pairwise(edges)]
        heapq.heapify(cells)
        largest = 0.0
        for _ in range(_SPLITS):
            worst, a, b = -cells[0][0], cells[0][1], cells[0][2]
            middle = (a + b) / 2
            largest = max(largest, self.tail(claim.at(middle), middle))
            settled = level is not None and (worst + gamma <= level or largest + gamma > level)
            if settled or worst <= largest * (1 + _CLOSE) + 1e-12:
                break
            heapq.heapreplace(cells, (-self.tail(claim.at(middle), a), a, middle))
            heapq.heappush(cells, (-self.tail(claim.at(b), middle), middle, b))
        return min(1.0, gamma - cells[0][0])

    def rejects(self, claim: Ceiling, alpha: float) -> bool:
        """Whether the region at 1 − α has no point that the claim allows."""
        return self.p_value(claim, alpha * SHARE, alpha) <= alpha

    def epsilon(self, delta: float, alpha: float) -> float:
        """The largest ε found such that (ε, δ)-DP is rejected at α, so at least 1 − α sure that it does not hold.

        For a fixed T the p-value grows with ε, so all smaller ones are rejected too.
        """

        def rejects(epsilon: float) -> bool:
            return self.rejects(Ceiling.of_line(epsilon, delta), alpha)

        if not rejects(0.0):
            return 0.0
        low, high, ahead = 0.0, math.inf, self._guess(delta, alpha)
        step = max(5e-3, 5e-3 * ahead)
        while high - low > 2e-3 * max(1.0, low) and low < 700:
            low, high = (ahead, high) if rejects(ahead) else (low, ahead)
            ahead = ahead + step if high == math.inf else max((low + high) / 2, high - step)
            step *= 2
        return low

    def _guess(self, delta: float, alpha: float) -> float:
        """Where the search for ε starts: the ε at which a normal law in place of the binomials would reject."""
        p, q = (self.first + 0.25) / (self.first_draws + 0.5), (self.second + 0.5) / (self.second_draws + 1)

        def excess(epsilon: float) -> float:
            growth = math.exp(epsilon)
            for one, other in ((p, q), (1 - q, 1 - p)):
                spread = one * (1 - one) / self.first_draws + growth**2 * other * (1 - other) / self.second_draws
                if one - delta - growth * other > z * math.sqrt(spread):
                    return 1.0
            return -1.0

        z, low, high = float(ndtri(1 - alpha)), 0.0, 50.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return max(1e-3, low)


def limits(seen: int, draws: int, alpha: float) -> tuple[float, float]:
    """Clopper–Pearson: each end is missed with probability at most α/2  [CP34]."""
    low = 0.0 if seen == 0 else float(beta_law.ppf(alpha / 2, seen, draws - seen + 1))
    high = 1.0 if seen == draws else float(beta_law.ppf(1 - alpha / 2, seen + 1, draws - seen))
    return low, high


def draws_needed(claim: Ceiling, alpha: float) -> int | None:
    """How many draws an event needs that is certain on x and never seen on x2; None if no number is enough.

    Its p-value is at most max over Q of (g(Q)(1 − Q))ⁿ, plus γ.
    """
    at = np.concatenate([[0.0], np.geomspace(1e-13, 1.0, 20_000)])
    most = float(np.max(claim(at) * (1 - at)))
    if most >= 1 - 1e-12:
        return None
    return max(1, math.ceil(math.log(alpha * (1 - SHARE) / (1 + 2 * _CLOSE)) / math.log(most)) + 1)


@functools.lru_cache(maxsize=4)
def _log_choose(draws: int) -> Floats:
    at = gammaln(np.arange(1, draws + 2, dtype=np.float64))
    choose: Floats = at[draws] - at - at[::-1]
    return choose


def window(draws: int, chance: float) -> tuple[Floats, Floats]:
    """The counts that a binomial takes but for 1e-15, and their masses."""
    if chance <= 0 or chance >= 1:
        return np.array([0.0 if chance <= 0 else draws]), np.ones(1)
    reach = _REACH * math.sqrt(draws * chance * (1 - chance)) + _ROOM
    low, high = max(0, int(draws * chance - reach)), min(draws, int(draws * chance + reach) + 1)
    counts = np.arange(low, high + 1, dtype=np.float64)
    logs = _log_choose(draws)[low : high + 1] + counts * math.log(chance) + (draws - counts) * math.log1p(-chance)
    return counts, np.exp(logs)


def at_least(draws: int, chance: float, needed: Floats) -> Floats:
    """P[K ≥ needed] for a binomial K, at many levels."""
    counts, masses = window(draws, chance)
    tails = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    index = np.clip(needed - counts[0], 0, len(counts)).astype(np.int64)
    chances: Floats = np.where(needed <= counts[0], 1.0, np.where(needed > draws, 0.0, tails[index]))
    return chances
