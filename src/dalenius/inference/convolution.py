"""A count drawn at random, with noise on it: the exact tails of binomial or Poisson numbers plus noise."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from scipy import special
from scipy.optimize import brentq

from dalenius.inference.noise import Floats, ReleaseNoise

_BEYOND = 1e-17
_LEAST, _MOST = 1e-300, 1e300


class NoisyCount(ABC):
    """Tails of X + noise at the number y that was released, as functions of the parameter of X.

    P[X + noise ≤ y] = Σₓ P[X = x] P[noise ≤ y − x]. The sum runs over the x near y, where the noise decides; left of
    them the noise surely suffices and the cdf of X is taken, right of them it surely does not. Written with tilted
    binomials the same sum has a closed form that underflows: at n = 10⁴ its ends are wrong in the sixth digit.
    """

    def __init__(self, y: float, noise: ReleaseNoise, most: int | None) -> None:
        self.y = y
        reach = noise.reach(_BEYOND) + 1
        first = max(0, math.floor(y - reach))
        last = math.ceil(y + reach) if most is None else min(most, math.ceil(y + reach))
        self.first, self.last = min(first, 2**52), max(last, 0)
        self.x = np.arange(self.first, self.last + 1, dtype=np.float64)
        self._enough = noise.below(y - self.x)
        self._above = noise.below(self.x - y)

    def lower_tail(self, parameter: float) -> float:
        """P[X + noise ≤ y]."""
        near = float(self.masses(parameter) @ self._enough) if self.x.size else 0.0
        return min(1.0, near + self.cdf(self.first - 1, parameter))

    def upper_tail(self, parameter: float) -> float:
        """P[X + noise ≥ y]."""
        near = float(self.masses(parameter) @ self._above) if self.x.size else 0.0
        return min(1.0, near + self.survival(max(self.last, self.first - 1), parameter))

    @abstractmethod
    def masses(self, parameter: float) -> Floats:
        """P[X = x] for each x of the window."""

    @abstractmethod
    def cdf(self, x: int, parameter: float) -> float:
        """P[X ≤ x]."""

    @abstractmethod
    def survival(self, x: int, parameter: float) -> float:
        """P[X > x]."""


class NoisyBinomial(NoisyCount):
    """X ~ Binomial(n, p)."""

    def __init__(self, y: float, n: int, noise: ReleaseNoise) -> None:
        self.n = n
        super().__init__(y, noise, n)
        x = self.x
        self._anchor = min(max(round(y), 0), n)
        ratios = np.log((n - x[:-1]) / (x[1:])) if x.size > 1 else np.zeros(0)
        relative = np.concatenate([[0.0], np.cumsum(ratios)]) if x.size else np.zeros(0)
        if x.size:
            relative -= relative[min(max(self._anchor - self.first, 0), x.size - 1)]
        self._relative = relative
        self._mode = _log_mass_at_own_share(n, self._anchor)

    def masses(self, parameter: float) -> Floats:
        """Ratios of neighboring masses from the anchor on: log C(n, x) itself has too few digits at n = 10⁶."""
        n, p, x0 = self.n, parameter, self._anchor
        if not self.x.size:
            return self.x
        if p <= 0 or p >= 1:
            return np.asarray(self.x == (0 if p <= 0 else n), np.float64)
        anchor = self._mode + _deviance(x0, n * p) + _deviance(n - x0, n * (1 - p))
        logit = math.log(p) - math.log1p(-p)
        return np.asarray(np.exp(self._relative + (self.x - x0) * logit + anchor))

    def cdf(self, x: int, parameter: float) -> float:
        """By the incomplete beta function."""
        if x < 0:
            return 0.0
        return 1.0 if x >= self.n else float(special.betaincc(x + 1, self.n - x, parameter))

    def survival(self, x: int, parameter: float) -> float:
        """By the incomplete beta function."""
        if x < 0:
            return 1.0
        return 0.0 if x >= self.n else float(special.betainc(x + 1, self.n - x, parameter))


class NoisyPoisson(NoisyCount):
    """X ~ Poisson(rate)."""

    def __init__(self, y: float, noise: ReleaseNoise) -> None:
        super().__init__(y, noise, None)
        self._factorials = special.gammaln(self.x + 1)

    def masses(self, parameter: float) -> Floats:
        """e^−λ λ^x / x!."""
        if parameter <= 0:
            return np.asarray(self.x == 0, np.float64)
        return np.asarray(np.exp(self.x * math.log(parameter) - parameter - self._factorials))

    def cdf(self, x: int, parameter: float) -> float:
        """By the incomplete gamma function."""
        return 0.0 if x < 0 else float(special.gammaincc(x + 1, parameter))

    def survival(self, x: int, parameter: float) -> float:
        """By the incomplete gamma function."""
        return 1.0 if x < 0 else float(special.gammainc(x + 1, parameter))


def last_where(tail: Callable[[float], float], alpha: float, low: float, high: float) -> float:
    """The largest parameter in [low, high] at which a falling tail is still ≥ alpha, rounded outward; `low` if none."""
    if tail(high) >= alpha:
        return high
    if tail(low) < alpha:
        return low
    root = _root(tail, alpha, low, high)
    return min(high, root + _slack(root))


def first_where(tail: Callable[[float], float], alpha: float, low: float, high: float) -> float:
    """The least parameter in [low, high] at which a rising tail is ≥ alpha, rounded outward; `high` if none."""
    if tail(low) >= alpha:
        return low
    if tail(high) < alpha:
        return high
    root = _root(tail, alpha, low, high)
    return max(low, root - _slack(root))


def _root(tail: Callable[[float], float], alpha: float, low: float, high: float) -> float:
    def gap(parameter: float) -> float:  # on the scale of normal quantiles the tail is nearly a straight line
        return float(special.ndtri(min(max(tail(parameter), _LEAST), 1 - 1e-16)) - target)

    target = float(special.ndtri(alpha))
    return float(brentq(gap, low, high, xtol=1e-16, rtol=1e-15, maxiter=200))


def _slack(root: float) -> float:
    """What rounding may have moved a root by: the tails have 12 digits and more."""
    return 1e-15 + 2e-13 * abs(root)


def _log_mass_at_own_share(n: int, x: int) -> float:
    """Log P[X = x] for X ~ Binomial(n, x/n), by Stirling's series: −½ log(2πx(n−x)/n) + s(n) − s(x) − s(n−x)."""
    if x in (0, n):
        return 0.0
    return _stirling(n) - _stirling(x) - _stirling(n - x) - 0.5 * math.log(2 * math.pi * x / n * (n - x))


def _stirling(n: int) -> float:
    """Log n! − (n + ½) log n + n − ½ log 2π."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    s = 1 / n**2
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * 691 / 360360))))) / n


def _deviance(x: int, mean: float) -> float:
    """X log(mean / x) + x − mean, whose parts x − mean cancel between a count and the rest."""
    if x == 0:
        return -mean
    t = (mean - x) / x
    # far below x the parts do not cancel, and 1 + t would round to 0
    return x * (math.log1p(t) - t) if t > -0.5 else x * math.log(mean / x) - x * t
