"""Rényi divergence as a function of its order, for the laws that have closed forms.

Each curve is a frozen value that can be called with an order ≥ 1 (math.inf too) and gives a proven upper bound.
Orders 1 and ∞ are the limits: E_P[log p/q], and the supremum of log p/q where *P* has mass  [A Rem 12.1].
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.orders import order_of
from dalenius.numerics import Number, ball, float_above, nonnegative, settled, upper


class Curve(ABC):
    """order ↦ a proven upper bound on the divergence of that order, in both directions."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, order: Number, /) -> float:
        """The bound at one order."""


@dataclass(frozen=True, slots=True)
class LinearCurve(Curve):
    """ρα: the Gaussian mechanism with ρ = μ²/2, or ρ-zCDP  [A Prop 12.2, A Cor 13.1]."""

    rho: Fraction

    def __call__(self, order: Number, /) -> float:
        """ρα."""
        at = order_of(order)
        if at is None:
            return math.inf if self.rho else 0.0
        return float_above(self.rho * at)


@dataclass(frozen=True, slots=True)
class ResponseCurve(Curve):
    """Randomized response with ε, and so every ε-DP mechanism  [KOV15, Thm 3.2; A Thm 12.1]."""

    epsilon: Fraction

    def __call__(self, order: Number, /) -> float:
        """log((e^αε + e^(1−α)ε)/(1 + e^ε))/(α − 1); ε·tanh(ε/2) at 1, ε at ∞."""
        at, e = order_of(order), self.epsilon
        if at is None or e == 0:
            return float_above(e)
        if at == 1:
            return min(float_above(e), upper(settled(lambda: ball(e) * (ball(e) / 2).tanh())))
        tilt = at - 1
        # divided by e^ε inside: log(e^(α−1)ε·(1 + e^(1−2α)ε)/(1 + e^−ε)), and log1p for its closeness to 1
        value = settled(
            lambda: ball(e) + ((-ball((2 * at - 1) * e)).exp().log1p() - (-ball(e)).exp().log1p()) / ball(tilt)
        )
        return min(float_above(e), upper(value))


@dataclass(frozen=True, slots=True)
class LaplaceCurve(Curve):
    """The Laplace mechanism with ε = Δ/b  [Mir17, Prop 6]."""

    epsilon: Fraction

    def __call__(self, order: Number, /) -> float:
        """log(α/(2α−1)·e^(α−1)ε + (α−1)/(2α−1)·e^−αε)/(α − 1); ε + e^−ε − 1 at 1, ε at ∞."""
        at, e = order_of(order), self.epsilon
        if at is None or e == 0:
            return float_above(e)
        if at == 1:
            return upper(settled(lambda: ball(e) + (-ball(e)).expm1()))
        share = at / (2 * at - 1)
        value = settled(
            lambda: (
                (ball(share) * ball((at - 1) * e).exp() + ball(1 - share) * (-ball(at * e)).exp()).log() / ball(at - 1)
            )
        )
        return min(float_above(e), upper(value))


@dataclass(frozen=True, slots=True)
class BoundedRangeCurve(Curve):
    """An η-bounded-range mechanism: log p/q lies in some [t − η, t]; the exponential mechanism with ε is one, η = ε.

    [DDR20].
    x^α is convex, so for a given t the worst law of p/q sits on the two ends, with mean 1; the best t has a
    closed form.
    """

    eta: Fraction

    def __call__(self, order: Number, /) -> float:
        """The largest over t: t + log((1 − e^−αη)/(α(1 − e^−η)))/(α − 1), and its limits at 1 and ∞.

        The largest has e^t = (α−1)(1 − e^−αη)/(α(e^−η − e^−αη)).
        """
        at, e = order_of(order), self.eta
        if at is None or e == 0:
            return float_above(e)
        if at == 1:
            limit = settled(lambda: (ball(e).expm1() / ball(e)).log() + ball(e) / ball(e).expm1() - 1)
            return min(float_above(e), upper(limit))

        def divergence() -> arb:
            below = -(-ball(at * e)).expm1()
            t = (ball((at - 1) / at) * below / ((-ball(e)).exp() - (-ball(at * e)).exp())).log()
            return t + (below / (-(-ball(e)).expm1() * ball(at))).log() / ball(at - 1)

        return min(float_above(e), upper(settled(divergence)))


@dataclass(frozen=True, slots=True)
class TableCurve(Curve):
    """Bounds proved at some orders: (order, divergence) pairs  [A Def 12.2].

    Between two orders (α−1)·D_α is convex, so it lies below the chord; below the first, D_α does not exceed D at
    the first [A Rem 12.2, EH14]; above the last nothing is known.
    """

    points: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of(cls, points: dict[Number, Number]) -> "TableCurve":
        """From a table order → divergence."""
        table = sorted((_finite_order(order), nonnegative(value, "divergence")) for order, value in points.items())
        if not table:
            raise InvalidParameter("a Rényi table needs at least one order > 1")
        return cls(tuple(table))

    def __call__(self, order: Number, /) -> float:
        """The chord between the neighbors of the order, or the next higher value if that is less."""
        at = order_of(order)
        if at is None or at > self.points[-1][0]:
            return math.inf
        after = next(i for i, (known, _) in enumerate(self.points) if known >= at)
        right, high = self.points[after]
        if after == 0 or at == right:
            return float_above(high)
        left, low = self.points[after - 1]
        chord = ((right - at) * (left - 1) * low + (at - left) * (right - 1) * high) / ((right - left) * (at - 1))
        return float_above(min(chord, high))


@dataclass(frozen=True, slots=True)
class SumCurve(Curve):
    """Σ countᵢ·curveᵢ: adaptive composition at a fixed order  [A Thm 12.3]."""

    terms: tuple[tuple[Curve, int], ...]

    def __call__(self, order: Number, /) -> float:
        """The sum, rounded up."""
        total = Fraction(0)
        for curve, times in self.terms:
            value = curve(order)
            if math.isinf(value) and times:
                return math.inf
            total += Fraction(value) * times if times else 0
        return float_above(total)


@dataclass(frozen=True, slots=True)
class GroupCurve(Curve):
    """Groups of `size` units: the weak triangle inequality  [Mir17, Prop 11; BS16, Prop 1.9].

    D_α(P‖R) ≤ (α − 1/p)/(α − 1)·D_pα(P‖Q) + D_q(α−1/p)(Q‖R) with 1/p + 1/q = 1, applied to halves of the group with
    p = 1 + (b/a)(α−1)/α, which gives k²ρα for a linear curve.
    """

    curve: Curve
    size: int

    def __call__(self, order: Number, /) -> float:
        """The bound at one order."""
        at = order_of(order)
        if self.size == 0:
            return 0.0
        if self.size == 1:
            return self.curve(order)
        if at is None:
            limit = self.curve(math.inf)
            return float_above(Fraction(limit) * self.size) if limit < math.inf else math.inf
        if at == 1:  # D₁ ≤ D_α for every α > 1
            return self(Fraction(129, 128))
        a, b = self.size // 2, self.size - self.size // 2
        p = 1 + Fraction(b, a) * (at - 1) / at
        first = GroupCurve(self.curve, a)(p * at)
        second = GroupCurve(self.curve, b)(p / (p - 1) * (at - 1 / p))
        if math.isinf(first) or math.isinf(second):
            return math.inf
        return float_above((at - 1 / p) / (at - 1) * Fraction(first) + Fraction(second))


@dataclass(frozen=True, slots=True)
class FunctionCurve(Curve):
    """A caller's own bound, order ↦ divergence; what it returns is refused unless it is a number ≥ 0."""

    bound: Callable[[float], float]

    def __call__(self, order: Number, /) -> float:
        """The caller's number."""
        at = order_of(order)
        # the next float above the order: the divergence does not fall with its order
        value = float(self.bound(math.inf if at is None else float_above(at)))
        if math.isnan(value) or value < 0:
            raise InvalidParameter(f"a Rényi curve must be ≥ 0 at every order, got {value} at {order}")
        return value


def _finite_order(value: Number) -> Fraction:
    order = order_of(value)
    if order is None or order == 1:
        raise InvalidParameter(f"orders of a table must be finite and > 1, got {value}")
    return order
