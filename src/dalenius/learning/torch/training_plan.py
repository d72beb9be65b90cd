"""Training a network, as a plan that a curator can release."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.curator import Outcome
from dalenius.errors import UnprovenClaim
from dalenius.guarantees import Guarantee, Sampling
from dalenius.learning.plans.budget import COUNT_SHARE, FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.learning.plans.sampled_steps import SampledSteps, accounted
from dalenius.learning.torch.rounding import Rounding
from dalenius.learning.torch.tensors import TensorRows
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Lattice

_LEAST_SCALE, _LARGEST_SCALE = 2**20, 2**40
_FINEST = 38


@dataclass(frozen=True, slots=True)
class TrainingPlan(FitPlan):
    """θ ← update(θ, noisy sum of clipped gradients of a secret sample / expected size of the sample), so many times.

    A Alg 7, corrected, for a network: a Poisson sample under ADD_REMOVE, or m of n rows under CHANGE_ONE, never mixed.
    Every noisy sum counts as released, so all weights on the way, the optimizer's state and all that is computed from
    them are post-processing  [A Alg 7, A Rem 11.5, A Prop 3.1].
    """

    budget: FitBudget
    public: tuple[str, ...]
    sampling: Sampling
    steps: int
    clip: Fraction
    size: int
    unit_of_floats: Fraction
    rows: int | None
    described: tuple[tuple[str, str], ...]
    """Module, loss and optimizer, in words."""
    loop: Callable[[TensorRows, Bits], Outcome] | None = None

    def __post_init__(self) -> None:
        self.sampling.rate_for(self.budget.relation)  # refuses the other relation's sampling

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return dict(self.described) | {
            "method": "descent of a network on samples",
            "sampling": repr(self.sampling),
            "steps": self.steps,
            "clip": str(self.clip),
            "rows": self.rows,
        }

    @property
    def guarantee(self) -> Calibrated:
        """That of all steps, and of the count where there is one  [A Rem 11.5, A Thm 3.3]."""
        return self.spending.guarantee(lambda: self.after(self.steps), self.public)

    def after(self, steps: int) -> Guarantee:
        """What so many steps promise, without the count  [A Rem 11.5, A Thm 13.7]."""
        rounding, mechanism = self.noisy_sum()
        return accounted(mechanism, rounding.sensitivity(self.budget.relation), self.sampling, steps)

    def spent(self, steps: int, delta: float) -> float:
        """A proven bound on the ε at δ of so many steps, and of the count where there is one  [A Thm 3.3]."""
        epsilon = self.after(steps).epsilon(delta) if steps else 0.0
        counted = float(self.budget.epsilon * COUNT_SHARE) if self.budget.counted else 0.0
        return math.nextafter(epsilon + counted, math.inf) if counted else epsilon

    def noisy_sum(self) -> tuple[Rounding, Gaussian]:
        """The lattice of the clipped sum, and noise with which all steps cost no more than what is left."""
        ratio, relation = self.spending.multiplier, self.budget.relation
        moves = 1 if relation is Relation.ADD_REMOVE else 2
        reach = max(float(moves * self.clip * ratio), float(self.clip))
        rounding = Rounding(self.clip, self.size, self.unit_of_floats, _FINEST - math.ceil(math.log2(reach)))
        scale = math.ceil(rounding.sensitivity(relation).value * ratio)
        if scale > _LARGEST_SCALE or self.clip / rounding.step < _LEAST_SCALE:
            raise UnprovenClaim("this budget is too small for exact noise: raise epsilon or delta")
        return rounding, Gaussian(Fraction(max(scale, _LEAST_SCALE)), Lattice(0))

    @property
    def spending(self) -> SampledSteps:
        """What the count and the steps may each spend."""
        return SampledSteps(self.budget, self.sampling, self.steps)

    def run(self, view: TensorRows, bits: Bits) -> Outcome:
        """Train, once paid for."""
        if self.loop is None:
            raise UnprovenClaim("this plan has a price but no training: fit a DPSGD")
        return self.loop(view, bits)
