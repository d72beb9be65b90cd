"""What a trade-off function determines: divergences, and moments of the privacy loss.

A pair's trade-off function fixes every divergence that obeys data processing  [A Prop 13.4, A Lem 9]. On a
polyline the integrals of the notes are finite sums over its pieces: a piece of width p and fall q has likelihood
ratio q/p.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from flint import arb

from dalenius.guarantees.curves.gaussian import normal_cdf
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.numerics import Number, ball, settled


def total_variation(f: Polyline) -> Fraction:
    """½∫|1 + f'| + ½(1 − f(0)), exactly  [A Ex 13.7].

    The printed ½∫|1 + f'| forgets Q's mass where P has none, half of what f(α) = max(0, 1 − δ − α) shows.
    """
    return sum((abs(p - q) for p, q in f.atoms()), Fraction(0)) / 2


def kl_divergence(f: Polyline) -> arb:
    """KL(P‖Q) = −∫log|f'|, infinite if f reaches 0 before 1  [A Ex 13.7]."""
    return renyi_divergence(f, 1)


def renyi_divergence(f: Polyline, order: Number) -> arb:
    """D_α(P‖Q) = log(∫|f'|^(1−α))/(α − 1), infinite if f reaches 0 before 1; the limits at 1 and ∞.

    [A Ex 13.7, A Prop 13.6]
    """
    at = order_of(order)
    if f.first_zero < 1:
        return arb("inf")
    pieces = [(p, q) for p, q in f.atoms() if p > 0]
    if at is None:
        return settled(lambda: ball(max(p / q for p, q in pieces)).log())
    if at == 1:
        return settled(lambda: _sum(ball(p) * ball(p / q).log() for p, q in pieces), limit=512)
    return settled(
        lambda: _sum(ball(q) * (ball(at) * ball(p / q).log()).exp() for p, q in pieces if q > 0).log() / ball(at - 1),
        limit=512,
    )


def f_divergence(f: Polyline, convex: Callable[[arb], arb], at_zero: arb, slope_at_infinity: arb) -> arb:
    """∫₀^z F(1/|f'|)|f'| + F(0)(1 − f(0)) + τ_F(1 − z), for a convex F given on enclosures  [A Prop 13.5, A Ex 13.6].

    An infinite F(0) or τ_F counts only where it has mass.
    """
    total = _sum(ball(q) * convex(ball(p / q)) for p, q in f.atoms() if p > 0 and q > 0)
    missing, beyond = 1 - f.vertices[0][1], 1 - f.first_zero
    if missing > 0:
        total += at_zero * ball(missing)
    if beyond > 0:
        total += slope_at_infinity * ball(beyond)
    return total


@dataclass(frozen=True, slots=True)
class LossMoments:
    """kl, k2, k3 and centred k̄3 of the privacy loss log p/q under P, as enclosures  [A §13.9 functionals]."""

    kl: arb
    k2: arb
    k3: arb
    k3_centred: arb

    @classmethod
    def of_masses(cls, masses: Iterable[tuple[arb, arb]]) -> "LossMoments":
        """From (P's mass, loss) pairs; k̄3 = ∫|log|f'| + kl|³ with a plus, since kl = −∫log|f'|."""
        pairs = list(masses)
        kl = _sum(p * loss for p, loss in pairs)
        return cls(
            kl,
            _sum(p * loss * loss for p, loss in pairs),
            _sum(p * abs(loss) ** 3 for p, loss in pairs),
            _sum(p * abs(loss - kl) ** 3 for p, loss in pairs),
        )


def polyline_moments(f: Polyline) -> LossMoments:
    """Moments of the loss of a polyline; infinite if f reaches 0 before 1."""
    if f.first_zero < 1:
        infinite = arb("inf")
        return LossMoments(infinite, infinite, infinite, infinite)
    return LossMoments.of_masses((ball(p), ball(p / q).log()) for p, q in f.atoms() if p > 0)


def response_moments(epsilon: Fraction) -> LossMoments:
    """Randomized response: loss ±ε with odds e^ε to 1."""
    down = (-ball(epsilon)).exp()
    return LossMoments.of_masses([(1 / (1 + down), ball(epsilon)), (down / (1 + down), -ball(epsilon))])


def gaussian_moments(square: Fraction) -> LossMoments:
    """The loss of G_μ is N(μ²/2, μ²): kl = μ²/2, k2 = μ² + μ⁴/4, k̄3 = 2√(2/π)·μ³, k3 the absolute third moment."""
    mu, mean = ball(square).sqrt(), ball(square) / 2
    if square == 0:
        return LossMoments(arb(0), arb(0), arb(0), arb(0))
    t = mean / mu
    density = (-t * t / 2).exp() / (2 * arb.pi()).sqrt()
    third = mu**3 * ((t**3 + 3 * t) * (2 * normal_cdf(t) - 1) + 2 * (t * t + 2) * density)
    return LossMoments(mean, mu * mu + mean * mean, third, 2 * (2 / arb.pi()).sqrt() * mu**3)


def _sum(terms: Iterable[arb]) -> arb:
    return reduce(lambda total, term: total + term, terms, arb(0))
