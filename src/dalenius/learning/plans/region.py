"""The public ball that a model is drawn from, and the lattice that it is told on."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter
from dalenius.learning.data.box import UnitRows
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.neighbors import Metric
from dalenius.numerics import Number, ball, floor_of, positive

FINE = 1 << 10
"""The radius is a multiple of 1/FINE."""
STEP_EXPONENT = -40
_LARGEST = 16


@dataclass(frozen=True, slots=True)
class Region:
    """Θ = {‖θ‖ ≤ radius} in ℓ2 or ℓ1; θ leaves as the cell of the lattice of step 2⁻⁴⁰ it is in.

    Which cell is a function of θ alone, so the lattice costs nothing  [A Prop 3.1]. In ℓ2 θ weighs rows of the unit
    ball, in ℓ1 rows whose coordinates are within ±1.
    """

    radius: Fraction
    metric: Metric = Metric.L2

    @classmethod
    def of(cls, bound: Number, rows: UnitRows, metric: Metric = Metric.L2) -> "Region":
        """From a bound on the length of the coefficients where features and target fill [−1, 1], constant included."""
        held = positive(bound, "coefficient_bound")
        if held > _LARGEST:
            raise InvalidParameter(f"coefficient_bound must be at most {_LARGEST}, got {bound}")
        times = Fraction(1) if metric is Metric.L1 else Fraction(rows.radius)
        return cls(Fraction(math.ceil(held * times * FINE), FINE), metric)

    @property
    def wholes(self) -> int:
        """The radius in units of 1/FINE."""
        return int(self.radius * FINE)

    def holds(self, theta: list[arb], cells: list[int]) -> bool | None:
        """Whether θ lies inside, its cells written if so; None while the enclosures leave either open."""
        if not all(value.is_finite() for value in theta):
            return None
        if self.metric is Metric.L1:
            length, most = sum(map(abs, theta), arb(0)), ball(self.radius)
        else:
            length, most = sum((value * value for value in theta), arb(0)), ball(self.radius**2)
        if length > most:
            return False
        if not length <= most:
            return None
        refined = []
        for value in theta:
            first, last = floor_of(value * (arb(2) ** -STEP_EXPONENT))
            if first != last:
                return None
            refined.append(first)
        cells[:] = refined
        return True

    def outcome(self, plan: FitPlan, cells: list[int] | None, times: float = 1.0) -> Outcome:
        """The middle of each cell, times a public number, or 0 where chance stopped the draw, which is said."""
        if cells is None:
            d = plan.rows.width  # type: ignore[attr-defined]
            return plan.outcome(np.zeros((d, 1)), None, 1, stopped=True)
        weights = np.array([[math.ldexp(2 * cell + 1, STEP_EXPONENT - 1) * times] for cell in cells])
        return plan.outcome(weights, None, 1, stopped=False)

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"radius": str(self.radius)}
