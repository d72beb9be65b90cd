"""From (ε, δ) to the parts that a fit is made of: a count, and all the rest."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, Guarantee, PureDP
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.mechanisms import Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, positive, rational

COUNT_SHARE = Fraction(1, 50)
"""The part of μ² (of ε, for δ = 0) that a private count of rows takes when the number of rows is not public."""


@dataclass(frozen=True, slots=True)
class FitBudget:
    """What a fit may spend: ε alone, or μ² of Gaussian differential privacy that implies (ε, δ).

    `counted` says that a share of it goes to a private count of the rows. `part` is what is left of it where something
    else was paid for first.
    """

    epsilon: Fraction
    delta: Fraction
    relation: Relation
    counted: bool
    part: Fraction = Fraction(1)
    unit: str | None = None
    """The column that says whose row it is; None where a row is a unit."""

    @classmethod
    def of(cls, epsilon: Number, delta: Number, relation: Relation, counted: bool = False) -> "FitBudget":
        """Checked numbers."""
        slack = rational(delta, "delta")
        if not 0 <= slack < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta}")
        return cls(positive(epsilon, "epsilon"), slack, Relation.of(relation), counted)

    @property
    def pure(self) -> bool:
        """Whether δ is 0."""
        return self.delta == 0

    @property
    def total(self) -> Fraction:
        """ε if δ = 0, else the largest proved μ²  [BW18, Thm 8]; the part of it that is left."""
        return self.part * (self.epsilon if self.pure else largest_square(self.epsilon, self.delta))

    @property
    def rest(self) -> Fraction:
        """What is left after the count."""
        return self.total * (1 - COUNT_SHARE if self.counted else 1)

    def guarantee(self, public: tuple[str, ...]) -> Calibrated:
        """What all parts promise: pure ones add, and so do squares of μ  [A Thm 3.3, A §13.8 GDP composition]."""
        proved: Guarantee = PureDP(self.total, self.relation) if self.pure else GDP.root(self.total, self.relation)
        return Calibrated(proved, self.epsilon, self.delta, public)

    def count(self, rows: int, bits: Bits) -> int:
        """The number of rows, at least 1, by the share that is set aside for it  [D Thm 2.8, A Thm 13.1]."""
        share = self.total * COUNT_SHARE
        if self.pure:
            mechanism = calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=share)
            return max(1, int(mechanism.release(np.array([rows], np.int64), bits)[0]))
        gaussian = gaussian_for(Sensitivity(1, Metric.L2), share)
        finer = -gaussian.lattice.exponent
        released = gaussian.release(np.array([min(rows << finer, 2**62)], np.int64), bits)
        return max(1, int(released[0]) >> finer)


def gaussian_for(sensitivity: Sensitivity, square: Fraction) -> Gaussian:
    """Gaussian noise whose μ² is at most `square`  [A Thm 13.1]."""
    return Gaussian(Sensitivity.root(sensitivity.square / square, Metric.L2).value)


@lru_cache(maxsize=256)
def largest_square(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest μ² that is proved to imply (ε, δ)  [BW18, Thm 8]."""
    scale = calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=epsilon, delta=delta).scale
    return 1 / scale**2
