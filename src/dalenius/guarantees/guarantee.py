"""The interface of privacy notions: what every guarantee can say of itself."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from dalenius.calls import Readable, shown
from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.escape import html_text
from dalenius.guarantees.curves.functionals import LossMoments
from dalenius.guarantees.curves.inversion import invert_profile
from dalenius.guarantees.curves.lines import best_line
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation
from dalenius.numerics import Number, digits_above, digits_below, probability

if TYPE_CHECKING:
    from dalenius.guarantees.convert import LossDistribution, TradeOff
SHOWN_DELTA = 1e-6
"""The δ at which a guarantee without one of its own prints its ε."""


class Part(NamedTuple):
    """`times` mechanisms, each (epsilon, delta)-DP."""

    epsilon: Fraction
    delta: Fraction
    times: int


class ConcentratedForm(NamedTuple):
    """`delta`-approximate `rho`-zCDP  [BS16, Def 8.1]."""

    rho: Fraction
    delta: Fraction


class Guarantee(Readable, ABC):
    """A proven bound on how well neighboring data sets can be told apart.

    Numbers have a direction: `delta`, `epsilon` and `renyi` are proven upper bounds, `beta` is a proven lower bound.
    """

    __slots__ = ()

    _ARITHMETIC_INSTEAD = "a.compose(b) adds what two releases reveal; compare a.epsilon(delta) with a number"

    proof: ClassVar[str] = "its definition"
    """How the (ε, δ) figures of this notion are proved, for the sentence that `str` prints."""

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """What makes two data sets neighbors here."""

    @abstractmethod
    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Proven bounds on the smallest δ at which every mechanism of this notion is (ε, δ)-DP."""

    @abstractmethod
    def repeat(self, times: int) -> "Guarantee":
        """`compose` with itself: what holds for `times` releases."""

    @abstractmethod
    def group(self, size: int) -> "Guarantee":
        """What holds for `size` units together  [A Def 13.4]."""

    def delta(self, epsilon: float) -> float:
        """A proven upper bound on the smallest δ at which (ε, δ)-DP holds."""
        return self.delta_interval(epsilon)[1]

    def rough_delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Proven bounds on the same δ that may be a hundredth apart, where that is quicker: for searches."""
        return self.delta_interval(epsilon)

    def epsilon(self, delta: float) -> float:
        """A proven upper bound on the smallest ε at which (ε, δ)-DP holds."""
        return self.epsilon_interval(delta)[1]

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """Proven bounds on the smallest ε at which every mechanism of this notion is (ε, δ)-DP."""
        return invert_profile(self.delta_interval, probability(delta, "delta"), rtol, self._near(delta))

    def beta(self, alpha: float) -> float:
        """The trade-off function: a proven lower bound on the type II error of any test of level alpha.

        The best line 1 − δ(ε) − e^ε α or e^−ε (1 − δ(ε) − α) found  [A Thm 3.4, A Prop 13.8].
        """
        return best_line(self.delta, probability(alpha, "alpha"))

    def renyi(self, order: Number) -> float:
        """A proven upper bound on the Rényi divergence of an order ≥ 1 (math.inf too) between neighbors.

        Infinity, unless the notion bounds it: an (ε, δ) profile alone need not.
        """
        order_of(order)
        return math.inf

    def loss_moments(self) -> LossMoments:
        """kl, k2, k3 and centred k̄3 of the privacy loss, for the central limit theorem  [A §13.9 functionals]."""
        raise UnprovenClaim(f"{type(self).__name__} does not determine the moments of its privacy loss")

    def compose(self, *others: "Guarantee") -> "Guarantee":
        """What holds when all are released, each with randomness of its own, parameters fixed up front.

        Like notions have a closed form; unlike ones go through dominating pairs  [A Thm 14.2]; a notion that has none
        (Rényi, zCDP) takes all parts to Rényi divergences, which add  [A Thm 12.3].
        """
        for other in others:
            if not isinstance(other, Guarantee):
                raise UnprovenClaim(f"a guarantee composes with guarantees only, got {type(other).__name__}")
            self.relation.same_as(other.relation)
        if not others:
            return self
        alike = self._with_alike(others)
        if alike is not None:
            return alike
        from dalenius.guarantees import convert

        return convert.compose_unlike((self, *others))

    def amplify(self, sampling: Sampling) -> "Guarantee":
        """What holds when the mechanism sees a secret random sample only  [A Thm 14.3]."""
        raise UnprovenClaim(f"no amplification theorem for {type(self).__name__}: amplify before converting to it")

    def to(self, relation: Relation) -> "Guarantee":
        """The same promise for another relation, where it follows.

        ADD_REMOVE gives CHANGE_ONE as for a group of two: remove one unit, add another  [A Prop 4.1, A Prop 4.2].
        """
        wanted = Relation.of(relation)
        if wanted is self.relation:
            return self
        if wanted is Relation.ADD_REMOVE:
            raise MixedRelations("a change-one guarantee says nothing about adding or removing a unit")
        return self.group(2)._under(wanted)

    def loss(self) -> "LossDistribution | None":
        """The loss distribution of a dominating pair, if this notion has one  [A Def 14.2]."""
        return None

    @property
    def parts(self) -> tuple[Part, ...] | None:
        """The (ε, δ) mechanisms whose composition this is, if it is one."""
        return None

    @property
    def sum_form(self) -> tuple[Fraction, Fraction] | None:
        """(ε, δ) as a filter that adds budgets counts it; None if this notion has none of its own."""
        return None

    @property
    def concentrated_form(self) -> ConcentratedForm | None:
        """ρ and δ as a filter of approximate zCDP counts them; None if this notion has none."""
        return None

    @property
    def gaussian_form(self) -> Fraction | None:
        """μ² as a filter of Gaussian differential privacy counts it; None if this notion has none."""
        return None

    @property
    def strength(self) -> tuple[str, Fraction] | None:
        """The notion and the one number that orders its guarantees from strong to weak; None without one."""
        return None

    def tradeoff(self) -> "TradeOff":
        """A trade-off function of finitely many lines that this guarantee implies  [A Prop 13.8]."""
        from dalenius.guarantees import convert

        return convert.TradeOff.of_guarantee(self)

    def _with_alike(self, others: Sequence["Guarantee"]) -> "Guarantee | None":
        """The composition if all are of a kind that has a closed form, else None."""
        return None

    def _under(self, relation: Relation) -> Self:
        """The same numbers read for another relation; `to` decides when that is true."""
        raise UnprovenClaim(f"{type(self).__name__} is not converted between relations")

    def _near(self, delta: float) -> float | None:
        """A guess of ε(δ), to start the search from; proves nothing."""
        return None

    def _claim(self) -> str:
        low, high = self.epsilon_interval(SHOWN_DELTA)
        most = digits_above(high)
        return f"({most}, {SHOWN_DELTA:g})-differential privacy (tight ε in [{digits_below(low)}, {most}])"

    @property
    def cost(self) -> str:
        """What it costs, in a few letters: ε, with δ if there is one, where budgets are added; else the claim."""
        form = self.sum_form
        if form is None:
            return self._claim()
        epsilon = f"ε = {digits_above(form[0])}"
        return f"{epsilon}, δ = {digits_above(form[1])}" if form[1] else epsilon

    def _repr_html_(self) -> str:
        return f"<div>{html_text(str(self))}</div>"

    def __str__(self) -> str:
        return f"{self._claim()} for {self.relation.value} neighbors, by {self.proof}"


def check_guarantee(given: object) -> None:
    """Refuse a bare number where a guarantee is composed: it does not say of which notion it is."""
    if not isinstance(given, Guarantee):
        raise InvalidParameter(f"give a guarantee, such as PureDP(1) or ZCDP(0.5), got {shown(given)}")


def count(value: int, name: str) -> int:
    """A whole number ≥ 0, or a named refusal."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise InvalidParameter(f"{name} must be a whole number ≥ 0, got {value!r}")
    return int(value)
