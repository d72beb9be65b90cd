"""How far a sum of independent noises may lie from 0, by the inversion of its characteristic function.

For a law on the integers with characteristic function φ, and any N: the chance that its remainder modulo N, taken
nearest to 0, is within r is (1/N)·Σⱼ φ(2πj/N)·sin((2r + 1)πj/N)/sin(πj/N), the sum over 0 ≤ j < N, exactly. The chance
that the number itself is within r is less by at most P[|X| ≥ N − r]. Likewise on the line with a period T: P[|X| ≤ r]
is at least 2r/T + Σⱼ (2/πj)·φ(2πj/T)·sin(2πjr/T) − P[|X| ≥ T − r], by Poisson's summation formula. φ is positive and
falls here, so few j matter, and what is left out is bounded. Of an argument of sin whole turns are left out in
integers; then a term errs by some 20 units in the last place over j: φⁿ = e^(−x) errs by a few units times x·e^(−x) <
1/2, since x is found with a relative error of a few units, and for Gaussian noise n units more. `_rounding` is above
all of them together.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms import AdditiveMechanism, DiscreteGaussian, Gaussian, Geometric
from dalenius.noise.lattice import INTEGERS

Floats = NDArray[np.float64]
_LEAST_BETA = Fraction(1, 10**9)
_FAR = 1e-6
"""The part of beta that may lie a whole period away."""
_NOTHING = 1e-17
_MOST_WAVES = 8192
_LASTS = np.unique(np.geomspace(1, _MOST_WAVES, 64).round())
_STEPS = 2**16
_LARGEST = 2**40
_RATES = np.exp2(-np.arange(1, 48) / 4)
_UP = 1 + 1e-9
"""Floats computed in a few dozen operations on positive numbers are within this factor of what they stand for."""


@lru_cache(maxsize=8192)
def equal_radius(mechanism: AdditiveMechanism, count: int, beta: Fraction) -> int | None:
    """An r with P[|Z₁ + … + Zₙ| > r] ≤ beta, the least but for 10⁻⁶ of beta; None if it takes too many waves.

    Two-sided geometric noise has φ(t) = 1/(1 + 4S²·sin²(t/2)) with S = 1/(2·sinh(1/2s)). Discrete Gaussian noise has
    φ(t) = Σₘ exp(−σ²(t + 2πm)²/2)/Σₘ exp(−2π²σ²m²), a theta function, which falls on [0, π]; for σ ≥ 1 both sums have
    what floats can show in |m| ≤ 2. Gaussian noise rounded to whole steps has φ(t) = Σₘ exp(−σ²(t + 2πm)²/2)·sin(t/2 +
    πm)/(t/2 + πm), the transform of its density times that of a step, at all t that look alike on the integers. Of it
    m = 0 and −1 matter for σ ≥ 1, the others are below 10⁻⁸ of these; on (0, π) the log of their sum has the slope −σ²t
    + 2πσ²p + (cot(t/2)/2 − 1/t) + p·2π/t(2π − t), p = (1 + e^(2πσ²(π − t))·(2π − t)/t)⁻¹ ≤ t/2π the part of m = −1,
    which is below 0: it falls as well.
    """
    if beta < _LEAST_BETA or beta >= 1:
        return None
    if type(mechanism) is Geometric:
        scale = float(mechanism.scale)
        if not 0.05 <= scale <= _LARGEST:
            return None
        squares = 1.0 / (2 * math.sinh(0.5 / scale)) ** 2
        surprises = _geometric(squares, count)
        far = _reach(_RATES / scale, -count * np.log1p(-4 * squares * np.sinh(_RATES / scale / 2) ** 2), beta)
    elif type(mechanism) is DiscreteGaussian:
        scale = float(mechanism.scale)
        if not 1 <= scale <= _LARGEST:
            return None
        surprises = _gaussian(scale, count)
        chance = math.log(2 / float(beta) / _FAR)
        far = _UP * scale * math.sqrt(2 * count * chance)  # no larger moments e^(λZ) than the Gaussian  [CKS20, Lem 22]
    elif type(mechanism) is Gaussian and mechanism.lattice == INTEGERS:
        scale = float(mechanism.scale)
        if not 1 <= scale <= _LARGEST:
            return None
        surprises = _rounded_gaussian(scale, count)
        chance = math.log(2 / float(beta) / _FAR)
        # log E e^(λZ) ≤ λ²(σ² + 1/12)/2 + 10⁻⁸λ: see `sum_radius.gaussian_sum`
        far = _UP * math.sqrt((scale**2 + 1 / 12) * 2 * count * chance) + 1e-8 * count
    else:
        return None
    if not far < _LARGEST:
        return None
    period = 2 * math.ceil(far) + 2
    waves = _waves(lambda j: surprises(2 * np.pi * j / period), period // 2)
    if waves is None:
        return None
    return _least_step(waves, math.ceil(far), float(beta) * (1 - _FAR) - _rounding(count), surprises)


def _rounding(count: int) -> float:
    """What floats may have got wrong in the whole sum over at most 2¹³ waves."""
    return 1e-12 + 1e-15 * count


def _geometric(squares: float, count: int) -> Callable[[Floats], Floats]:
    return lambda t: np.asarray(count * np.log1p(4 * squares * np.sin(t / 2) ** 2))


def _gaussian(scale: float, count: int) -> Callable[[Floats], Floats]:
    def surprises(t: Floats) -> Floats:
        turns = 2 * np.pi * np.arange(-2, 3)[:, None]
        # divided by the term of m = 0, so that nothing is lost to underflow
        rest = np.exp(-(scale**2) * (turns * (turns + 2 * t)) / 2).sum(axis=0)
        whole = np.exp(-(scale**2) * turns**2 / 2).sum()
        return np.asarray(count * (scale**2 * t**2 / 2 - np.log(rest / whole)))

    return surprises


def _rounded_gaussian(scale: float, count: int) -> Callable[[Floats], Floats]:
    def surprises(t: Floats) -> Floats:
        m = np.arange(-2, 3)[:, None]
        turns = 2 * np.pi * m
        # divided by the term of m = 0: (−1)^m·exp(…)·t/(t + 2πm), as sin(t/2 + πm) = (−1)^m·sin(t/2)
        rest = ((-1.0) ** m * np.exp(-(scale**2) * (turns * (turns + 2 * t)) / 2) * (t / (t + turns))).sum(axis=0)
        return np.asarray(count * (scale**2 * t**2 / 2 - np.log(np.sinc(t / 2 / np.pi) * rest)))

    return surprises


def _reach(rates: Floats, moments: Floats, beta: Fraction) -> float:
    """Chernoff's bound: an R with P[|X| > R] ≤ beta·10⁻⁶, from log E e^(λX) at some λ."""
    with np.errstate(all="ignore"):
        reached = (math.log(2 / float(beta) / _FAR) + moments) / rates
    return float(np.nanmin(reached)) * _UP


def _waves(surprises: Callable[[Floats], Floats], most: int) -> Floats | None:
    """The j = 1, 2, … up to one at which φ is nothing, or up to all; None if these are too many. φ falls."""
    last = _LASTS[most > _LASTS]
    nothing = surprises(last) >= -math.log(_NOTHING)
    if nothing.any():
        return np.arange(1, last[np.argmax(nothing)] + 1)
    return np.arange(1.0, most + 1) if most <= _MOST_WAVES else None


def _least_step(waves: Floats, most: int, chance: float, surprises: Callable[[Floats], Floats]) -> int | None:
    """The least r ≤ `most` that is proven; every wave counts twice, as j and as N − j, but for the one at N/2."""
    period = 2 * most + 2
    angles = np.pi * waves / period
    heights = 2 * np.exp(-surprises(2 * angles)) / (np.sin(angles) * period)
    if len(waves) and 2 * int(waves[-1]) == period:
        heights[-1] /= 2
    # the waves beyond the last have φ < 10⁻¹⁷ each: all N of them weigh no more than their kernel, at most 1/sin
    left_out = _NOTHING / math.sin(angles[-1]) if len(waves) else 1.0
    numbers = waves.astype(np.int64)

    def proven(r: NDArray[np.int64]) -> NDArray[np.bool_]:
        turned = (numbers[None, :] * (2 * r[:, None] + 1)) % (2 * period)
        inside = (2 * r + 1) / period + (heights * np.sin(np.pi * turned / period)).sum(axis=1)
        return np.asarray(1 - inside + left_out <= chance)

    return _first(proven, most, len(waves))


def _first(proven: Callable[[NDArray[np.int64]], NDArray[np.bool_]], most: int, width: int) -> int | None:
    """The least number up to `most` at which it is proven, by a search that looks at several places at a time."""
    ways = max(2, min(32, 4096 // max(1, width)))
    low, high = 0, most
    if not proven(np.array([most]))[0]:
        return None
    while low < high:
        places = np.linspace(low, high - 1, min(ways, high - low - 1) + 1).astype(np.int64)
        good = proven(places)
        first = int(np.argmax(good)) if good.any() else len(places)
        high = int(places[first]) if first < len(places) else high
        low = int(places[first - 1]) + 1 if first else low
    return high


@lru_cache(maxsize=8192)
def laplace_radius(scales: tuple[tuple[Fraction, int], ...], beta: Fraction) -> float | None:
    """An r with P[|Σ Lᵢ| > r] ≤ beta for independent Laplace variables, of each scale so many.

    Then it holds for all that have smaller scales, too: the laws are unimodal, so a sum gets more peaked  [Bir48].
    φ(t) = ∏ (1 + sᵢ²t²)⁻¹. Beyond u = 2πJ/T it falls at least as (u/t)^2q with q = Σ sᵢ²u²/(1 + sᵢ²u²), so all waves
    beyond J weigh Σ (2/πj)·φ(2πj/T) ≤ φ(u)/πq.
    """
    if beta < _LEAST_BETA or beta >= 1:
        return None
    top = max(scale for scale, _ in scales)
    sizes = np.array([max(float(scale / top), _NOTHING) for scale, _ in scales]) * _UP
    counts = np.array([count for _, count in scales], np.float64)
    squares = sizes**2

    def surprises(t: Floats) -> Floats:
        return np.asarray(counts @ np.log1p(squares[:, None] * t**2))

    rates = _RATES / _UP
    far = _reach(rates, -(counts @ np.log1p(-squares[:, None] * rates**2)), beta)
    period = 2 * far
    waves = _waves(lambda j: surprises(2 * np.pi * j / period), _LARGEST)
    if waves is None:
        return None
    heights = 2 * np.exp(-surprises(2 * np.pi * waves / period)) / (np.pi * waves)
    last = squares * (2 * math.pi * len(waves) / period) ** 2
    left_out = _NOTHING / (math.pi * float(counts @ (last / (1 + last)))) * _UP
    chance, numbers = float(beta) * (1 - _FAR) - _rounding(int(counts.sum())), waves.astype(np.int64)

    def proven(steps: NDArray[np.int64]) -> NDArray[np.bool_]:
        turned = (numbers[None, :] * steps[:, None]) % (2 * _STEPS)
        inside = steps / _STEPS + (heights * np.sin(np.pi * turned / _STEPS)).sum(axis=1)
        return np.asarray(1 - inside + left_out <= chance)

    steps = _first(proven, _STEPS, len(waves))
    return None if steps is None else steps / _STEPS * far * float(top) * _UP
