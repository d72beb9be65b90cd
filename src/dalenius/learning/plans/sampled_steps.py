"""What descent on secret samples may spend: a count of the rows, and steps whose loss is amplified and composed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import ApproxDP, Guarantee, PoissonSampling, PureDP, Sampling, SubsetSampling, least_scale
from dalenius.learning.plans.budget import COUNT_SHARE, FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.mechanisms import Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, probability

SAMPLINGS = {"poisson": Relation.ADD_REMOVE, "fixed": Relation.CHANGE_ONE}


@dataclass(frozen=True, slots=True)
class SampledSteps:
    """So many steps, each on a fresh sample, and a private count of the rows where their number is not public."""

    budget: FitBudget
    sampling: Sampling
    steps: int

    def __post_init__(self) -> None:
        self.sampling.rate_for(self.budget.relation)  # refuses the other relation's sampling

    @property
    def left(self) -> Fraction:
        """The ε of the steps."""
        return self.budget.epsilon * (1 - COUNT_SHARE if self.budget.counted else 1)

    @property
    def multiplier(self) -> Fraction:
        """The least σ/Δ of one step with which all of them cost no more than what is left."""
        return noise_multiplier(self.sampling, self.steps, self.left, self.budget.delta)

    def guarantee(self, steps: Callable[[], Guarantee], public: tuple[str, ...]) -> Calibrated:
        """That of the steps, and of the count where there is one  [A Rem 11.5, A Thm 3.3]."""
        epsilon, delta, relation = self.budget.epsilon, self.budget.delta, self.budget.relation
        if not self.budget.counted:
            return Calibrated(steps(), epsilon, delta, public)
        parts = ApproxDP(self.left, delta, relation).compose(PureDP(epsilon * COUNT_SHARE, relation))
        return Calibrated(parts, epsilon, delta, public)

    def count(self, rows: int, bits: Bits) -> int:
        """The number of rows, at least 1, by the share that is set aside for it  [D Thm 2.8]."""
        mechanism = calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=self.budget.epsilon * COUNT_SHARE)
        return max(1, int(mechanism.release(np.array([rows], np.int64), bits)[0]))


def accounted(mechanism: Gaussian, sensitivity: Sensitivity, sampling: Sampling, steps: int) -> Guarantee:
    """What `steps` releases on fresh samples promise, under the sampling's own relation  [A Rem 11.5, A Thm 13.7]."""
    return mechanism.guarantee(sensitivity, sampling.relation).amplify(sampling).repeat(steps)


@lru_cache(maxsize=128)
def noise_multiplier(sampling: Sampling, steps: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The least σ/Δ that is proved to give (ε, δ) for so many steps, to a relative 1e-4."""
    one = Sensitivity(1, Metric.L2)

    def build(scale: Fraction) -> Guarantee:
        return accounted(Gaussian(scale), one, sampling, steps)

    return least_scale(build, epsilon, delta, rtol=1e-4)[1]


def sampling_for(relation: Relation, rate: Number, rows: int | None, name: str | None = None) -> Sampling:
    """The sampling that goes with the relation; one named for the other relation is refused  [A Thm 14.3]."""
    if name is not None:
        if name not in SAMPLINGS:
            raise InvalidParameter(f"sampling must be one of {', '.join(SAMPLINGS)}, got {name!r}")
        if SAMPLINGS[name] is not relation:
            raise MixedRelations(f"{name} samples are accounted for {SAMPLINGS[name].value} neighbors only")
    kept = probability(rate, "rate")
    if kept == 0:
        raise InvalidParameter("rate must be > 0: no row would ever be in a sample")
    if relation is Relation.ADD_REMOVE:
        return PoissonSampling(kept)
    assert rows is not None
    return SubsetSampling(max(1, math.ceil(kept * rows)), rows)
