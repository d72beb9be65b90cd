"""Estimated shares with their error."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.local.domain import Domain
from dalenius.local.oracles import Oracle
from dalenius.local.parameters import LEVEL, inner_level, whole_number
from dalenius.numerics import Number

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyEstimate:
    """The share of each value of a domain, from reports.

    `shares` are unbiased, or, if asked to be consistent, the nearest shares that are ≥ 0 and sum to 1. `standard_error`
    and `interval` are about the unbiased shares either way.
    """

    domain: Domain
    oracle: Oracle = field(repr=False)
    reports: int
    rejected: int
    supports: NDArray[np.int64] = field(repr=False)
    consistent: bool = False

    @property
    def unbiased(self) -> Vector:
        """(C_v/n − q)/(p − q)  [WBLJ17, Thm 2; A Ex 3.2]."""
        p, q = float(self.oracle.own), float(self.oracle.other)
        shares: Vector = (self.supports / self.reports - q) / (p - q)
        return shares

    @property
    def shares(self) -> Vector:
        """The estimated shares, in the order of the domain."""
        return on_simplex(self.unbiased) if self.consistent else self.unbiased

    @property
    def variance(self) -> Vector:
        """Of each unbiased share about the share among the reporters: the formula at the share estimated."""
        p, q = float(self.oracle.own), float(self.oracle.other)
        f = np.clip(self.unbiased, 0.0, 1.0)
        variance: Vector = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (self.reports * (p - q) ** 2)
        return variance

    @property
    def standard_error(self) -> Vector:
        """The root of the variance."""
        return np.sqrt(self.variance)

    def interval(self, level: Number = LEVEL, *, joint: bool = False) -> tuple[Vector, Vector]:
        """Ends that hold each share of the *population* with probability at least `level`, whatever the shares are.

        People drawn at random support v independently with probability y = θp + (1 − θ)q, so C_v is binomial, and the
        exact interval of Clopper and Pearson for y is mapped to θ and cut to [0, 1]  [CP34]. About the share among the
        reporters it is conservative, as C_v is then less spread than the binomial  [Hoe56, Thm 4].

        Parameters
        ----------
        level : the probability with which the interval holds its share.
        joint : hold all shares together with that probability, by Bonferroni.
        """
        from scipy.special import betaincinv

        alpha = (1 - inner_level(level)) / (len(self.domain) if joint else 1)
        C, n = self.supports.astype(np.float64), float(self.reports)
        low = np.where(C > 0, betaincinv(np.maximum(C, 0.5), n - C + 1, alpha / 2), 0.0)
        high = np.where(n > C, betaincinv(C + 1, np.maximum(n - C, 0.5), 1 - alpha / 2), 1.0)
        p, q = float(self.oracle.own), float(self.oracle.other)
        return np.clip((low - q) / (p - q), 0.0, 1.0), np.clip((high - q) / (p - q), 0.0, 1.0)

    def poisoned_by(self, malicious: int) -> float:
        """How far so many forged reports, of those counted, can have moved any one unbiased share: k/(n(p − q)).

        A report supports a value or does not, so k of them move C_v by at most k  [CJG21].
        """
        return float(
            min(whole_number(malicious, "malicious"), self.reports)
            / (self.reports * (self.oracle.own - self.oracle.other))
        )

    def top(self, count: int) -> list[tuple[Any, float]]:
        """The values with the largest shares, largest first; equal ones in the order of the domain."""
        order = np.argsort(-self.shares, kind="stable")[:count]
        return [(self.domain.values[i], float(self.shares[i])) for i in order]

    def __getitem__(self, value: Any) -> float:
        return float(self.shares[self.domain.index(value)])

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return iter(zip(self.domain.values, self.shares.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.domain)


def on_simplex(shares: Vector) -> Vector:
    """The nearest vector that is ≥ 0 and sums to 1: a common amount is taken off, and the rest is cut at 0."""
    ordered = np.sort(shares)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(ordered) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    projected: Vector = np.maximum(shares - excess[last], 0.0)
    return projected
