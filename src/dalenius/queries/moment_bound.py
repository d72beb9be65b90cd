"""A declared bound on a moment of a population, and what a clamp does to its mean."""

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.numerics import Number, positive, rational

MOMENT = "moment"
"""The name under which an outcome's notes tell the declared moment and the clamp."""


@dataclass(frozen=True, slots=True)
class MomentBound:
    """The declared fact E|X|^order ≤ bound: publicly known of the population, never read off the rows.

    >>> round(float(MomentBound(2, 1).bias(5)), 3)
    0.05
    """

    order: Fraction
    bound: Fraction

    def __post_init__(self) -> None:
        order, bound = rational(self.order, "order"), positive(self.bound, "bound")
        if not 1 < order <= 64:
            raise InvalidParameter(f"order must lie above 1, and at 64 at most, got {self.order}")
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "bound", bound)

    def bias(self, clamp: Number) -> float:
        """The most by which holding X in ±clamp moves its mean: B·(k − 1)^(k−1)/(k^k·τ^(k−1))  [A Rem 4.5].

        (x − τ)₊ ≤ c·x^k/τ^(k−1), where c is the largest (u − 1)/u^k over u = x/τ ≥ 1, which is at u = k/(k − 1). The
        law with all its tail at that point attains it.
        """
        k, tau = float(self.order), float(Fraction(clamp))
        return _excess(k) * float(self.bound) * math.pow(tau, 1 - k)

    def variance(self, clamp: Number) -> float:
        """The most that the held X can vary: B^(2/k), for k < 2 B·τ^(2−k), and τ² in any case."""
        k, b, tau = float(self.order), float(self.bound), float(Fraction(clamp))
        return min(tau**2, math.pow(b, 2 / k) if k >= 2 else b * math.pow(tau, 2 - k))

    def clamp(self, rows: int, epsilon: Number) -> Fraction:
        """The τ ∝ (nε)^(1/k) at which bias² + noise², with noise of variance 4τ²/(nε)², is least  [A Thm 4.2].

        Rounded to three digits: it is public, and neither privacy nor an interval hangs on it.
        """
        k = float(self.order)
        tau = (_excess(k) * float(self.bound) * rows * float(epsilon) * math.sqrt((k - 1) / 4)) ** (1 / k)
        return Fraction(Context(prec=3).create_decimal(Decimal(tau)))

    def facts(self) -> dict[str, str]:
        """As JSON holds it."""
        return {"order": str(self.order), "bound": str(self.bound)}

    @escaped
    def __str__(self) -> str:
        return f"E|X|^{self.order} ≤ {self.bound}"


def _excess(k: float) -> float:
    return float((k - 1) ** (k - 1) / k**k)
