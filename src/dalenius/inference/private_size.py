"""Ends for a share whose number of people is private: two noisy counts, and no public n."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from dalenius.inference.cells import ReleasedCells
from dalenius.inference.convolution import last_where
from dalenius.inference.noise import Floats, ReleaseNoise

_SIZE_DOUBT = 0.002
"""What may fail of the set for n; the tails of the share have the rest."""
_CUT = 1e-8
_PER_SCALE = 16
_NEARLY_ONE = 1 - 1e-9


def share_ends(cells: ReleasedCells, level: float) -> tuple[float, float]:
    """Ends that hold p with probability ≥ level, whatever the private number of people n is.

    T = (1 − p)·Y₁ − p·Y₀ has mean 0 at the true p. Its tail is summed exactly over the count and both noises, for
    every n in a set that the sum of all cells shows to hold n but for a chance of 0.002; p stays in if the largest
    of the tails over these n is ≥ (1 − level − 0.002)/2: then p is left out with probability ≤ 1 − level  [BB94].
    """
    doubt = min(_SIZE_DOUBT, (1 - level) / 10)
    half = (1 - level - doubt) / 2
    one, rest = _grids(cells)
    sizes = _sizes(cells, one, rest, doubt)
    y, z = cells.one.value, cells.rest
    high = _highest(y, z, one, rest, sizes, half)
    low = 1 - _highest(z, y, rest, one, sizes, half)  # the tail on the other side is that of the rest's share
    return max(0.0, min(low, high)), min(1.0, max(low, high))


def share_tails(cells: ReleasedCells, p0: float, alternative: str) -> float:
    """The p-value of p = p0: the largest tail over the set for n, and what may fail of the set  [BB94]."""
    one, rest = _grids(cells)
    sizes = _sizes(cells, one, rest, _SIZE_DOUBT)
    y, z, p = cells.one.value, cells.rest, min(max(p0, 1e-9), _NEARLY_ONE)
    t = y - p * (y + z)
    sides = []
    if alternative != "greater":
        sides.append(max(_below(p, n, t, one, rest) for n in sizes))
    if alternative != "less":
        sides.append(max(_below(1 - p, n, -t, rest, one) for n in sizes))
    return min(1.0, len(sides) * min(sides) + _SIZE_DOUBT)


@dataclass(frozen=True, slots=True)
class _Grid:
    """A noise on multiples of `step`, rounded by at most `slack`; masses of −reach, …, reach, and their sums."""

    step: float
    reach: int
    masses: Floats
    below: Floats
    slack: float

    @classmethod
    def of(cls, step: float, masses: Floats, slack: float) -> "_Grid":
        sums = np.concatenate([[0.0], np.cumsum(masses), [1.0]])
        return cls(step, masses.size // 2, masses, np.minimum(sums, 1.0), slack)

    def plus(self, other: "_Grid") -> "_Grid":
        return _Grid.of(self.step, np.convolve(self.masses, other.masses), self.slack + other.slack)

    def cdf(self, z: Floats) -> Floats:
        """P[noise ≤ z], what lies beyond the grid being left to whoever asks."""
        place = np.floor(z * (1 / self.step) + 1e-9)
        index = np.clip(place + (self.reach + 1), 0, self.below.size - 1).astype(np.intp)
        return np.asarray(self.below[index])


def _grids(cells: ReleasedCells) -> tuple[_Grid, _Grid]:
    single = _grid(cells.one.noise)
    rest = _grid(cells.others[0].noise)
    for other in cells.others[1:]:
        rest = rest.plus(_grid(other.noise))
    return single, rest


def _grid(noise: ReleaseNoise) -> _Grid:
    step = 1.0 if noise.integral else math.sqrt(noise.variance) / _PER_SCALE
    reach = math.ceil(noise.reach(_CUT) / step)
    at = np.arange(-reach, reach + 2, dtype=np.float64)
    if noise.integral:
        return _Grid.of(1.0, np.diff(noise.below(at - 1)), 0.0)
    return _Grid.of(step, np.diff(noise.below((at - 0.5) * step)), step / 2)


def _sizes(cells: ReleasedCells, one: _Grid, rest: _Grid, doubt: float) -> range:
    """Every n that the noisy total leaves possible: all but a chance of `doubt`."""
    whole = one.plus(rest)
    sums = np.cumsum(whole.masses[::-1])[::-1]  # P[sum ≥ place], place from −reach
    tail = sums[whole.reach :]
    radius = int(np.argmax(tail <= doubt / 2 - _CUT * (1 + len(cells.others)))) * whole.step + whole.slack
    least = max(0, math.ceil(cells.total - radius))
    return range(least, max(least, math.floor(cells.total + radius)) + 1)


def _highest(y: float, z: float, one: _Grid, rest: _Grid, sizes: range, half: float) -> float:
    """The largest p at which some n leaves P[T ≤ observed] ≥ half."""

    def tail(p: float, n: int) -> float:
        return _below(p, n, y - p * (y + z), one, rest)

    # the widest law of T, that of the largest n, nearly always decides; every other n is then asked at its end
    best = 0.0
    for n in (sizes[-1], *sizes[:-1]):
        start = min(max(best, _middle(y, z)), _NEARLY_ONE)
        if best == 0.0 or tail(best, n) >= half:
            if tail(_NEARLY_ONE, n) >= half:
                return 1.0
            low = start if tail(start, n) >= half else 0.0
            best = max(best, last_where(lambda p, n=n: tail(p, n), half, low, _NEARLY_ONE))  # type: ignore[misc]
    return best


def _middle(y: float, z: float) -> float:
    return min(1.0, max(0.0, y / (y + z))) if y + z > 0 else 0.5


def _below(p: float, n: int, t: float, one: _Grid, rest: _Grid) -> float:
    """P[X − pn + (1 − p)·N₁ − p·N₀ ≤ t], X ~ Binomial(n, p), rounded up by what the grids leave out."""
    q = 1 - p
    slack = q * one.slack + p * rest.slack
    u = t + p * n + slack
    wide = q * one.step * (one.reach + 1) + p * rest.step * (rest.reach + 1)
    spread = 9 * math.sqrt(n * p * q) + 6
    first = max(0, math.floor(max(u - wide, n * p - spread)))
    last = min(n, math.ceil(min(u + wide, n * p + spread)))
    total = 0.0
    if first > 0:
        total += float(special.betaincc(first, n - first + 1, p)) if first <= n else 1.0
    if last >= first:
        x = np.arange(first, last + 1, dtype=np.float64)
        k = rest.step * np.arange(-rest.reach, rest.reach + 1)
        bounds = ((u - x)[:, None] + p * k[None, :]) / q
        total += float(_binomial(x, n, p) @ (one.cdf(bounds) @ rest.masses))
    return min(1.0, total + 4 * _CUT)


def _binomial(x: Floats, n: int, p: float) -> Floats:
    """P[X = x] over neighboring x."""
    if n == 0 or p <= 0:
        return np.asarray(x == 0, np.float64)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - x[:-1]) / x[1:]) + math.log(p / (1 - p)))])
    peak = int(np.argmax(logs))
    top = int(x[peak])
    mass = special.betainc(top, n - top + 1, p) if top > 0 else 1.0  # P[X ≥ top] − P[X > top]
    mass -= special.betainc(top + 1, n - top, p) if top < n else 0.0
    return np.asarray(np.exp(logs - logs[peak]) * mass)
