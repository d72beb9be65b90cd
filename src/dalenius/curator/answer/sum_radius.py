"""How far a sum of independent noises may lie from 0: the least of several proven bounds."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.curator.answer.fourier_radius import equal_radius, laplace_radius
from dalenius.mechanisms import AdditiveMechanism, DiscreteGaussian, Gaussian, Geometric
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import ball, erfc, float_above, float_below, precision, upper

Terms = tuple[tuple[AdditiveMechanism, Fraction], ...]
"""Independent noises, each in the steps of its mechanism and times a constant ≥ 0."""
Alike = tuple[tuple[AdditiveMechanism, Fraction, int], ...]
"""The same, those that are alike together, with their number."""
Masses = NDArray[np.float64]
_APART = 1.001
_MOST_TERMS = 64
_HALVINGS = 48
_RATES = 48
_SHARES = np.exp2(-np.arange(1, _RATES) / 4)
_NARROW = 0.01
_STEEP = Fraction(10**9)
_LAYERS = 24
_LONGEST = 1024
_LEAST_BETA = 1e-200
_CUT = 1e-9
_HALF = Fraction(1, 2)
_PART = Fraction(1, 10)
"""The part of beta that is kept for the distance of lattice noise from a continuous one."""


def radius(terms: Terms, beta: Fraction, every_smaller: bool = False) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta; if `every_smaller`, so for all coefficients that are no larger than these."""
    return radius_of(alike(terms), beta, every_smaller)


def alike(terms: Iterable[tuple[AdditiveMechanism, Fraction]]) -> Alike:
    """Noises with one coefficient together, in one order."""
    return in_order(Counter(terms))


def in_order(counted: Mapping[tuple[AdditiveMechanism, Fraction], int]) -> Alike:
    """The same noises in one order, so that what was computed of them is known again."""
    return tuple(
        sorted(((mechanism, factor, n) for (mechanism, factor), n in counted.items()), key=lambda t: (t[1], repr(t[0])))
    )


@lru_cache(maxsize=8192)
def radius_of(noises: Alike, beta: Fraction, every_smaller: bool = False) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta; if `every_smaller`, so for all coefficients that are no larger than these.

    One noise: exact, and |cZ| grows with c. Several of one law with one coefficient: exact, by inversion of the
    characteristic function or by convolution, which says nothing of smaller coefficients. Otherwise the least of bounds
    that grow in each coefficient: each noise within its own part of beta, Chernoff's bound, and a continuous sum that
    is near.
    """
    size = sum(count for _, _, count in noises)
    if not size:
        return 0.0
    if size == 1:
        mechanism, factor, _ = noises[0]
        return float_above(_accuracy(mechanism, beta) * factor)
    if len(noises) == 1 and not every_smaller:
        mechanism, factor, _ = noises[0]
        steps = equal_radius(mechanism, size, beta)
        steps = equal_sum(mechanism, size, beta) if steps is None else steps
        if steps is not None:
            return float_above(steps * factor)
    each = beta / size
    bounds = [float_above(sum((_accuracy(one, each) * factor * n for one, factor, n in noises), Fraction(0)))]
    if all(_near_gaussian(mechanism) for mechanism, _, _ in noises):
        bounds.append(gaussian_sum(noises, beta))
    elif all(type(mechanism) is Geometric for mechanism, _, _ in noises):
        bounds.append(geometric_sum(noises, beta))
    return min(bounds)


@lru_cache(maxsize=1024)
def _accuracy(mechanism: AdditiveMechanism, beta: Fraction) -> Fraction:
    """What one noise stays within; the pieces of an interval ask it of the same few noises again and again."""
    return Fraction(mechanism.accuracy(beta))


@lru_cache(maxsize=4096)
def equal_sum(mechanism: AdditiveMechanism, count: int, beta: Fraction) -> int | None:
    """An r with P[|Z₁ + … + Zₙ| > r] ≤ beta, the least but for rounding; None if the law of the sum is too wide.

    The masses of one noise are floats from above, and products and sums of what is not negative keep their direction
    but for a relative 2⁻⁵² an operation, fewer than 2²⁰ of which come together. What is cut off at the ends counts as
    outside: in a sum of two it is at most what both have lost, and what is cut then.
    """
    chance = float_below(beta)
    if chance < _LEAST_BETA or mechanism.noise.lattice != INTEGERS:
        return None
    cut = chance * _CUT / count
    power: tuple[Masses, float] | None = _one_law(mechanism, cut)
    total: tuple[Masses, float] | None = None
    left = count
    while left:
        if power is None:
            return None
        if left % 2:
            total = power if total is None else _added(total, power, cut)
            if total is None:
                return None
        left //= 2
        power = _added(power, power, cut) if left else power
    assert total is not None
    masses, lost = total
    middle = len(masses) // 2
    outside = np.append(2 * np.cumsum(masses[:middle])[::-1], 0.0) * (1 + 1e-9) + lost
    return int(np.argmax(outside <= chance)) if outside[-1] <= chance else None


@lru_cache(maxsize=256)
def _one_law(mechanism: AdditiveMechanism, cut: float) -> tuple[Masses, float] | None:
    """The masses of one noise between −k and k, from above, and what lies beyond; None if k is too large."""
    with precision(128):
        law, reach = mechanism.noise, 1
        while not law.outside(reach) <= ball(cut):
            reach *= 2
            if reach > _LONGEST:
                return None
        half = np.array([upper(law.mass(step)) for step in range(reach + 1)])
        return np.concatenate([half[:0:-1], half]), upper(law.outside(reach))


def _added(one: tuple[Masses, float], other: tuple[Masses, float], cut: float) -> tuple[Masses, float] | None:
    """The law of a sum, cut where less than `cut` lies beyond; None if it is too wide."""
    if len(one[0]) + len(other[0]) > 4 * _LONGEST:
        return None
    masses = np.convolve(one[0], other[0])
    middle = len(masses) // 2
    beyond = 2 * np.cumsum(masses[:middle])
    drop = int(np.searchsorted(beyond, cut))  # so many masses on either side together are no more than that
    lost = one[1] + other[1] + (float(beyond[drop - 1]) * (1 + 1e-9) if drop else 0.0)
    kept = masses[drop : len(masses) - drop]
    return None if len(kept) > 2 * _LONGEST else (kept, lost * (1 + 1e-9))


def geometric_sum(noises: Alike, beta: Fraction) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta for two-sided geometric Zᵢ; ∞ if beta is 0.

    With a = exp(−1/s) it holds that P(Z ≥ k) = aᵏ/(1 + a), which is P(L ≥ k − δ) for a Laplace variable of scale s and
    δ = s·log(2/(1 + a)) ≤ 1/2. So with equal quantiles Z is k ≥ 1 where L is in [k − δ, k + 1 − δ), and 0 where |L| <
    1 − δ: Z − L lies within 1 − δ of 0, and is symmetric. Or Chernoff's bound: E e^(λZ) = (1 − a)²/((1 − ae^λ)(1 −
    ae^(−λ))) for |λ| < 1/s.
    """
    if beta <= 0:
        return math.inf
    laplace = Counter[Fraction]()
    widths = []
    for mechanism, factor, count in noises:
        assert isinstance(mechanism, Geometric)
        laplace[factor * mechanism.scale] += count
        widths.append((factor, _width(mechanism.scale), count))
    scales = tuple(sorted(laplace.items()))
    return min(_chernoff(noises, beta), _near(lambda chance: laplace_sum(scales, chance), widths, beta))


@lru_cache(maxsize=1024)
def _width(scale: Fraction) -> Fraction:
    """How far geometric noise may lie from the Laplace variable of its quantile: 1 − δ."""
    with precision(96):
        return Fraction(upper(1 - ball(scale) * (2 / (1 + (-1 / ball(scale)).exp())).log()))


def _near(
    radius_of_continuous: Callable[[Fraction], float],
    widths: Sequence[tuple[Fraction, Fraction | int, int]],
    beta: Fraction,
) -> float:
    """A radius of Σ cᵢ(Xᵢ + Rᵢ), from that of Σ cᵢXᵢ, for symmetric Rᵢ that are within wᵢ of 0.

    Either |Σ cᵢRᵢ| ≤ Σ cᵢwᵢ, always; or it stays within t but for 2·exp(−t²/2Σcᵢ²wᵢ²)  [Hoe63, Thm 2].
    """
    always = sum((factor * width * count for factor, width, count in widths), Fraction(0))
    squares = sum(((factor * width) ** 2 * count for factor, width, count in widths), Fraction(0))
    with precision(96):
        mostly = upper((2 * ball(squares) * (2 / ball(beta * _PART)).log()).sqrt())
    if mostly < always:
        whole = radius_of_continuous(beta * (1 - _PART))
        return whole if math.isinf(whole) else float_above(Fraction(whole) + Fraction(mostly))
    whole = radius_of_continuous(beta)
    return whole if math.isinf(whole) else float_above(Fraction(whole) + always)


def _chernoff(noises: Alike, beta: Fraction) -> float:
    """The least (log(2/beta) + Σ log E e^(λcZ))/λ over some λ, where E e^(λZ) = 1/(1 − sinh²(λ/2)/sinh²(1/2s)).

    All its parts are positive, found by few operations in floats, and rounded up by far more than these may err.
    """
    top = max(mechanism.scale * factor for mechanism, factor, _ in noises)  # type: ignore[attr-defined]
    logs = np.full(len(_SHARES), math.log(2) + math.log(beta.denominator) - math.log(beta.numerator))
    with np.errstate(all="ignore"):
        for mechanism, factor, count in noises:
            scale = max(float(mechanism.scale), _NARROW)  # type: ignore[attr-defined]
            rates = _SHARES * float(min(factor / top, _STEEP))
            logs -= count * np.log1p(-((np.sinh(rates / 2) / np.sinh(0.5 / scale)) ** 2) * (1 + 1e-12))
    best = np.min(logs / _SHARES, initial=np.inf, where=np.isfinite(logs))  # narrower noises than that may leave none
    return float_above(Fraction(float(best) * (1 + 1e-9)) * top) if best < np.inf else math.inf


def _near_gaussian(mechanism: AdditiveMechanism) -> bool:
    """Whether `gaussian_sum` takes it: discrete Gaussian noise of scale 1 or more, or Gaussian noise in whole steps."""
    if type(mechanism) is Gaussian:
        return mechanism.lattice == INTEGERS
    return type(mechanism) is DiscreteGaussian and mechanism.scale >= 1


def gaussian_sum(noises: Alike, beta: Fraction) -> float:
    """An r with P[|Σ cᵢZᵢ| > r] ≤ beta for noises that are `_near_gaussian`; ∞ if beta is 0.

    Rounded Gaussian noise lies within half a step of the Gaussian. Discrete Gaussian Zᵢ of scale 1 or more lies
    within one step of a Gaussian Gᵢ of the same scale when both have the same quantile: for k ≥ 1 it holds that P(G
    ≥ k) ≤ P(Z ≥ k) ≤ P(G ≥ k − 1). With f(x) = exp(−x²/2σ²) the right side is Σ_{j≥k} f(j) ≤ ∫_{k−1} f and that the
    sum over all integers is at least σ√(2π), by Poisson summation. It is more by the part t = 2Σ exp(−2π²σ²m²) <
    10⁻⁸; and Σ_{j≥k} f(j) exceeds ∫_k f by more than that part, since ∫_j^{j+1} f ≤ f(j)·(1 − exp(−x))/x with x =
    j/σ², which is below (1 − x/3)·f(j) for x ≤ 1 and below 0.64·f(j) beyond, and t < 1/3σ² ≤ x/3 for every σ ≥ 1.
    So the sum is a Gaussian one, give or take what `_near` says. Or Chernoff's bound: Z has no larger moments
    e^(λZ) than G [CKS20, Lem 22]; the rounded G has E e^(λZ) = e^(λ²σ²/2)·sinh(λ/2)/(λ/2)·(1 + r), by Poisson
    summation, where |r| ≤ λ·t with t = q/(1 − q)/π, q = e^(−2π²σ²), and sinh(x)/x ≤ e^(x²/6). So log E e^(λZ) ≤
    λ²(σ² + 1/12)/2 + λt, and the bound is Σ cᵢtᵢ + √(2V·log(2/beta)), V = Σ cᵢ²(σᵢ² + 1/12).
    """
    if beta <= 0:
        return math.inf
    squares = sum((factor**2 * mechanism.scale**2 * n for mechanism, factor, n in noises), Fraction(0))  # type: ignore[attr-defined]
    rounded = [(mechanism, factor, n) for mechanism, factor, n in noises if type(mechanism) is Gaussian]
    widths = [(factor, _HALF if type(mechanism) is Gaussian else 1, count) for mechanism, factor, count in noises]
    wider = squares + sum((factor**2 * n for _, factor, n in rounded), Fraction(0)) / 12

    def near(chance: Fraction) -> float:
        with precision(192):
            return upper(ball(Fraction(normal_radius(chance))) * (2 * ball(squares)).sqrt())

    with precision(192):
        slants = sum((ball(factor * n) * _slant(mechanism.scale) for mechanism, factor, n in rounded), ball(0))
        chernoff = upper(slants + (2 * ball(wider) * (2 / ball(beta)).log()).sqrt())
    return min(chernoff, _near(near, widths, beta))


def _slant(scale: Fraction) -> arb:
    """q/(1 − q)/π with q = e^(−2π²σ²), at the working precision."""
    return 1 / ((2 * arb.pi() ** 2 * ball(scale) ** 2).expm1() * arb.pi())


@lru_cache(maxsize=1024)
def normal_radius(beta: Fraction) -> float:
    """An x with erfc(x) ≤ beta, for beta > 0."""
    low, high = 0.0, 2.0 * math.sqrt(math.log(beta.denominator) - math.log(beta.numerator) + 1)
    with precision(192):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if erfc(ball(Fraction(middle))) <= ball(beta) else (middle, high)
    return high


def laplace_sum(scales: tuple[tuple[Fraction, int], ...], beta: Fraction) -> float:
    """An r with P[|Σ Lᵢ| > r] ≤ beta for independent Laplace variables, of each scale so many; ∞ if beta is 0.

    By inversion of the characteristic function, where it falls fast enough. Otherwise, with distinct scales, it is
    ∏ 1/(1 + sᵢ²t²) = Σ Aᵢ/(1 + sᵢ²t²), Aᵢ = ∏ⱼ sᵢ²/(sᵢ² − sⱼ²), so the tail is Σ Aᵢ·exp(−r/sᵢ), exactly. Scales that
    are nearly equal are raised until they differ by a thousandth, which makes a sum of these continuous, unimodal laws
    less peaked  [Bir48]; of many the tail is bounded. The search starts where each stays within its own part of beta,
    and takes a smaller r only when its tail is proven: it ends, however many terms cancel.
    """
    if beta <= 0:
        return math.inf
    by_waves = laplace_radius(scales, beta)
    if by_waves is not None:
        return by_waves
    size = sum(count for _, count in scales)
    top, many = max(scale for scale, _ in scales), size > _MOST_TERMS
    parts = [scale / top for scale, count in scales for _ in range(count)]
    parts = parts if many else _apart(parts)
    surprise = math.log(size) + math.log(beta.denominator) - math.log(beta.numerator)
    low, high = 0.0, float(sum(parts)) * (surprise + 1)
    # a weight has some ten bits for each term, and they cancel down to beta
    with precision(96 + (0 if many else 12 * len(parts)) + 2 * math.ceil(surprise)):
        tail = _mixture(parts, beta) if many else _tail(parts)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if tail(middle) <= ball(beta) else (middle, high)
    return float_above(Fraction(high) * top)


def _apart(scales: list[Fraction]) -> list[Fraction]:
    """Scales that are no smaller and differ by a thousandth at least."""
    raised = [Fraction(0)]
    for scale in sorted(scales):
        raised.append(Fraction(float_above(max(scale, raised[-1] * Fraction(_APART)))))
    return raised[1:]


def _tail(scales: list[Fraction]) -> Callable[[float], arb]:
    """The tail of a sum with distinct scales."""
    balls = [ball(scale) for scale in scales]
    squares = [scale**2 for scale in balls]
    weights = [
        math.prod((mine / (mine - other) for other in squares if other is not mine), start=ball(1)) for mine in squares
    ]

    def tail(r: float) -> arb:
        below = -ball(r)
        return sum((weight * (below / scale).exp() for weight, scale in zip(weights, balls, strict=True)), ball(0))

    return tail


def _mixture(scales: list[Fraction], beta: Fraction) -> Callable[[float], arb]:
    """No less than the tail of Σ Lᵢ: a Gaussian one whose variance V = Σ 2sᵢ²Eᵢ is a sum of exponential variables.

    P[|Σ Lᵢ| > r] = E h(V) with h(v) = erfc(r/√(2v)), which grows in v: at most h(v₁) + Σⱼ (h(vⱼ₊₁) − h(vⱼ))·P[V > vⱼ]
    + P[V > vₘ], where P[V > v] ≤ exp(−θv)·∏ 1/(1 − 2θsᵢ²) for each θ.
    """
    squares = Counter(2 * scale**2 for scale in scales)
    largest, mean = ball(max(squares)), ball(sum((one * count for one, count in squares.items()), Fraction(0)))
    rates = [ball(Fraction(2)) ** ball(Fraction(-rate, 4)) / largest for rate in range(1, _RATES)]
    logs = [sum((-count * (1 - rate * ball(one)).log() for one, count in squares.items()), ball(0)) for rate in rates]
    far = min(
        (upper((log - ball(beta * Fraction(1, 1000)).log()) / rate) for log, rate in zip(logs, rates, strict=True))
    )
    span = ball(far) / mean
    points = [mean * span ** ball(Fraction(step, _LAYERS)) for step in range(_LAYERS + 1)]
    chances = [
        min(1.0, *(upper((log - rate * point).exp()) for log, rate in zip(logs, rates, strict=True)))
        for point in points
    ]

    def tail(r: float) -> arb:
        heights = [erfc(ball(r) / (2 * point).sqrt()) for point in points]
        layers = zip(heights, heights[1:], chances, strict=False)
        return heights[0] + sum(((next_ - one) * chance for one, next_, chance in layers), ball(chances[-1]))

    return tail
