"""Sensitivities: how far one unit can move an answer, and in which norm."""

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter, MixedMetrics
from dalenius.numerics import Number, nonnegative


class Metric(Enum):
    """What a sensitivity is measured in."""

    L1 = "ℓ1"
    L2 = "ℓ2"
    LINF = "ℓ∞"
    UNITS = "units"
    """Not a norm of an answer: how many units of a bounded data set differ."""

    @classmethod
    def of(cls, value: "Metric") -> "Metric":
        """The metric itself, refused unless it is one."""
        if not isinstance(value, cls):
            names = ", ".join(repr(member) for member in cls)
            raise InvalidParameter(f"metric must be one of {names}, got {value!r}")
        return value

    def __repr__(self) -> str:
        return f"Metric.{self.name}"


# For every vector, ‖v‖∞ ≤ ‖v‖₂ ≤ ‖v‖₁: a bound on the left norm follows from one on a norm to its right.
_IMPLIED_BY: dict[Metric, tuple[Metric, ...]] = {
    Metric.L1: (Metric.L1,),
    Metric.L2: (Metric.L2, Metric.L1),
    Metric.LINF: (Metric.LINF, Metric.L2, Metric.L1),
    Metric.UNITS: (Metric.UNITS,),
}


@dataclass(frozen=True, slots=True, init=False)
class Sensitivity(Readable):
    """The largest distance between the answers on neighboring data sets  [A Def 3.4, D Def 2.2].

    Its square is kept, so that √k in ℓ2 stays exact; `value` is rounded up.

    >>> Sensitivity(1, Metric.L1).l1
    Fraction(1, 1)
    >>> Sensitivity(1, Metric.L1).l2
    Traceback (most recent call last):
    dalenius.errors.MixedMetrics: needs a sensitivity in ℓ2, got one in ℓ1; .to(Metric.L2) is valid here
    """

    square: Fraction
    metric: Metric

    def __init__(self, value: Number, metric: Metric) -> None:
        object.__setattr__(self, "square", nonnegative(value, "sensitivity") ** 2)
        object.__setattr__(self, "metric", Metric.of(metric))

    @classmethod
    def root(cls, square: Number, metric: Metric) -> "Sensitivity":
        """The sensitivity whose square is given: Sensitivity.root(k, Metric.L2) is √k."""
        new = cls(0, metric)
        object.__setattr__(new, "square", nonnegative(square, "squared sensitivity"))
        return new

    @property
    def value(self) -> Fraction:
        """The sensitivity: exact where it is rational, else rounded up by less than 2⁻¹²⁸ of itself."""
        return _root_above(self.square)

    @property
    def l1(self) -> Fraction:
        """`value`, refused unless it is in ℓ1."""
        return self._in(Metric.L1)

    @property
    def l2(self) -> Fraction:
        """`value`, refused unless it is in ℓ2."""
        return self._in(Metric.L2)

    @property
    def linf(self) -> Fraction:
        """`value`, refused unless it is in ℓ∞."""
        return self._in(Metric.LINF)

    @property
    def units(self) -> Fraction:
        """`value`, refused unless it counts units."""
        return self._in(Metric.UNITS)

    def to(self, metric: Metric) -> "Sensitivity":
        """The same bound in another norm, where it follows for every vector: ‖v‖∞ ≤ ‖v‖₂ ≤ ‖v‖₁."""
        if self.metric not in _IMPLIED_BY[Metric.of(metric)]:
            raise MixedMetrics(f"a bound in {self.metric.value} gives none in {metric.value}")
        return Sensitivity.root(self.square, metric)

    def __add__(self, other: "Sensitivity") -> "Sensitivity":
        """The triangle inequality: two changes one after the other."""
        if not isinstance(other, Sensitivity):
            return NotImplemented
        if self.metric is not other.metric:
            raise MixedMetrics(f"cannot add a sensitivity in {other.metric.value} to one in {self.metric.value}")
        return Sensitivity(self.value + other.value, self.metric)

    def __mul__(self, factor: Number) -> "Sensitivity":
        """Scale by a number ≥ 0."""
        return Sensitivity.root(self.square * nonnegative(factor, "factor") ** 2, self.metric)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        root = _root_above(self.square)
        text = str(root) if root * root == self.square else f"√{self.square}"
        return f"Sensitivity({text}, {self.metric!r})"

    def _in(self, metric: Metric) -> Fraction:
        if self.metric is not metric:
            hint = f"; .to({metric!r}) is valid here" if self.metric in _IMPLIED_BY[metric] else ""
            raise MixedMetrics(f"needs a sensitivity in {metric.value}, got one in {self.metric.value}{hint}")
        return self.value


def _root_above(square: Fraction) -> Fraction:
    """√square if rational, else a fraction above it by less than 2⁻¹²⁸ of it."""
    n, d = square.numerator, square.denominator
    root_n, root_d = math.isqrt(n), math.isqrt(d)
    if root_n * root_n == n and root_d * root_d == d:
        return Fraction(root_n, root_d)
    # √(n/d) = √(n·d)/d; shifting keeps at least 130 significant bits, and the + 1 rounds up
    shift = max(0, 132 - (n * d).bit_length() // 2)
    return Fraction(math.isqrt(n * d << 2 * shift) + 1, d << shift)
