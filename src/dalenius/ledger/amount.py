"""Budgets as whole numbers of fixed units, so that a sum of them is exact."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter
from dalenius.escape import html_table
from dalenius.numerics import Number, nonnegative, rational

EPSILON_UNIT = Fraction(1, 10**12)
DELTA_UNIT = Fraction(1, 10**30)


@dataclass(frozen=True, slots=True)
class Amount(Readable):
    """So many units of ε (10⁻¹² each) and of δ (10⁻³⁰ each).

    >>> Amount.cost(0.1).epsilon
    Fraction(1, 10)
    """

    epsilon_units: int
    delta_units: int

    @classmethod
    def cost(cls, epsilon: Number, delta: Number = 0) -> "Amount":
        """What is charged: rounded up to whole units."""
        return cls(
            math.ceil(nonnegative(epsilon, "epsilon") / EPSILON_UNIT),
            math.ceil(nonnegative(delta, "delta") / DELTA_UNIT),
        )

    @classmethod
    def limit(cls, epsilon: Number, delta: Number = 0) -> "Amount":
        """What may be spent: rounded down to whole units."""
        slack = rational(delta, "delta")
        if not 0 <= slack < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta}")
        return cls(math.floor(nonnegative(epsilon, "epsilon") / EPSILON_UNIT), math.floor(slack / DELTA_UNIT))

    @property
    def epsilon(self) -> Fraction:
        """The ε it stands for, exactly."""
        return self.epsilon_units * EPSILON_UNIT

    @property
    def delta(self) -> Fraction:
        """The δ it stands for, exactly."""
        return self.delta_units * DELTA_UNIT

    def to_dict(self) -> dict[str, str]:
        """As JSON holds it: exact decimals."""
        return {"epsilon": _decimal(self.epsilon_units, 12), "delta": _decimal(self.delta_units, 30)}

    def least(self, other: "Amount") -> "Amount":
        """The smaller of each part."""
        return Amount(min(self.epsilon_units, other.epsilon_units), min(self.delta_units, other.delta_units))

    def within(self, limit: "Amount") -> bool:
        """Whether both parts are at most those of `limit`."""
        return self.epsilon_units <= limit.epsilon_units and self.delta_units <= limit.delta_units

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.epsilon_units + other.epsilon_units, self.delta_units + other.delta_units)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.epsilon_units - other.epsilon_units, self.delta_units - other.delta_units)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(["ε", "δ"], [(_decimal(self.epsilon_units, 12), f"{float(self.delta):.6g}")])

    def __str__(self) -> str:
        epsilon = f"ε = {_decimal(self.epsilon_units, 12)}"
        return f"{epsilon}, δ = {float(self.delta):.6g}" if self.delta_units else epsilon


def _decimal(units: int, digits: int) -> str:
    """The exact decimal of units·10^−digits, without trailing zeros."""
    whole, part = divmod(units, 10**digits)
    return f"{whole}.{part:0{digits}d}".rstrip("0").rstrip(".")


def decimal(value: Fraction) -> str:
    """The exact decimal of a whole number of units."""
    return _decimal(int(value * 10**30), 30)
