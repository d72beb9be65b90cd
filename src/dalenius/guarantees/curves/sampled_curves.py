"""Rényi divergence of the Gaussian mechanism on a secret sample, at any real order, enclosed.

Integrals are enclosed by arb's rigorous quadrature; what lies beyond the window is bounded in closed form. With
noise of standard deviation 1 and u = μx − μ²/2, the likelihood ratio of N(μ, 1) to N(0, 1) at x is e^u.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import acb, arb

from dalenius.guarantees.curves.gaussian import normal_cdf
from dalenius.guarantees.curves.orders import order_of
from dalenius.guarantees.curves.renyi_curves import Curve
from dalenius.numerics import Number, ball, float_above, precision, upper

_BITS = 96
_TOLERANCE = arb(2) ** -80
Integrand = Callable[[acb, bool], acb]


@dataclass(frozen=True, slots=True)
class PoissonGaussianCurve(Curve):
    """A Gaussian mechanism that is μ-GDP, on a Poisson sample at `rate`; ADD_REMOVE.

    [MTZ19, Thm 4 and 5; A Rem 11.6].
    The divergence of (1−q)N(0,1) + qN(μ,1) from N(0,1): of the two directions the larger, at every order ≥ 1.
    """

    rate: Fraction
    square: Fraction

    def __call__(self, order: Number, /) -> float:
        """Log E(1 − q + q·e^u)^α/(α − 1) under N(0, 1): a finite sum at whole orders, else an enclosed integral."""
        at = order_of(order)
        if self.rate == 0 or self.square == 0:
            return 0.0
        if at is None:
            return math.inf
        if at == 1:  # D₁ ≤ D_α for every α > 1
            return self(Fraction(1025, 1024))
        if _too_far(at, self.square):
            return float_above(at * self.square / 2)
        if at.denominator == 1 and at <= 512:
            return upper(_whole_order(self.rate, self.square, int(at)))
        return upper(_poisson_order(self.rate, self.square, at))


@dataclass(frozen=True, slots=True)
class SubsetGaussianCurve(Curve):
    """A Gaussian mechanism that is μ-GDP for change-one, on a uniform subset of m out of n, rate = m/n; CHANGE_ONE.

    The divergence of a pair whose trade-off function is C_p(G_μ)  [A Thm 13.7, A Prop 13.6]: where the mixture is the
    likelier (x > μ/2) the ratio r = 1 − p + p·e^u and, mirrored, 1/r; elsewhere C_p is linear with slope −1 and
    the ratio 1.
    """

    rate: Fraction
    square: Fraction

    def __call__(self, order: Number, /) -> float:
        """log(∫_{μ/2}^∞ φ·(r^α + r^(1−α)) + the mass of the linear part)/(α − 1)."""
        at = order_of(order)
        if self.rate == 0 or self.square == 0:
            return 0.0
        if at is None:
            return math.inf
        if at == 1:  # D₁ ≤ D_α for every α > 1
            return self(Fraction(1025, 1024))
        if self.rate == 1 or _too_far(at, self.square):
            return float_above(at * self.square / 2)
        return upper(_subset_order(self.rate, self.square, at))


def _too_far(order: Fraction, square: Fraction) -> bool:
    """Orders whose window is too wide to integrate: the Gaussian without sampling, which is never better, stands in."""
    return order * order * square > 400 * 400


@lru_cache(maxsize=4096)
def _whole_order(rate: Fraction, square: Fraction, order: int) -> arb:
    """log(Σ C(α,k)(1−q)^(α−k) q^k e^(k(k−1)μ²/2))/(α − 1)  [MTZ19, §3.3]."""
    with precision(_BITS + 4 * order.bit_length() + 64):
        q, keep = ball(rate), ball(1 - rate)
        total, choose = arb(0), arb(1)
        for k in range(order + 1):
            total += choose * keep ** (order - k) * q**k * ball(square * k * (k - 1) / 2).exp()
            choose = choose * (order - k) / (k + 1)
        return total.log() / (order - 1)


@lru_cache(maxsize=4096)
def _poisson_order(rate: Fraction, square: Fraction, order: Fraction) -> arb:
    with precision(_BITS + 32):
        mu, alpha = ball(square).sqrt(), ball(order)
        low, high = -_WIDTH, _reach(order, mu)
        weighted = _weighted_power(rate, mu)
        inside = _integral(lambda x, analytic: weighted(x, alpha, analytic), arb(low), high)
        beyond = normal_cdf(arb(low)) + _right_tail(rate, mu, order, high)  # on the left the ratio is at most 1
        return (inside + arb(0).union(beyond)).log() / ball(order - 1)


@lru_cache(maxsize=4096)
def _subset_order(rate: Fraction, square: Fraction, order: Fraction) -> arb:
    with precision(_BITS + 32):
        mu, alpha = ball(square).sqrt(), ball(order)
        half = mu / 2
        high = _reach(order, mu)
        weighted = _weighted_power(rate, mu)

        def both(x: acb, analytic: bool) -> acb:
            return weighted(x, alpha, analytic) + weighted(x, 1 - alpha, analytic)

        inside = _integral(both, half, high)
        right = _right_tail(rate, mu, order, high) + normal_cdf(-arb(high))
        under_p = normal_cdf(-half)
        under_mix = ball(1 - rate) * under_p + ball(rate) * normal_cdf(half)
        total = inside + arb(0).union(right) + 1 - under_p - under_mix
        return total.log() / ball(order - 1)


_WIDTH = 18  # N(0, 1) has mass below 1e-71 beyond it


def _reach(order: Fraction, mu: arb) -> int:
    """The tilted law e^(αu)·φ is N(αμ, 1): far enough to its right."""
    return math.ceil(float(order) * float(mu.upper())) + _WIDTH


def _right_tail(rate: Fraction, mu: arb, order: Fraction, high: int) -> arb:
    """∫_high^∞ φ·r^α at most: there r ≤ c·e^u with c = q + (1 − q)·e^−u(high), and ∫ φ·e^αu has a closed form."""
    alpha = ball(order)
    c = ball(rate) + ball(1 - rate) * (mu * mu / 2 - mu * high).exp()
    return (alpha * c.log() + alpha * (alpha - 1) * mu * mu / 2).exp() * normal_cdf(alpha * mu - arb(high))


def _weighted_power(rate: Fraction, mu: arb) -> Callable[[acb, arb, bool], acb]:
    """(x, s) ↦ φ(x)·r(x)^s with r = 1 − q + q·e^u, its exponents added before the one exponential."""
    q, keep, root = ball(rate), ball(1 - rate), (2 * arb.pi()).sqrt()

    def weighted(x: acb, exponent: arb, analytic: bool) -> acb:
        u = mu * x - mu * mu / 2
        if u.real > 0:
            log_ratio = u + (q + keep * (-u).exp()).log(analytic=analytic)
        else:
            log_ratio = (keep + q * u.exp()).log(analytic=analytic)
        return (acb(exponent) * log_ratio - x * x / 2).exp() / root

    return weighted


def _integral(integrand: Integrand, low: arb, high: int) -> arb:
    """The integral, cut at whole numbers so that each piece is tame."""
    cuts = [low, *(arb(cut) for cut in range(math.floor(float(low.upper())) + 4, high - 2, 4)), arb(high)]
    total = acb(0)
    for left, right in itertools.pairwise(cuts):
        total += acb.integral(integrand, acb(left), acb(right), rel_tol=_TOLERANCE)
    return total.real
