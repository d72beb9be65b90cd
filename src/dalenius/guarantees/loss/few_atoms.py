"""δ(ε) of a composition with few different losses: all sums of them, listed.

A pair with two losses l₀ < l₁, repeated m times, has the m + 1 sums j·l₁ + (m − j)·l₀, with masses C(m, j) p₁^j
p₀^(m−j). Parts with different losses multiply these lists. Budgets (ε_i, δ_i) without a common step are of this kind:
the optimal composition of [KOV15, Thm 3.3] for unlike mechanisms, whose terms are as many as the product of the lists.

Every number is off by a known amount: the losses and masses of atoms by 8u, a logarithm by 2u of itself, sums by u for
each addition. With η and κ above the sums of these for a loss and for the logarithm of a mass, a bound from above takes
each loss larger by η and each mass larger by e^κ, and a bound from below the contrary.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dalenius.guarantees.curves.inversion import invert_profile
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.rounding import UNIT, Vector

MOST = 1 << 14
"""How many sums are listed."""
_LONGEST = 1 << 12
_SUM = 1e-12  # the functions' own rounding and that of a sum of 2¹⁴ terms, far above both


@dataclass(frozen=True, slots=True)
class FewAtoms:
    """All finite sums of losses with the logarithms of their masses, and how far each may be off."""

    losses: Vector
    log_masses: Vector
    loss_error: float
    mass_error: float

    @classmethod
    def of(cls, composition: LossComposition) -> "FewAtoms | None":
        """The list, if it is short enough."""
        size = math.prod(count + 1 if len(pair.atoms) == 2 else len(pair.atoms) for pair, count in composition.parts)
        if size > MOST or not all(_listed(pair, count) for pair, count in composition.parts):
            return None
        losses, logs, reach, weight = np.zeros(1), np.zeros(1), 0.0, 0.0
        for pair, count in composition.parts:
            some, masses, heaviest = _repeated(pair, count)
            losses = (losses[:, None] + some).reshape(-1)
            logs = (logs[:, None] + masses).reshape(-1)
            reach, weight = reach + count * max(abs(each.loss) for each in pair.atoms), weight + heaviest
        parts = len(composition.parts) + 12
        return cls(losses, logs, 2 * parts * UNIT * reach, 2 * parts * UNIT * (weight + 1))

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Proven bounds on the finite part Σ p(1 − e^(ε − l))₊."""
        gap = epsilon - self.losses
        slack = self.loss_error + 2 * UNIT * abs(epsilon)
        low, high = (
            float(
                (np.exp(self.log_masses - side * self.mass_error) * -np.expm1(np.minimum(gap + side * slack, 0))).sum()
            )
            for side in (1, -1)
        )
        return low * (1 - _SUM), high * (1 + _SUM)


def few_epsilon(
    few: FewAtoms, infinite: tuple[float, float], delta: float, top: float, rtol: float
) -> tuple[float, float]:
    """Proven bounds on the smallest ε with δ(ε) ≤ delta: a root found in floats, then an evaluation on either side."""
    from scipy.optimize import brentq

    def profile(epsilon: float) -> tuple[float, float]:
        low, high = few.delta(epsilon)
        return (infinite[0] + low) * (1 - 4 * UNIT), (infinite[1] + high) * (1 + 4 * UNIT)

    if profile(0.0)[1] <= delta:
        return 0.0, 0.0
    guess = None
    if profile(0.0)[0] > delta > profile(top)[1]:
        guess = brentq(lambda at: sum(profile(at)) / 2 - delta, 0.0, top, xtol=1e-16 * top, rtol=1e-15)
    low, high = invert_profile(profile, Fraction(delta), rtol, guess)
    return min(low, top), min(high, top)


def _listed(pair: Pair, count: int) -> bool:
    """Whether sums of a pair's losses are easily listed: two atoms some thousand times, or a few atoms once."""
    if pair.pieces or pair.gaussian is not None or pair.lost or not pair.atoms:
        return False
    return all(each.first > 1e-290 for each in pair.atoms) and (
        count == 1 or len(pair.atoms) == 1 or (len(pair.atoms) == 2 and count <= _LONGEST)
    )


def _repeated(pair: Pair, count: int) -> tuple[Vector, Vector, float]:
    """Sums of `count` losses, the logarithms of their masses, and the largest sum of absolute terms in one."""
    if count == 1:
        logs = np.array([math.log(each.first) for each in pair.atoms])
        return np.array([each.loss for each in pair.atoms]), logs, float(np.abs(logs).max()) + 8
    if len(pair.atoms) == 1:
        only = pair.atoms[0]
        return (
            np.array([count * only.loss]),
            np.array([count * math.log(only.first)]),
            count * (8 - math.log(only.first)),
        )
    lower, upper = pair.atoms
    j = np.arange(count + 1)
    choices = np.array([math.log(math.comb(count, int(k))) for k in j])
    first, second = (count - j) * math.log(lower.first), j * math.log(upper.first)
    # a relative 8u of each mass is 8u·count in the logarithm
    heaviest = float((choices + np.abs(first) + np.abs(second)).max()) + 8 * count
    return (count - j) * lower.loss + j * upper.loss, choices + first + second, heaviest
