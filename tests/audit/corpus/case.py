"""A case of the corpus: a mechanism on a pair of neighbors, what it claims, and what the best event could show."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from dalenius.audit.bound import LEARN
from dalenius.audit.certify import EventCounts
from dalenius.audit.claim import ceiling
from dalenius.guarantees import Guarantee

GRID = 1024
"""Noisy numbers are rounded to multiples of 1/GRID: far above what a float of them shows."""


class Seeded:
    """A mechanism with a generator of its own: `law(rng, data, n)` gives n outputs."""

    def __init__(self, law: Callable[[np.random.Generator, Any, int], Any], seed: int) -> None:
        self._law, self._rng = law, np.random.default_rng(seed)

    def __call__(self, data: Any) -> Any:
        return self._law(self._rng, data, 1)[0]

    def batch(self, data: Any, n: int) -> Any:
        return self._law(self._rng, data, n)


@dataclass(frozen=True)
class Case:
    name: str
    law: Callable[[np.random.Generator, Any, int], Any]
    x: Any
    x2: Any
    claim: Guarantee
    masses: tuple[Any, Any] | None = None
    """Masses of outcomes under x and x2, lumped alike, where they can be written down."""
    epsilon: float | None = None
    """The true ε at the claim's δ, for tight scalar cases."""

    def mechanism(self, seed: int) -> Seeded:
        return Seeded(self.law, seed)

    def ideal_power(self, draws: int, alpha: float) -> float | None:
        """Power of the best event if it were known before, on the draws that certify; None if the law is not written.

        The best events are upper sets of the likelihood ratio, in either direction.
        """
        if self.masses is None:
            return None
        n, claim, best = draws - int(draws * LEARN), ceiling(self.claim), 0.0
        for one, other in (self.masses, self.masses[::-1]):
            p, q = np.asarray(one, float), np.asarray(other, float)
            with np.errstate(divide="ignore", invalid="ignore"):
                order = np.argsort(-np.where(q > 0, p / q, np.where(p > 0, np.inf, 0)), kind="stable")
            p, q = (np.clip(np.cumsum(side[order]), 0, 1) for side in (p, q))
            slope = claim.slope(q)
            spread = np.sqrt((p * (1 - p) + slope**2 * np.maximum(q * (1 - q), 1 / n)) / n)
            k = int(np.argmax((p - claim(q)) / spread))
            best = max(best, _power(float(p[k]), float(q[k]), n, float(slope[k]), claim, alpha))
        return best


def _power(p: float, q: float, n: int, slope: float, claim: Any, alpha: float) -> float:
    """How often the exact test rejects: by the normal law where counts are large, else by simulated counts."""
    if n * q > 100 and n * (1 - p) > 100:
        spread = math.sqrt((p * (1 - p) + slope**2 * q * (1 - q)) / n)
        return float(ndtr((p - float(claim(q))) / spread - ndtri(1 - alpha)))
    rng = np.random.default_rng(1)
    seen = zip(rng.binomial(n, p, 60).tolist(), rng.binomial(n, q, 60).tolist(), strict=True)
    return float(np.mean([EventCounts(a, n, b, n, 1.7 * slope).rejects(claim, alpha) for a, b in seen]))


def rounded(values: Any) -> Any:
    return np.round(np.asarray(values) * GRID) / GRID


def laplace_masses(scale: float, x: float, x2: float, second_scale: float | None = None) -> tuple[Any, Any]:
    """Cells of width 1/64 around both centers."""
    reach = 30 * max(scale, second_scale or scale)
    edges = np.arange(math.floor(min(x, x2) - reach), math.ceil(max(x, x2) + reach), 1 / 64)
    return laplace_cells(edges, x, scale), laplace_cells(edges, x2, second_scale or scale)


def laplace_cells(edges: Any, center: float, scale: float) -> Any:
    z = (edges - center) / scale
    cdf = np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))
    return np.diff(np.concatenate([[0.0], cdf, [1.0]]))


def gaussian_masses(sigma: float, x: float, x2: float) -> tuple[Any, Any]:
    edges = np.arange(min(x, x2) - 12 * sigma, max(x, x2) + 12 * sigma, sigma / 64)
    return tuple(np.diff(np.concatenate([[0.0], ndtr((edges - center) / sigma), [1.0]])) for center in (x, x2))
