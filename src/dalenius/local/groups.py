"""Two groups' reports compared."""

import math
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.local.domain import Domain
from dalenius.local.estimate import FrequencyEstimate
from dalenius.local.mean_estimate import MeanEstimate
from dalenius.local.parameters import LEVEL, normal_radius
from dalenius.numerics import Number


@dataclass(frozen=True, slots=True, eq=False)
class GroupDifference:
    """How much more common each value is in the first group than in the second.

    `p_values` are of the normal test of no difference in the population, two-sided, for each value alone; `p_value` is
    of the claim that no value differs at all, by Bonferroni.
    """

    domain: Domain
    differences: NDArray[np.float64] = field(repr=False)
    standard_errors: NDArray[np.float64] = field(repr=False)
    p_values: NDArray[np.float64] = field(repr=False)

    @property
    def p_value(self) -> float:
        """The least p-value times the number of values, at most 1."""
        return float(min(1.0, self.p_values.min() * len(self.domain)))


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """How much larger the first group's mean is; `grid_error` is what putting numbers on a grid can add to it."""

    difference: float
    standard_error: float
    grid_error: float

    @property
    def p_value(self) -> float:
        """Of the normal test of no difference in the population, two-sided; the grid's part is not held against it."""
        beyond = max(0.0, abs(self.difference) - self.grid_error)
        return 2 * NormalDist().cdf(-beyond / self.standard_error)

    def interval(self, level: Number = LEVEL) -> tuple[float, float]:
        """Normal ends for the difference of the populations' means.

        Parameters
        ----------
        level : the probability with which the interval holds it, for many reports.
        """
        radius = normal_radius(level) * self.standard_error + self.grid_error
        return self.difference - radius, self.difference + radius


@named_arguments
def difference(first: FrequencyEstimate, second: FrequencyEstimate) -> GroupDifference:
    """The difference of two groups' shares, with a test: asymptotic, the noise of the reports included.

    Parameters
    ----------
    first, second : estimates over one domain, of different people; their ε and oracle may differ.
    """
    from scipy.special import ndtr

    if first.domain != second.domain:
        raise InvalidParameter("groups are compared over one domain")
    gap = first.unbiased - second.unbiased
    error = np.sqrt(_variance(first) + _variance(second))
    p_values: NDArray[np.float64] = 2 * ndtr(-np.abs(gap) / error)
    return GroupDifference(first.domain, gap, error, p_values)


@named_arguments
def mean_difference(first: MeanEstimate, second: MeanEstimate) -> MeanDifference:
    """The difference of two groups' means, with a test: asymptotic, the noise of the reports included.

    Parameters
    ----------
    first, second : estimates of different people; their ε, bounds and randomizers may differ.
    """
    error = math.hypot(first.standard_error, second.standard_error)
    return MeanDifference(first.mean - second.mean, error, first.grid_error + second.grid_error)


def _variance(estimate: FrequencyEstimate) -> NDArray[np.float64]:
    """y(1 − y)/(n(p − q)²) at the share of supporting reports, kept off 0 by one report more on either side."""
    p, q, n = float(estimate.oracle.own), float(estimate.oracle.other), estimate.reports
    seen = (estimate.supports + 1) / (n + 2)
    variance: NDArray[np.float64] = seen * (1 - seen) / (n * (p - q) ** 2)
    return variance
