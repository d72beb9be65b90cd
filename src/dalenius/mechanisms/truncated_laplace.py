"""The truncated Laplace mechanism: noise that never exceeds a bound."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from flint import arb

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import ApproxDP, Guarantee
from dalenius.guarantees.guarantee import ConcentratedForm
from dalenius.guarantees.loss import Pair, laplace, response
from dalenius.guarantees.loss.pair import Atom
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.mechanisms.shifted import Shifted
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.noise.inverted import InvertedLaw, lattice_for
from dalenius.numerics import Number, ball, fraction_above, positive, precision


@dataclass(frozen=True, slots=True, init=False)
class TruncatedLaplace(AdditiveMechanism):
    """Release x + Z with Z of density ∝ exp(−|z| / scale) for |z| ≤ bound, each coordinate its own Z  [GDGK20].

    >>> from dalenius.neighbors import Metric
    >>> mechanism = TruncatedLaplace.least(Sensitivity(1, Metric.L1), ApproxDP(1, "1e-6"))
    >>> mechanism.scale, float(round(mechanism.bound, 3))
    (Fraction(1, 1), 13.664)
    """

    scale: Fraction
    bound: Fraction
    lattice: Lattice

    name: ClassVar[str] = "truncated_laplace"

    def __init__(self, scale: Number, bound: Number, lattice: Lattice | None = None) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))
        object.__setattr__(self, "bound", positive(bound, "bound"))
        object.__setattr__(self, "lattice", lattice_for(min(self.scale, self.bound), self.bound, lattice))

    @property
    def noise(self) -> "TruncatedLaplaceLaw":
        """The Laplace law, given that it stays within the bound."""
        return TruncatedLaplaceLaw(self.scale, self.bound, self.lattice)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> "TruncatedLaplaceLoss":
        """(Δ₁ / scale, the mass that x reaches and x' does not), and the exact δ below that ε  [GDGK20].

        The law is log-concave, so one number moving by Δ₁ is the worst of all: see `shifted`.
        """
        return TruncatedLaplaceLoss(sensitivity.l1 / self.scale, self.bound / self.scale, Relation.of(relation))

    def scaled(self, factor: Number) -> Self:
        """Scale and bound times `factor`, on the same lattice."""
        by = positive(factor, "factor")
        return replace(self, scale=self.scale * by, bound=self.bound * by)

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Scale Δ₁/ε, cut at Δ₁/ε · log(1 + (e^ε − 1)/2δ), for δ ≤ ½: both are attained  [GDGK20]."""
        if not isinstance(target, ApproxDP) or target.slack == 0:
            raise UnprovenClaim(f"TruncatedLaplace is calibrated to (ε, δ) with δ > 0, got {target!r}")
        if target.slack > Fraction(1, 2):
            raise InvalidParameter(f"delta must be at most 1/2 for truncated noise, got {target.slack}")
        scale = moved(sensitivity) / positive(target.budget, "epsilon")
        with precision(192):
            cut = (ball(target.budget).expm1() / ball(2 * target.slack)).log1p()
            return cls(scale, scale * fraction_above(cut, 64))

    @classmethod
    def within(cls, sensitivity: Sensitivity, error: Fraction, beta: Fraction) -> Self:
        """Refused: scale and bound are two parameters; a mechanism in place of the type keeps their ratio."""
        raise UnprovenClaim(
            "TruncatedLaplace is not calibrated to an error, scale and bound being two parameters: give a mechanism, "
            "whose bound over scale is kept"
        )


@dataclass(frozen=True, slots=True)
class TruncatedLaplaceLaw(InvertedLaw):
    """step · round(Z / step), Z Laplace given |Z| ≤ bound."""

    scale: Fraction
    bound: Fraction
    lattice: Lattice

    def beyond(self, z: Fraction) -> arb:
        """(e^(−z/scale) − e^(−bound/scale)) / (1 − e^(−bound/scale)), 0 from the bound on."""
        if z >= self.bound:
            return arb(0)
        cut = (-ball(self.bound / self.scale)).exp()
        rise = -(ball((z - self.bound) / self.scale)).expm1()  # e^(−z) − e^(−bound), nothing lost
        return (-ball(z / self.scale)).exp() * rise / (1 - cut)

    def second_moment(self) -> arb:
        """2 scale² − (bound² + 2 bound·scale) e^(−bound/scale) / (1 − e^(−bound/scale))."""
        cut = (-ball(self.bound / self.scale)).exp()
        return ball(2 * self.scale**2) - ball(self.bound**2 + 2 * self.bound * self.scale) * cut / (1 - cut)


@dataclass(frozen=True, slots=True)
class TruncatedLaplaceLoss(Shifted):
    """Truncated Laplace noise, answers `budget` scales apart, noise up to `reach` scales."""

    budget: Fraction
    reach: Fraction
    relation: Relation = Relation.ADD_REMOVE

    def profile(self, epsilon: Fraction) -> arb:
        """F(t) − e^ε F(t − Δ): t = (Δ − ε)/2 in scales, but not before the point where the other law ends."""
        alone = self.budget - self.reach
        t = alone if epsilon >= self.budget else max(alone, (self.budget - epsilon) / 2)
        return self._below(t) - ball(epsilon).exp() * self._below(t - self.budget)

    def pair(self) -> Pair:
        """The Laplace pair on the part that both reach, and an infinite loss on what one does not.

        Where even the tops are out of reach, what (ε, δ) says.
        """
        if self.budget == 0 or self.budget > self.reach:
            return response(self.budget, self.unreached)
        whole = laplace(self.budget)
        with precision(192):
            kept = 1 - (-ball(self.reach)).exp()
            low, high = (float(m.mid()) for m in (self._below(-self.budget), ball(Fraction(1, 2)) - self._infinite()))
            shift = float(kept.log().mid())
        atoms = (Atom(whole.atoms[0].loss, low), Atom(whole.atoms[1].loss, high))
        piece = replace(whole.pieces[0], c0=whole.pieces[0].c0 - shift)
        gone = self.unreached
        return Pair(
            atoms, (piece,), gone, gone, whole.spacing, symmetric=True, further=self._pair_further, bound=self.budget
        )

    @property
    def bound(self) -> Fraction | None:
        """None, as an output may be out of the other's reach, unless nothing moves."""
        return None if self.budget else Fraction(0)

    @property
    def unreached(self) -> Fraction:
        """The probability of an output that the other answer cannot give, rounded up."""
        if self.budget == 0:
            return Fraction(0)
        with precision(192):
            return min(Fraction(1), fraction_above(self._infinite(), 128))

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(Δ / scale, the mass out of reach)."""
        return self.budget, self.unreached

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """That of (ε, δ)."""
        return ApproxDP(self.budget, self.unreached).concentrated_form

    @property
    def gaussian_form(self) -> Fraction | None:
        """None unless nothing moves: G_μ(0) = 1."""
        return None if self.budget else Fraction(0)

    def further(self, size: int) -> "TruncatedLaplaceLoss":
        """The distance times `size`."""
        return TruncatedLaplaceLoss(self.budget * size, self.reach, self.relation)

    def _pair_further(self, size: int) -> Pair:
        return self.further(size).pair()

    def _infinite(self) -> arb:
        return self._below(self.budget - self.reach)

    def _below(self, z: Fraction) -> arb:
        """P[Z ≤ z], z in scales."""
        if z > 0:
            return 1 - self._below(-z)
        if z <= -self.reach:
            return arb(0)
        return ball(z).exp() * -(ball(-self.reach - z)).expm1() / (2 * -(-ball(self.reach)).expm1())

    def _under(self, relation: Relation) -> "TruncatedLaplaceLoss":
        return TruncatedLaplaceLoss(self.budget, self.reach, relation)

    def _claim(self) -> str:
        return ApproxDP(self.budget, self.unreached)._claim()
