"""Rényi differential privacy."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.curves.renyi_conversion import renyi_delta, renyi_epsilon
from dalenius.guarantees.curves.renyi_curves import Curve, FunctionCurve, GroupCurve, SumCurve, TableCurve
from dalenius.guarantees.guarantee import Guarantee, count
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, lower, nonnegative, precision, probability, upper


@dataclass(frozen=True, slots=True, init=False)
class RenyiDP(Guarantee):
    """The Rényi divergence of order α between neighbors is at most curve(α), for every α  [A Def 12.2].

    A curve is one of `renyi_curves` or `sampled_curves`, a table {order: divergence}, or a function of the order.
    No tight way back to (ε, δ) is known, so lower ends are 0.
    """

    curve: Curve
    relation: Relation

    proof: ClassVar[str] = "the Rényi divergence at its best order (Canonne, Kamath and Steinke 2020)"

    def __init__(
        self, curve: Curve | dict[Number, Number] | Callable[[float], float], relation: Relation = Relation.ADD_REMOVE
    ) -> None:
        if isinstance(curve, dict):
            curve = TableCurve.of(curve)
        object.__setattr__(self, "curve", curve if isinstance(curve, Curve) else FunctionCurve(curve))
        object.__setattr__(self, "relation", Relation.of(relation))

    @classmethod
    def adding(cls, guarantees: Sequence[Guarantee]) -> "RenyiDP":
        """All of them, composed order by order  [A Thm 12.3]."""
        terms = [term for guarantee in guarantees for term in _terms(guarantee)]
        return cls(SumCurve(tuple(terms)), guarantees[0].relation)

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """(0, least bound over orders)  [CKS20, Prop 12]."""
        return 0.0, renyi_delta(self.curve, nonnegative(epsilon, "epsilon"))

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """(0, least bound over orders)  [CKS20, Prop 12]."""
        width(rtol)
        return 0.0, renyi_epsilon(self.curve, probability(delta, "delta"))

    def beta(self, alpha: float) -> float:
        """The best line of the profile, or of A Prop 12.1 at some orders."""
        level = probability(alpha, "alpha")
        by_events = max(1 - event_interval(self.curve(order), order, level)[1] for order in _ORDERS)
        return max(0.0, Guarantee.beta(self, alpha), math.nextafter(by_events, 0.0))

    def renyi(self, order: Number) -> float:
        return self.curve(order)

    def repeat(self, times: int) -> "RenyiDP":
        """Divergences add order by order  [A Thm 12.3]."""
        k = count(times, "times")
        return RenyiDP(SumCurve(tuple((curve, each * k) for curve, each in _terms(self))), self.relation)

    def group(self, size: int) -> "RenyiDP":
        """The weak triangle inequality, halving the group  [Mir17, Prop 11]."""
        return RenyiDP(GroupCurve(self.curve, count(size, "size")), self.relation)

    def _with_alike(self, others: Sequence[Guarantee]) -> "RenyiDP":
        return RenyiDP.adding((self, *others))

    def _under(self, relation: Relation) -> "RenyiDP":
        return RenyiDP(self.curve, relation)


@dataclass(frozen=True, slots=True)
class GuaranteeCurve(Curve):
    """The Rényi curve of any guarantee."""

    guarantee: Guarantee

    def __call__(self, order: Number, /) -> float:
        """What the guarantee says at that order."""
        return self.guarantee.renyi(order)


def event_interval(divergence: float, order: Number, probability_: Number) -> tuple[float, float]:
    """Bounds on P[S] from P'[S] = p under (α, ε)-RDP: e^−ε p^(α/(α−1)) ≤ P[S] ≤ (e^ε p)^((α−1)/α)  [A Prop 12.1]."""
    p, at = probability(probability_, "probability"), order_of(order)
    if math.isinf(divergence) or p == 0:
        return 0.0, 1.0 if p > 0 or math.isinf(divergence) else 0.0
    power = Fraction(1) if at is None else (at - 1) / at
    with precision(128):
        log_p = ball(p).log()
        high = ball(power) * (ball(divergence) + log_p)
        low = log_p / ball(power) - ball(divergence) if power > 0 else ball(-(10**9))
        return max(0.0, lower(low.exp())), min(1.0, upper(high.exp()))


_ORDERS = tuple(Fraction(n) for n in (2, 3, 4, 8, 16, 32, 64, 256))


def _terms(guarantee: Guarantee) -> Iterable[tuple[Curve, int]]:
    if not isinstance(guarantee, RenyiDP):
        return ((GuaranteeCurve(guarantee), 1),)
    return guarantee.curve.terms if isinstance(guarantee.curve, SumCurve) else ((guarantee.curve, 1),)
