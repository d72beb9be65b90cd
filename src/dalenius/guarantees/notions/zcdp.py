"""Zero-concentrated differential privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dalenius.guarantees.curves.inversion import width
from dalenius.guarantees.curves.renyi_conversion import renyi_delta, renyi_epsilon
from dalenius.guarantees.curves.renyi_curves import LinearCurve
from dalenius.guarantees.guarantee import SHOWN_DELTA, ConcentratedForm, Guarantee, count
from dalenius.guarantees.notions.gdp import GDP
from dalenius.guarantees.notions.renyi import RenyiDP
from dalenius.neighbors import Relation
from dalenius.numerics import Number, digits_above, nonnegative, probability


@dataclass(frozen=True, slots=True, init=False)
class ZCDP(Guarantee):
    """ρ-zCDP: the Rényi divergence of order α between neighbors is at most ρα, for every α > 1.

    [A Cor 13.1; BS16, Def 1.1].
    The lower ends come from a witness, the Gaussian mechanism with μ = √(2ρ), which is exactly ρ-zCDP.
    """

    rho: Fraction
    relation: Relation

    proof: ClassVar[str] = "the Rényi divergence at its best order (Canonne, Kamath and Steinke 2020)"

    def __init__(self, rho: Number, relation: Relation = Relation.ADD_REMOVE) -> None:
        object.__setattr__(self, "rho", nonnegative(rho, "rho"))
        object.__setattr__(self, "relation", Relation.of(relation))

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """(the Gaussian's δ, least bound over orders)  [CKS20, Prop 12]."""
        high = renyi_delta(LinearCurve(self.rho), nonnegative(epsilon, "epsilon"))
        return self._witness.delta_interval(epsilon)[0], high

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """(the Gaussian's ε, least bound over orders)  [CKS20, Prop 12]."""
        width(rtol)
        high = renyi_epsilon(LinearCurve(self.rho), probability(delta, "delta"))
        return self._witness.epsilon_interval(delta, rtol)[0], high

    def renyi(self, order: Number) -> float:
        """ρα."""
        return LinearCurve(self.rho)(order)

    def repeat(self, times: int) -> "ZCDP":
        """ρ adds  [A Thm 12.3; BS16, Lem 2.3]."""
        return ZCDP(self.rho * count(times, "times"), self.relation)

    def group(self, size: int) -> "ZCDP":
        """k²ρ for groups of k units  [BS16, Prop 1.9]."""
        return ZCDP(self.rho * count(size, "size") ** 2, self.relation)

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """(ρ, 0)."""
        return ConcentratedForm(self.rho, Fraction(0))

    @property
    def _witness(self) -> GDP:
        return GDP.root(2 * self.rho, self.relation)

    @property
    def strength(self) -> tuple[str, Fraction]:
        """Ordered by ρ."""
        return "ZCDP", self.rho

    def _with_alike(self, others: Sequence[Guarantee]) -> Guarantee:
        """ρ adds over all that have one with δ = 0; anything else goes to Rényi divergences  [A Thm 12.3]."""
        forms = [other.rho for other in others if isinstance(other, ZCDP)]
        if len(forms) == len(others):
            return ZCDP(self.rho + sum(forms, Fraction(0)), self.relation)
        return RenyiDP.adding((self, *others))

    def _under(self, relation: Relation) -> "ZCDP":
        return ZCDP(self.rho, relation)

    def __repr__(self) -> str:
        suffix = "" if self.relation is Relation.ADD_REMOVE else f", {self.relation!r}"
        return f"ZCDP({self.rho}{suffix})"

    def _claim(self) -> str:
        high = self.epsilon(SHOWN_DELTA)
        return (
            f"{digits_above(self.rho)}-zCDP, which gives ({digits_above(high)}, {SHOWN_DELTA:g})-differential privacy"
        )
