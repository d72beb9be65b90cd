"""An estimated mean with its error."""

import math
from dataclasses import dataclass

from dalenius.errors import InvalidParameter
from dalenius.local.parameters import LEVEL, inner_level, normal_radius, whole_number
from dalenius.numerics import Number


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The mean of a number over the reporters, unbiased but for the grid, with its standard error.

    `largest` is how far one decoded report can lie from the middle of the bounds; infinite for Laplace noise.
    """

    mean: float
    standard_error: float
    reports: int
    rejected: int
    bounds: tuple[float, float]
    largest: float
    grid_error: float

    def interval(self, level: Number = LEVEL) -> tuple[float, float]:
        """Normal ends around the mean, for the population's mean: asymptotic, from the spread of the reports.

        Parameters
        ----------
        level : the probability with which the interval holds the mean, for many reports.
        """
        radius = normal_radius(level) * self.standard_error + self.grid_error
        return self.mean - radius, self.mean + radius

    def guaranteed_interval(self, level: Number = LEVEL) -> tuple[float, float]:
        """Ends that hold the mean with probability at least `level` at every number of reports  [Hoe63, Thm 2].

        Reports lie within ± `largest`, so the radius is largest · √(2 log(2/(1 − level))/n); refused for Laplace noise.
        """
        if math.isinf(self.largest):
            raise InvalidParameter("Laplace reports have no bound: take `interval`, or the hybrid randomizer")
        beta = 1 - inner_level(level)
        radius = self.largest * math.sqrt(2 * math.log(2 / beta) / self.reports) + self.grid_error
        return self.mean - radius, self.mean + radius

    def poisoned_by(self, malicious: int) -> float:
        """How far so many forged reports, of those counted, can have moved the mean: 2 k · largest/n  [CJG21]."""
        return 2 * min(whole_number(malicious, "malicious"), self.reports) * self.largest / self.reports
