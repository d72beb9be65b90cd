"""A claim as an auditor reads it: how likely an event may be on x, given how likely it is on x2."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, Guarantee, PureDP

Floats = NDArray[np.float64]

LEAST_DELTA = 1e-9
"""Lines of a claim reach up to the ε at which it leaves this δ: no audit of fewer than a billion draws sees below."""
_LINES, _COSTLY_LINES, _LARGEST = 72, 24, 50.0
_ABOVE = 1 + 1e-12  # a float's e^ε, and the products below, err by less


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Lines (ε, δ) that a claim proves, each of which bounds P[E | x] by P[E | x2] for every event E.

    Every line P ≤ e^ε Q + δ and, for the complement, P ≤ 1 − e^−ε (1 − δ − Q) is true under the claim
    [A Thm 3.4, A Prop 13.8], so their lower envelope is a ceiling that no event of a sound mechanism crosses. It is the
    claim's own trade-off function 1 − f(Q) [A Def 13.1] up to the distance between lines; a point off the claim is
    never called a violation for lack of lines.
    """

    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    @classmethod
    def of_line(cls, epsilon: float, delta: float) -> "Ceiling":
        """(ε, δ)-DP alone."""
        return cls((float(epsilon),), (float(delta),))

    def __call__(self, second: Any) -> Floats:
        """The most that P[E | x] can be where P[E | x2] = second."""
        q = np.clip(np.asarray(second, np.float64), 0.0, 1.0)[..., None]
        growth, slack = np.exp(np.array(self.epsilons)), np.array(self.deltas)
        lines = np.minimum((growth * q + slack) * _ABOVE, 1 - (1 - slack - q) / growth / _ABOVE)
        envelope: Floats = np.clip(lines.min(axis=-1), 0.0, 1.0)
        return envelope

    def at(self, second: float) -> float:
        """The ceiling at one point."""
        if len(self.epsilons) > 4:
            return float(self(second))
        q, least = min(max(second, 0.0), 1.0), 1.0
        for epsilon, delta in zip(self.epsilons, self.deltas, strict=True):
            growth = math.exp(epsilon)
            least = min(least, (growth * q + delta) * _ABOVE, 1 - (1 - delta - q) / growth / _ABOVE)
        return max(0.0, least)

    def slope(self, second: Any) -> Floats:
        """The slope of the ceiling at P[E | x2] = second: how many draws of x one draw of x2 weighs."""
        q = np.clip(np.asarray(second, np.float64), 0.0, 1.0)[..., None]
        growth, slack = np.exp(np.array(self.epsilons)), np.array(self.deltas)
        lines = np.concatenate([growth * q + slack, 1 - (1 - slack - q) / growth], axis=-1)
        slopes = np.concatenate([growth, 1 / growth])
        steepness: Floats = slopes[np.argmin(lines, axis=-1)]
        return steepness

    def line(self, second: float) -> tuple[float, float, bool]:
        """(ε, δ, whether it is the complement's) of the line that binds at P[E | x2] = second."""
        q = min(max(second, 0.0), 1.0)
        heights = [
            (height, epsilon, delta, other)
            for epsilon, delta in zip(self.epsilons, self.deltas, strict=True)
            for height, other in (
                (math.exp(epsilon) * q + delta, False),
                (1 - (1 - delta - q) * math.exp(-epsilon), True),
            )
        ]
        _, epsilon, delta, other = min(heights)
        return epsilon, delta, other

    @property
    def least_tail(self) -> float:
        """P[E | x2] up to which an event that is certain on x crosses the ceiling: 0 when none can."""
        return max(
            max(0.0, (1 - delta) * math.exp(-epsilon))
            for epsilon, delta in zip(self.epsilons, self.deltas, strict=True)
        )


def ceiling(claim: Guarantee) -> Ceiling:
    """The lines of a claim of any notion; PureDP and ApproxDP are one line, the rest an envelope."""
    if not isinstance(claim, Guarantee):
        raise InvalidParameter(f"a claim is a guarantee such as PureDP(1), got {type(claim).__name__}")
    if isinstance(claim, PureDP | ApproxDP) and claim.sum_form is not None:
        return Ceiling.of_line(*map(float, claim.sum_form))
    return _envelope(claim)


@functools.lru_cache(maxsize=64)
def _envelope(claim: Guarantee) -> Ceiling:
    largest = claim.epsilon(LEAST_DELTA)
    if not math.isfinite(largest):
        largest = _LARGEST
    many = getattr(claim, "delta_curve", None)
    at = np.linspace(0.0, min(largest, _LARGEST), _LINES if many is None else _COSTLY_LINES).tolist()
    deltas = [claim.delta(epsilon) for epsilon in at] if many is None else list(many(at, 1e-3)[1])
    if claim.sum_form is not None:  # an (ε, δ) that holds too, and is sharper at the end of a computed curve
        at.append(float(claim.sum_form[0]))
        deltas.append(float(claim.sum_form[1]))
    order = np.argsort(at, kind="stable")
    at, deltas = [at[k] for k in order], [deltas[k] for k in order]
    # δ(ε) falls, so what holds at one ε holds beyond it
    return Ceiling(tuple(at), tuple(np.minimum.accumulate(np.minimum(deltas, 1.0)).tolist()))
