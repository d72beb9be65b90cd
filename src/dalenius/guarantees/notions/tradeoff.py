"""f-differential privacy: a trade-off function as a guarantee."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from flint import arb

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees.curves.functionals import LossMoments, polyline_moments, renyi_divergence
from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.polyline import IDENTITY, Point, Polyline
from dalenius.guarantees.curves.tabulated import enclosing_polylines
from dalenius.guarantees.guarantee import Guarantee, count
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import (
    Number,
    ball,
    ends,
    float_below,
    fraction_above,
    fraction_below,
    nonnegative,
    precision,
    probability,
    upper,
)

if TYPE_CHECKING:
    from dalenius.guarantees.convert import Composition, LossDistribution
_MOST_ATOMS = 20_000
_MOST_FACTORS = 64
_EPSILONS = (0.0, *(2.0 ** (i / 4) for i in range(-40, 25)))


@dataclass(frozen=True, slots=True, init=False)
class TradeOff(Guarantee):
    """f-DP: no test between neighbors beats the trade-off function f  [A Def 13.2].

    f is known between two polylines, `floor` (what is guaranteed) and `ceiling` (for the lower ends); they are
    one where f is a polyline. Both are made symmetric, as neighbors are  [A Prop 13.2].
    """

    floor: Polyline
    ceiling: Polyline
    relation: Relation

    proof: ClassVar[str] = "its trade-off function (Dong, Roth and Su 2022)"

    def __init__(
        self,
        f: Polyline | Iterable[tuple[Number, Number]] | Callable[[float], float],
        relation: Relation = Relation.ADD_REMOVE,
    ) -> None:
        if callable(f) and not isinstance(f, Polyline):
            self._fill(*enclosing_polylines(f), relation)
        else:
            line = f if isinstance(f, Polyline) else Polyline(f)
            self._fill(line, line, relation)

    @classmethod
    def between(cls, floor: Polyline, ceiling: Polyline, relation: Relation = Relation.ADD_REMOVE) -> "TradeOff":
        """F known between two polylines."""
        if not floor.below(ceiling):
            raise InvalidParameter("the floor of a trade-off function must lie below its ceiling")
        new = cls(IDENTITY, relation)
        new._fill(floor, ceiling, relation)
        return new

    @classmethod
    def of_profile(cls, pairs: Iterable[tuple[Number, Number]], relation: Relation = Relation.ADD_REMOVE) -> "TradeOff":
        """(εᵢ, δᵢ)-DP for all i: the largest of the f_{εᵢ,δᵢ}, nothing lost  [A Prop 13.8]."""
        lines = [
            response_polylines(nonnegative(epsilon, "epsilon"), probability(delta, "delta")) for epsilon, delta in pairs
        ]
        if not lines:
            raise InvalidParameter("a profile needs at least one (epsilon, delta)")
        floor, ceiling = Polyline.largest([low for low, _ in lines]), Polyline.largest([high for _, high in lines])
        return cls.between(floor, ceiling, relation)

    @classmethod
    def of_guarantee(cls, guarantee: Guarantee, epsilons: Sequence[float] | None = None) -> "TradeOff":
        """The lines that the (ε, δ) profile of any guarantee gives at some ε; the ceiling is not known.

        [A Prop 13.8]
        """
        chosen = _EPSILONS if epsilons is None else epsilons
        floor = cls.of_profile([(epsilon, guarantee.delta(epsilon)) for epsilon in chosen]).floor
        return cls.between(floor, IDENTITY, guarantee.relation)

    @classmethod
    def of_composition(cls, composition: "Composition") -> "TradeOff":
        """The exact trade-off function of equal (ε, δ) mechanisms, composed  [KOV15, Thm 3.3; A Thm 13.4]."""
        floor, ceiling = _composed_responses(composition)
        return cls.between(floor, ceiling, composition.relation)

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """1 + f*(−e^ε): the supporting line of slope −e^ε  [A Prop 13.9, A Rem 14.4].

        The printed f*(e^−ε) is a slip: at ε = 0 it would claim a δ above 1.
        """
        at = nonnegative(epsilon, "epsilon")
        with precision(160):
            growth = ball(at).exp()
            low = max(ends(_above_line(self.ceiling, growth))[0], 0.0)
            return low, min(1.0, ends(_above_line(self.floor, growth))[1])

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """The steepest line from (0, 1 − δ) that still touches f: e^ε = max (1 − δ − f(x))/x  [A Prop 13.9]."""
        width(rtol)
        target = probability(delta, "delta")
        return _steepest(self.ceiling, target)[0], _steepest(self.floor, target)[1]

    def beta(self, alpha: float) -> float:
        """f(α), rounded down."""
        return float_below(self.floor(alpha))

    def renyi(self, order: Number) -> float:
        """Rényi divergence of f; infinite if f reaches 0 before 1  [A Prop 13.6]."""
        return max(0.0, upper(renyi_divergence(self.floor, order)))

    def loss_moments(self) -> LossMoments:
        """Of f, where it is a polyline."""
        if self.floor != self.ceiling:
            raise UnprovenClaim("moments of the loss are computed for polylines and closed forms")
        return polyline_moments(self.floor)

    def repeat(self, times: int) -> Guarantee:
        """f^⊗k  [A Thm 13.4]."""
        k = count(times, "times")
        if k == 0:
            return TradeOff(IDENTITY, self.relation)
        return self.compose(*[self] * (k - 1)) if k <= _MOST_FACTORS else self.loss().repeat(k)

    def group(self, size: int) -> "TradeOff":
        """1 − (1 − f)^∘k for groups of k units  [A Thm 13.3]."""
        k = count(size, "size")
        return TradeOff.between(self.floor.grouped(k), self.ceiling.grouped(k), self.relation)

    def amplify(self, sampling: Sampling) -> "TradeOff":
        """C_p(f): for a fixed size  [A Thm 13.7]; for Poisson sampling both directions lie above it  [A Thm 14.3]."""
        rate = sampling.rate_for(self.relation)
        return TradeOff.between(self.floor.sampled(rate), self.ceiling.sampled(rate), self.relation)

    def loss(self) -> "LossDistribution":
        """A pair whose trade-off function is the floor  [A Ex 14.1]."""
        from dalenius.guarantees import convert

        return convert.polyline_loss(self.floor, self.relation)

    def tradeoff(self) -> "TradeOff":
        return self

    def __repr__(self) -> str:
        between = f"{self.floor!r}" if self.floor == self.ceiling else f"between {self.floor!r} and {self.ceiling!r}"
        return f"TradeOff({between}, {self.relation!r})"

    def _fill(self, floor: Polyline, ceiling: Polyline, relation: Relation) -> None:
        low = floor.symmetrised()
        object.__setattr__(self, "floor", low)
        object.__setattr__(self, "ceiling", low if ceiling == floor else ceiling.symmetrised())
        object.__setattr__(self, "relation", Relation.of(relation))

    def _with_alike(self, others: Sequence[Guarantee]) -> "TradeOff | None":
        """F ⊗ g, exactly, while the product has few enough pieces  [A Thm 13.4]."""
        result = self
        for other in others:
            if not isinstance(other, TradeOff):
                return None
            sizes = [len(line.vertices) for line in (result.floor, other.floor, result.ceiling, other.ceiling)]
            if max(sizes[0] * sizes[1], sizes[2] * sizes[3]) > _MOST_ATOMS:
                return None
            floor = result.floor.tensor(other.floor)
            exact = result.floor == result.ceiling and other.floor == other.ceiling
            ceiling = floor if exact else result.ceiling.tensor(other.ceiling)
            result = TradeOff.between(floor, ceiling, self.relation)
        return result

    def _under(self, relation: Relation) -> "TradeOff":
        return TradeOff.between(self.floor, self.ceiling, relation)


def response_polylines(epsilon: Fraction, delta: Fraction) -> tuple[Polyline, Polyline]:
    """f_{ε,δ}(α) = max(0, 1 − δ − e^ε α, e^−ε(1 − δ − α)), between two polylines  [A Rem 13.3].

    Its corner c = (1 − δ)/(1 + e^ε) is irrational, so it is rounded each way.
    """
    kept = 1 - delta
    with precision(192):
        corner = ball(kept) / (1 + ball(epsilon).exp())
        low, high = fraction_below(corner, 128), fraction_above(corner, 128)
    if epsilon == 0:
        low = high = kept / 2
    lines = []
    for c in (low, min(high, kept / 2)):
        points: list[Point] = [(Fraction(0), kept), (c, c), (kept, Fraction(0))]
        lines.append(Polyline.under(points))
    return lines[0], lines[1]


def _composed_responses(composition: "Composition") -> tuple[Polyline, Polyline]:
    responses = composition._responses()
    each, times = responses[0] if responses else (Fraction(0), 0)
    with precision(256 + 4 * times):
        kept = 1 - composition._missed()
        down = (-ball(each)).exp()
        # the l-th outcome has l unlikely answers under Q: Q(l) = C·p^(k−l)·r^l, P(l) = C·p^l·r^(k−l)
        alpha, beta, choose = arb(0), kept, arb(1)
        points = [(alpha, beta)]
        for wrong in range(times + 1):
            scale = kept * choose / (1 + down) ** times
            alpha, beta = alpha + scale * down ** (times - wrong), beta - scale * down**wrong
            points.append((alpha, beta))
            choose = choose * (times - wrong) / (wrong + 1)
        low = [(max(Fraction(0), fraction_below(x, 200)), max(Fraction(0), fraction_below(y, 200))) for x, y in points]
        high = [(fraction_above(x, 200), fraction_above(y, 200)) for x, y in points]
    low[0] = (Fraction(0), low[0][1])
    high[0] = (Fraction(0), high[0][1])
    return Polyline.under(low), Polyline.under((x, min(y, max(1 - x, Fraction(0)))) for x, y in high)


def _above_line(line: Polyline, growth: arb) -> arb:
    """1 + f*(−e^ε) = max over vertices of 1 − e^ε·x − f(x)."""
    best = ball(1 - line.vertices[0][1])
    for x, y in line.vertices[1:]:
        best = best.max(ball(1 - y) - growth * ball(x))
    return best


def _steepest(line: Polyline, delta: Fraction) -> tuple[float, float]:
    if 1 - line.vertices[0][1] > delta:
        return math.inf, math.inf
    growth = max((1 - delta - y) / x for x, y in line.vertices[1:])
    if growth <= 1:
        return 0.0, 0.0
    with precision(160):
        return ends(ball(growth).log())
