"""Shares of candidate texts from the bits of Bloom filters, by weighted least squares."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local.parameters import LEVEL, normal_radius, whole_number
from dalenius.numerics import Number

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BloomEstimate:
    """The share of each candidate, in the order given, with standard errors: linear in the reports."""

    candidates: tuple[str, ...]
    shares: Floats = field(repr=False)
    standard_errors: Floats = field(repr=False)
    largest_steps: Floats = field(repr=False)
    reports: int
    rejected: int

    def interval(self, level: Number = LEVEL, *, joint: bool = False) -> tuple[Floats, Floats]:
        """Normal ends for the shares of the population, for many reports.

        Parameters
        ----------
        level : the probability with which the interval holds its share.
        joint : hold all shares together with that probability, by Bonferroni.
        """
        radius = normal_radius(level, len(self.candidates) if joint else 1) * self.standard_errors
        return np.clip(self.shares - radius, 0.0, 1.0), np.clip(self.shares + radius, 0.0, 1.0)

    def poisoned_by(self, malicious: int) -> Floats:
        """How far so many forged reports can have moved each share, all in the cohort that moves it most  [CJG21]."""
        moved: Floats = whole_number(malicious, "malicious") * self.largest_steps
        return moved

    def top(self, count: int) -> list[tuple[str, float]]:
        """The candidates with the largest shares, largest first."""
        order = np.argsort(-self.shares, kind="stable")[:count]
        return [(self.candidates[i], float(self.shares[i])) for i in order]

    def __getitem__(self, text: str) -> float:
        if text not in self.candidates:
            raise UnknownName("the text is not among the candidates")
        return float(self.shares[self.candidates.index(text)])


def fitted(
    candidates: Sequence[str],
    filters: Floats,
    counts: NDArray[np.int64],
    chances: tuple[float, float],
    reports: int,
    rejected: int,
) -> BloomEstimate:
    """Regress the unbiased share of each cohort's bits on the candidates' filters and a level for all other texts.

    (c/N − p*)/(q* − p*) is unbiased for the share of a cohort's people whose text sets the bit, with variance
    y(1 − y)/(N(q* − p*)²)  [EPK14, §4]. Other texts set bits evenly, up to the luck of the hashes; where residuals show
    more than the noise does, standard errors grow with them.
    """
    p, q = chances
    people = counts[:, :1].astype(np.float64)
    heard = people[:, 0] > 0
    seen = (counts[heard, 1:] + 1) / (people[heard] + 2)
    bits = (counts[heard, 1:] / people[heard] - p) / (q - p)
    weights = (people[heard] * (q - p) ** 2 / (seen * (1 - seen))).reshape(-1)
    columns = np.concatenate([filters[:, heard].reshape(len(candidates), -1), np.ones((1, weights.size))])
    normal = (columns * weights) @ columns.T
    if weights.size <= len(columns) or np.linalg.matrix_rank(normal) < len(columns):
        raise InvalidParameter("the candidates cannot be told apart: take more cohorts, more bits or fewer candidates")
    maps = np.linalg.solve(normal, columns * weights)
    solution = maps @ bits.reshape(-1)
    left = bits.reshape(-1) - solution @ columns
    excess = max(1.0, float((weights * left**2).sum()) / (weights.size - len(columns)))
    errors = np.sqrt(excess * np.diagonal(np.linalg.inv(normal)))
    steps = np.abs(maps).reshape(len(columns), int(heard.sum()), -1).sum(axis=2) / (people[heard, 0] * (q - p))
    few = len(candidates)
    return BloomEstimate(tuple(candidates), solution[:few], errors[:few], steps.max(axis=1)[:few], reports, rejected)
