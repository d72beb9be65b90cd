"""The central limit of composition: bounds with their conditions, never the answer.

The limit by itself is no guarantee  [A Rem 13.9]; the finite bound below is one, and costs a δ of the size of γ.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dalenius.errors import UnprovenClaim
from dalenius.guarantees.curves.gaussian import normal_cdf, upper_quantile
from dalenius.guarantees.guarantee import Guarantee
from dalenius.numerics import Number, ball, lower, precision, probability, upper

_CONSTANT = Fraction(56, 100)


@dataclass(frozen=True, slots=True)
class BerryEsseen:
    """G_μ(α+γ) − γ ≤ f₁ ⊗ … ⊗ f_k ≤ G_μ(α−γ) + γ on [γ, 1−γ], for symmetric f with γ < ½  [A Thm 13.5].

    γ uses the centred third moments; the printed k3 is larger, hence a looser bound.
    """

    mu: arb
    gamma: arb

    @classmethod
    def of(cls, parts: Iterable[tuple[Guarantee, int]]) -> "BerryEsseen":
        """μ = 2Σkl/√(Σk2 − Σkl²) and γ = 0.56·Σk̄3/(Σk2 − Σkl²)^(3/2) of (guarantee, count) pairs  [A Thm 13.5]."""
        with precision(192):
            mean, variance, third = arb(0), arb(0), arb(0)
            for guarantee, times in parts:
                moments = guarantee.loss_moments()
                mean += times * moments.kl
                variance += times * (moments.k2 - moments.kl**2)
                third += times * moments.k3_centred
            if not variance > 0:
                raise UnprovenClaim("the Berry-Esseen bound needs a privacy loss with finite, positive variance")
            limit = cls(2 * mean / variance.sqrt(), ball(_CONSTANT) * third / (variance * variance.sqrt()))
            if not limit.gamma < ball(Fraction(1, 2)):
                raise UnprovenClaim(
                    f"the Berry-Esseen bound needs γ < 1/2, got {upper(limit.gamma):.6g}: compose exactly"
                )
            return limit

    def floor(self, alpha: Number) -> float:
        """A proven lower bound on the tensor product at α: G_μ(α+γ) − γ inside [γ, 1−γ], else 0 or its value at γ."""
        at = probability(alpha, "alpha")
        with precision(192):
            inside = ball(at) if ball(at) > self.gamma else self.gamma
            if not inside + self.gamma < 1:
                return 0.0
            return max(0.0, lower(_tradeoff(self.mu, inside + self.gamma) - self.gamma))

    def ceiling(self, alpha: Number) -> float:
        """A proven upper bound on the tensor product at α: G_μ(α−γ) + γ inside [γ, 1−γ], else by monotonicity."""
        at = probability(alpha, "alpha")
        with precision(192):
            inside = ball(at)
            if not inside > self.gamma:
                return upper(1 - inside)
            if not inside < 1 - self.gamma:
                inside = 1 - self.gamma
            return min(upper(1 - ball(at)), upper(_tradeoff(self.mu, inside - self.gamma) + self.gamma))


def limit_mu(parts: Iterable[tuple[Guarantee, int]]) -> float:
    """2K/s of the limit theorem, an approximation for many small parts and no bound  [A Thm 13.6, A Rem 13.9]."""
    with precision(128):
        mean, square = arb(0), arb(0)
        for guarantee, times in parts:
            moments = guarantee.loss_moments()
            mean, square = mean + times * moments.kl, square + times * moments.k2
        return float((2 * mean / square.sqrt()).mid())


def _tradeoff(mu: arb, alpha: arb) -> arb:
    return normal_cdf(upper_quantile(alpha) - mu)
