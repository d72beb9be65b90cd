"""Where normal data surely lie, from noisy histograms: how likely the bin that noise makes largest misleads."""

import math
from functools import lru_cache

from scipy import special
from scipy.optimize import brentq

from dalenius.inference.convolution import NoisyBinomial
from dalenius.inference.noise import ReleaseNoise

_FAR = 10
"""Beyond so many bins a normal number lies with a chance of 1e-21: bins further out count as if they were there."""
_THRESHOLDS = 16


def normal(z: float) -> float:
    """Φ(z)."""
    return float(special.ndtr(z))


def beyond_any(n: int, chance: float) -> float:
    """The t with P[|Xᵢ − μ| > tσ for some i] ≤ chance, X₁, …, Xₙ normal: n·2Φ(−t) = chance."""
    return -float(special.ndtri(chance / (2 * n)))


def misplaced(n: int, bins: int, noise: ReleaseNoise, reach: float) -> float:
    """The chance that the centre of the largest noisy bin is more than `reach` bins from μ, at most  [KV18].

    Bins are σ wide or wider and cover μ, so its bin holds a number with the chance Φ(1) − ½ or more, and the i-th bin
    on one side whose centre is farther than `reach` with at most Φ(−(reach + i − ½)). If the first count is at least a
    threshold, noise included, and all of these are below it, the largest is none of these; the best threshold is taken.
    """
    far = [normal(-(reach + place - 0.5)) for place in range(_FAR)]
    return _surpassed(n, normal(1) - 0.5, [*far, *far], max(0, bins - 2 * _FAR), noise)


def too_narrow(pairs: int, bins: int, noise: ReleaseNoise, factor: float) -> float:
    """The chance that the upper edge U of the largest noisy bin has factor·U < σ, at most  [KV18].

    Bins double; |X − X'| of two normal numbers is σ√2·|N|, so the bin (U/2, U] has the chance g(U/(σ√2)), where g(x) =
    2Φ(x) − 2Φ(x/2). Wherever the edges are, one bin has at least the `best_doubling` chance; those that mislead have
    x < 1/(factor·√2), where g grows: the first has at most g there, the next at most g at half of it, and so on.
    """
    start = 1 / (factor * math.sqrt(2))
    return _surpassed(pairs, best_doubling(), [doubling(start / 2**i) for i in range(min(bins, _FAR))], 0, noise)


def doubling(x: float) -> float:
    """P[x/2 < |N| ≤ x], N standard normal; it grows up to x = 1.3596 and falls beyond."""
    return 2 * normal(x) - 2 * normal(x / 2)


@lru_cache(maxsize=1)
def best_doubling() -> float:
    """The chance of the likeliest of all bins that double, where the edges lie as badly as can be: g(x) = g(2x)."""
    return doubling(float(brentq(lambda x: doubling(x) - doubling(2 * x), 0.5, 1.3))) * (1 - 1e-12)


def _surpassed(n: int, near: float, far: list[float], empty: int, noise: ReleaseNoise) -> float:
    """P[a Binomial(n, near) count is surpassed by one of the `far` ones], noise on all, over the best threshold."""
    least = 1.0
    for step in range(1, _THRESHOLDS):
        threshold = math.ceil(n * near * step / _THRESHOLDS)
        at = NoisyBinomial(float(threshold), n, noise)
        missed = NoisyBinomial(float(threshold - 1), n, noise).lower_tail(near)
        least = min(least, missed + sum(map(at.upper_tail, far)) + empty * at.upper_tail(min(far)))
    return min(1.0, least)


def radius(deviation: float, scale: float, chance: float) -> float:
    """The r with P[|σ·N + scale·L| > r] = chance, N standard normal and L standard Laplace."""
    reach = deviation * float(-special.ndtri(chance / 4)) + scale * math.log(2 / chance)
    return float(brentq(lambda r: normal_laplace_tail(r, deviation, scale) - chance, 0.0, reach, xtol=1e-13 * reach))


def normal_laplace_tail(r: float, deviation: float, scale: float) -> float:
    """P[|σ·N + b·L| > r] = 2Φ(−r/σ) + e^(σ²/2b²)·(e^(−r/b)Φ(r/σ − σ/b) − e^(r/b)Φ(−r/σ − σ/b)), by parts."""
    z, ratio = r / deviation, deviation / scale
    first = ratio**2 / 2 - r / scale + float(special.log_ndtr(z - ratio))
    second = ratio**2 / 2 + r / scale + float(special.log_ndtr(-z - ratio))
    return min(1.0, 2 * normal(-z) + math.exp(min(first, 700.0)) - math.exp(min(second, 700.0)))
