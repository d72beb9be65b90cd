"""Counts by keys that nobody declared: noise is drawn once, and a key is shown if its noisy count is large enough."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import DiscreteGaussian, Gaussian, GaussianNoises, Geometric, least_gaussians
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import ball, fraction_above, precision

_DIGITS = 192
_FARTHEST = 1 << 62


@dataclass(frozen=True, slots=True)
class NoisyThreshold:
    """Show n + Z of a key of n ≥ `min_units` units if it is at least `threshold`; a unit is in at most `groups` keys.

    Let a unit be added. Of its keys, let B be those that have m = `min_units` units with it, and A the others, L in
    all. Without it no key of B is shown; with it each is with probability p = P[m + Z ≥ threshold], on its own. What is
    shown of A is made of noisy counts, of which |A| move by 1. So, E the event that some key of B is shown, a set S of
    outputs has P'[S] ≤ P'[E] + P'[S, not E] ≤ 1 − (1 − p)^|B| + e^ε P[S] + δ_A, with (ε, δ_A) what the noise of A
    gives; and P[S] ≤ e^(ε_A) P'[S] / (1 − p)^|B| + δ_A the other way round  [A Thm 3.3, A Prop 3.1].

    Geometric noise of scale b has ε_A = |A|/b and δ_A = 0: with p ≤ 1 − e^(−1/b) the second is at most e^(L/b) P'[S],
    so it is (L/b, 1 − (1 − p)^L)-private, and no less: an added unit alone in L keys shows one with that probability.
    Gaussian noise takes √L for L: for (ε, δ) it is calibrated to (ε − δ, δ/2) with 1 − (1 − p)^L ≤ δ/2, whose odds
    −log(1 − δ/2) ≤ δ are what was left of ε. A replaced unit moves up to 2L counts and brings up to L keys of B: twice
    the scale, and √2 times it for Gaussian noise.
    """

    noise: Geometric | Gaussian | DiscreteGaussian
    threshold: int
    groups: int
    min_units: int = 1

    def __post_init__(self) -> None:
        if self.threshold <= self.min_units or self.groups < 1 or self.min_units < 1:
            raise InvalidParameter(f"a threshold must lie above min_units, got {self.threshold} and {self.min_units}")

    @classmethod
    def least(
        cls,
        epsilon: Fraction,
        delta: Fraction,
        groups: int,
        min_units: int,
        relation: Relation,
        noises: GaussianNoises = least_gaussians,
    ) -> "NoisyThreshold":
        """Of geometric and Gaussian noise, each with the least threshold that δ allows, what shows more keys."""
        return _least(epsilon, delta, groups, min_units, relation, noises)

    @classmethod
    def _showing_most(
        cls,
        epsilon: Fraction,
        delta: Fraction,
        groups: int,
        min_units: int,
        relation: Relation,
        noises: GaussianNoises,
    ) -> "NoisyThreshold":
        times = 1 if relation is Relation.ADD_REMOVE else 2
        geometric = Geometric(times * groups / epsilon)
        plans = [cls._with_noise(geometric, delta, groups, min_units, 1 / geometric.scale)]
        if delta < epsilon:
            moved = Sensitivity.root(times * groups, Metric.L2)
            (gaussian,) = noises([(moved, Fraction(1))], epsilon - delta, delta / 2)
            plans.append(cls._with_noise(gaussian, delta / 2, groups, min_units, None))
        return min(plans, key=lambda plan: plan.surely_shown)

    @classmethod
    def _with_noise(
        cls,
        noise: Geometric | Gaussian | DiscreteGaussian,
        delta: Fraction,
        groups: int,
        min_units: int,
        step: Fraction | None,
    ) -> "NoisyThreshold":
        """The least threshold: the chance to show one of L keys is proved to be at most δ, and odds to be within ε."""

        def is_enough(above: int) -> bool:
            with precision(_DIGITS):
                p = noise.noise.outside(above - 1) / 2
                shown = 1 - (1 - p) ** groups
                odds = step is None or bool(p <= 1 - (-ball(step)).exp())
                return bool(shown <= ball(delta)) and odds

        low, high = 0, 1
        while not is_enough(high):
            low, high = high, 2 * high
            if high > _FARTHEST:
                raise InvalidParameter(f"delta is too small to show any key, got {delta}")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return cls(noise, min_units + high, groups, min_units)

    @property
    def surely_shown(self) -> Fraction:
        """From how many units on a key is shown with probability 95 % or more: threshold and noise together."""
        return self.threshold + Fraction(self.noise.accuracy(Fraction(1, 20)))

    @property
    def chance(self) -> arb:
        """P[a key of the fewest units that may be shown is shown], an enclosure at the working precision."""
        return self.noise.noise.outside(self.threshold - self.min_units - 1) / 2

    @property
    def delta(self) -> Fraction:
        """P[an added unit shows some key that none could show before], rounded up: 1 − (1 − p)^L."""
        with precision(_DIGITS):
            return fraction_above(1 - (1 - self.chance) ** self.groups)

    def release(self, units: NDArray[np.int64], bits: Bits) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which of the keys are shown, and the noisy count of each; a key of fewer than `min_units` never is."""
        noisy = self.noise.release(units, bits)
        return (noisy >= self.threshold) & (units >= self.min_units), noisy

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"noise": self.noise.facts(), "threshold": self.threshold},
            **{"groups": self.groups, "min_units": self.min_units},
        }


@lru_cache(maxsize=256)
def _least(
    epsilon: Fraction, delta: Fraction, groups: int, min_units: int, relation: Relation, noises: GaussianNoises
) -> NoisyThreshold:
    return NoisyThreshold._showing_most(epsilon, delta, groups, min_units, relation, noises)
