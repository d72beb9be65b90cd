"""Does a sample come from a law? Every verdict here is a false alarm with probability at most FALSE_ALARM."""

from collections.abc import Callable

import numpy as np
from scipy import special, stats

FALSE_ALARM = 1e-9


def groups_of(
    cdf: Callable[[np.ndarray], np.ndarray], low: int, high: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Edges of at most `count` groups (e_{i-1}, e_i] of about equal probability, and their probabilities."""
    if high - low <= 4 * count:
        edges = np.arange(low, high + 1)
    else:
        wanted, grid = np.linspace(0, 1, count + 1)[1:-1], np.linspace(low, high, 1 << 20).astype(np.int64)
        edges = np.unique(grid[np.minimum(np.searchsorted(cdf(grid), wanted), len(grid) - 1)])
    at = cdf(edges)
    return edges, np.diff(np.concatenate([[0.0], at, [1.0]]))


def p_value(sample: np.ndarray, edges: np.ndarray, probabilities: np.ndarray) -> float:
    """Pearson's chi-square over the groups, those with fewer than 25 expected merged into one."""
    counts = np.bincount(np.searchsorted(edges, sample, side="left"), minlength=len(probabilities)).astype(float)
    return chi_square(counts, probabilities)


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> float:
    expected = probabilities * counts.sum()
    small = expected < 25
    if small.any():
        counts = np.append(counts[~small], counts[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
        if expected[-1] < 25:  # too rare to be compared: fold into the largest
            at = int(np.argmax(expected[:-1]))
            counts[at], expected[at] = counts[at] + counts[-1], expected[at] + expected[-1]
            counts, expected = counts[:-1], expected[:-1]
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, len(counts) - 1))


def binomial_p_value(successes: int, trials: int, chance: float) -> float:
    """Two-sided exact binomial test."""
    return float(
        min(1.0, 2 * min(stats.binom.cdf(successes, trials, chance), stats.binom.sf(successes - 1, trials, chance)))
    )


# The laws, written a second time from their definitions, in floats: what the samplers are compared with.


def discrete_laplace_cdf(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    q = np.exp(-1 / scale)
    return lambda k: np.where(k >= 0, 1 - q ** (np.maximum(k, 0) + 1.0) / (1 + q), q ** -np.minimum(k, 0.0) / (1 + q))


def discrete_gaussian_cdf(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    reach = int(40 * scale) + 40
    k = np.arange(-reach, reach + 1)
    mass = np.exp(-(k.astype(float) ** 2) / (2 * scale**2))
    sums = np.cumsum(mass) / mass.sum()
    return lambda x: sums[np.clip(np.asarray(x) + reach, 0, 2 * reach)]


def rounded_laplace_cdf(units: float) -> Callable[[np.ndarray], np.ndarray]:
    """In steps of the lattice, of which the scale has `units`."""
    return lambda k: stats.laplace.cdf((np.asarray(k) + 0.5) / units)


def rounded_gaussian_cdf(units: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda k: special.ndtr((np.asarray(k) + 0.5) / units)
