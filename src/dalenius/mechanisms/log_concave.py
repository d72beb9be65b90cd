"""Canonical noise whose density is log-concave: a larger output always speaks for a larger answer."""

from dalenius.calls import named_arguments
from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP, Guarantee, Polyline, TradeOff
from dalenius.mechanisms.canonical import CanonicalNoise
from dalenius.mechanisms.gaussian import Gaussian
from dalenius.mechanisms.laplace import Laplace
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.mechanisms.shifted import LaplaceLoss
from dalenius.mechanisms.target import moved
from dalenius.neighbors import Sensitivity


@named_arguments
def log_concave_noise(target: Guarantee, sensitivity: Sensitivity) -> AdditiveMechanism:
    """The mechanism with log-concave noise that attains a guarantee everywhere, where there is one  [AD22].

    target: GDP, (0, δ), or the guarantee of Laplace noise. Of all others it is refused.
    sensitivity: how far one unit moves the answer.

    A log-concave law F tells N from N + t best by a threshold: its trade-off functions are fₜ(α) = F(F⁻¹(1 − α) − t),
    and for a symmetric F it follows that F(t) = 1 − fₜ(½). So the family f, f₂, … of a group's guarantees determines
    the noise: the normal law for GDP, the Laplace law for its own, the uniform law of width Δ/δ for (0, δ).

    Of trade-off functions of finitely many lines only (0, δ) has one, so pure ε and (ε, δ) with ε > 0 do not. The log
    of the likelihood ratio, l(x) = log g(x − 1) − log g(x), then takes finitely many values where both are above 0.
    Where it is constant over (a, b) the concave log g has one slope on (a − 1, b); two such stretches that meet at b
    share (b − 1, b), so they have one slope, and l one value. By symmetry that is 0, and g is constant.

    >>> from dalenius.neighbors import Metric
    >>> log_concave_noise(GDP(2), Sensitivity(1, Metric.L2)).scale
    Fraction(1, 2)
    """
    if isinstance(target, GDP):
        return Gaussian.least(sensitivity, target)
    if isinstance(target, LaplaceLoss):
        return Laplace(moved(sensitivity) / target.budget)
    if isinstance(target, ApproxDP) and target.budget == 0 and target.slack > 0:
        return CanonicalNoise.least(sensitivity, target)
    if isinstance(target, TradeOff) and target.floor == target.ceiling and is_total_variation(target.floor):
        return CanonicalNoise(target.floor, moved(sensitivity))
    raise UnprovenClaim(
        f"{target!r} has no log-concave canonical noise, or none is known: take CanonicalNoise or Tulap, whose noise "
        "is not log-concave, or ask for GDP"
    )


def is_total_variation(f: Polyline) -> bool:
    """Whether f(α) = max(0, 1 − δ − α) for some δ > 0: the trade-off function of (0, δ)."""
    most = f(0)
    return most < 1 and f == Polyline([(0, most), (most, 0), (1, 0)])
