"""The noise of a released number, in the number's own units, as floats: what an inference convolves and simulates."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import AdditiveMechanism, TulapLaw
from dalenius.noise import Bits, DiscreteGaussian, DiscreteLaplace, RoundedGaussian, RoundedLaplace, SymmetricLaw
from dalenius.numerics import ball, precision

Floats = NDArray[np.float64]
_TABLE = 4096
_NARROW = 16
"""Beyond so many steps Gaussian noise of a scale below one has less than floats can show."""


@dataclass(frozen=True, slots=True)
class ReleaseNoise:
    """`step` · Z with Z drawn from `law`: released value = true value + noise.

    >>> from dalenius.mechanisms import Geometric
    >>> round(float(ReleaseNoise.of(Geometric(1)).below(np.array([0.0]))[0]), 6)
    0.731059
    """

    law: SymmetricLaw
    step: Fraction = Fraction(1)
    rounded: bool = True
    """Whether a continuous law was rounded to its lattice: so it is in a release, not in a number from elsewhere."""

    @classmethod
    def of(cls, mechanism: AdditiveMechanism, step: Fraction = Fraction(1), rounded: bool = True) -> "ReleaseNoise":
        """The noise that a mechanism adds, in units of `step` times its own."""
        if not isinstance(mechanism, AdditiveMechanism):
            raise InvalidParameter(
                f"mechanism must add noise of one law, such as Geometric or Laplace, got {type(mechanism).__name__}"
            )
        return cls(mechanism.noise, step, rounded)

    @property
    def spacing(self) -> float:
        """The distance between neighboring values of the noise."""
        return float(self.step * self.law.lattice.step)

    @property
    def integral(self) -> bool:
        """Whether the noise is a whole number."""
        return self.step * self.law.lattice.step == 1

    @property
    def variance(self) -> float:
        """Var of the noise."""
        return _variance(self.law) * float(self.step) ** 2

    @property
    def fourth_cumulant(self) -> float:
        """κ₄: v + 3v² for geometric noise, 3v² for Laplace noise, 0 for Gaussian noise; of others the Laplace figure.

        A two-sided geometric number is the difference of two geometric ones, of which each has κ₄ = κ₂ + 6κ₂². Rounding
        Gaussian noise adds a uniform number's −step⁴/120. Gaussian noise of a scale below one step has that of its
        masses, which is near v where hardly any other than 0 and ±1 is drawn.
        """
        v = self.variance
        if isinstance(self.law, DiscreteGaussian | RoundedGaussian):
            narrow = self.law.scale < self.law.lattice.step
            even = -1 / 120 if isinstance(self.law, RoundedGaussian) else 0.0
            return (_fourth_cumulant(self.law) if narrow else even) * self.spacing**4
        return 3 * v * v + (v * self.spacing**2 if isinstance(self.law, DiscreteLaplace) else 0.0)

    def below(self, z: Floats) -> Floats:
        """P[noise ≤ z] for each z."""
        # a number computed as a multiple of the spacing must not fall below it by a rounding
        steps = np.asarray(z, np.float64) / self.spacing
        if isinstance(self.law, RoundedLaplace | RoundedGaussian | TulapLaw):
            steps = np.floor(steps + 1e-9) + 0.5 if self.rounded else steps
        else:
            steps = np.floor(steps + 1e-9)
        for law, cdf in _CDFS:
            if isinstance(self.law, law):
                return cdf(self.law, steps)
        return _of_tail(self.law, steps)

    def reach(self, beta: float) -> float:
        """A radius that the noise exceeds with probability at most beta."""
        return float(self.law.radius(Fraction(beta)) * self.step)

    @property
    def largest_rate(self) -> float:
        """Below which rate s the noise has a finite E e^(s·noise); refused where no bound on it is proved."""
        if isinstance(self.law, DiscreteLaplace | RoundedLaplace):
            return float(1 / (self.law.scale * self.step))
        if isinstance(self.law, DiscreteGaussian | RoundedGaussian):
            return math.inf
        raise UnprovenClaim("the guaranteed form is for Laplace, geometric and Gaussian noise")

    def log_mgf(self, rate: float) -> float:
        """Log E e^(rate·noise), at most; ∞ from `largest_rate` on.

        −log(1 − v(cosh s − 1)) for geometric noise with variance v, in steps; −log(1 − s²b²) for Laplace, s²σ²/2 for
        Gaussian noise, of which rounding takes half a step more, or what `_rounded_moment` says; the discrete one
        has no more than that  [CKS20].
        """
        s = abs(rate)
        if s >= self.largest_rate:
            return math.inf
        if isinstance(self.law, DiscreteLaplace):
            grown = _variance(self.law) * 2 * math.sinh(s * self.spacing / 2) ** 2
            return -math.log1p(-grown) if grown < 1 else math.inf
        scale = float(self.law.scale * self.step)  # type: ignore[attr-defined]
        if isinstance(self.law, RoundedLaplace):
            return -math.log1p(-((s * scale) ** 2)) + s * self.spacing / 2
        rounding = _rounded_moment(self.law, s * self.spacing) if isinstance(self.law, RoundedGaussian) else 0.0
        return (s * scale) ** 2 / 2 + rounding

    def log_density(self) -> Callable[[float], float]:
        """The log of the mass or density at z, but for a constant, as a function of z: −|z|/b or −z²/2σ².

        Where a step is not small beside the scale, a law that was rounded has the masses of its cells.
        """
        if isinstance(self.law, RoundedGaussian) and self.law.units < _TABLE:
            return _cell_of_gaussian(float(self.law.units), self.spacing)
        if isinstance(self.law, DiscreteLaplace | RoundedLaplace):
            scale = float(self.law.scale * self.step)
            if isinstance(self.law, DiscreteLaplace) or self.law.units >= _TABLE:
                return lambda z: -abs(z) / scale
            q = math.exp(-self.spacing / scale / 2)  # the cell of 0 has 1 − q, that of k has (1/q − q)/2·q^2k
            return lambda z: -abs(z) / scale + (math.log(2 * q / (1 + q)) if abs(z) < self.spacing / 2 else 0.0)
        if isinstance(self.law, DiscreteGaussian | RoundedGaussian):
            sigma = float(self.law.scale * self.step)
            return lambda z: -((z / sigma) ** 2) / 2
        raise UnprovenClaim("a posterior is for Laplace, geometric and Gaussian noise")

    def draw(self, bits: Bits, size: int) -> Floats:
        """`size` independent draws of the exact law."""
        return np.asarray(self.law.steps(bits, size) * self.spacing, np.float64)

    def masses(self) -> tuple[int, Floats]:
        """The largest |k| kept and the masses of −k, …, k, for whole noise; what is cut off is below 1e-15."""
        if not self.integral:
            raise InvalidParameter("only whole noise has a table of masses")
        k = math.ceil(self.reach(1e-15))
        if k > 2_000_000:
            raise InvalidParameter("the noise is too wide for a table of its masses: ask with a larger ε")
        tails = self.below(-np.arange(0, k + 2, dtype=np.float64))
        right = tails[:-1] - tails[1:]
        return k, np.concatenate([right[:0:-1], right])


@lru_cache(maxsize=256)
def _variance(law: SymmetricLaw) -> float:
    return law.variance


@lru_cache(maxsize=256)
def _fourth_cumulant(law: SymmetricLaw) -> float:
    """E K⁴ − 3(E K²)² of K in steps, from the masses of a law that is narrower than a step."""
    with precision(128):
        masses = [law.mass(step) for step in range(1, _NARROW)]
        second, fourth = (2 * sum((mass * k**n for k, mass in enumerate(masses, 1)), ball(0)) for n in (2, 4))
        return float((fourth - 3 * second**2).mid())


def _rounded_moment(law: RoundedGaussian, s: float) -> float:
    """How much log E e^(sK), K = round(Z) in steps, exceeds s²σ²/2, at most.

    Half a step, always. Or by Poisson summation: E e^(sK) = e^(s²σ²/2) · sinh(x)/x · (1 + r), x = s/2, where the m-th
    wave has a part of |x/(πm + ix)|·e^(−2π²m²σ²) in r, so that |r| ≤ (s/π)·q/(1 − q) with q = e^(−2π²σ²).
    """
    x, q = s / 2, math.exp(-2 * math.pi**2 * float(law.units) ** 2)
    if x == 0 or q >= 1:
        return x
    spread = x + math.log(-math.expm1(-2 * x) / (2 * x)) if x > 1e-4 else x * x / 6
    return min(x, max(spread, 0.0) * (1 + 1e-9) + 1e-15 + s / math.pi * q / (1 - q))


def _cell_of_gaussian(sigma: float, spacing: float) -> Callable[[float], float]:
    """The log of Φ((k + ½)/σ) − Φ((k − ½)/σ) at k = z/spacing, from the tails on one side of 0."""

    def log_mass(z: float) -> float:
        k = abs(z) / spacing
        near, far = special.log_ndtr(np.array([0.5 - k, -0.5 - k]) / sigma)
        return float(near + np.log(-np.expm1(far - near)))

    return log_mass


def _discrete_laplace(law: Any, steps: Floats) -> Floats:
    """1 − a^(k+1)/(1 + a) for k ≥ 0 and a^(−k)/(1 + a) below, a = e^(−1/scale)."""
    rate = float(1 / law.scale)
    tail: Floats = np.exp(-rate * np.where(steps >= 0, steps + 1, -steps)) / (1 + math.exp(-rate))
    return np.asarray(np.where(steps >= 0, 1 - tail, tail))


def _discrete_gaussian(law: Any, steps: Floats) -> Floats:
    """By its masses while these are few; beyond, by Poisson summation, ϕ at the half step is off by < e^(−2π²σ²)."""
    sigma = float(law.scale)
    if sigma > _TABLE / 16:
        return np.asarray(special.ndtr((steps + 0.5) / sigma))
    k = np.arange(-_TABLE, _TABLE + 1)
    weights = np.exp(-0.5 * (k / sigma) ** 2)
    sums = np.concatenate([[0.0], np.cumsum(weights)]) / weights.sum()
    negative = np.minimum(steps, -steps - 1)  # P[Z ≤ k] = 1 − P[Z ≤ −k − 1]
    tail = sums[np.clip(negative + _TABLE + 1, 0, 2 * _TABLE + 1).astype(np.intp)]
    return np.asarray(np.where(steps >= 0, 1 - tail, tail))


def _rounded_laplace(law: Any, steps: Floats) -> Floats:
    z = steps / float(law.units)
    tail = np.exp(-np.abs(z)) / 2
    return np.asarray(np.where(z >= 0, 1 - tail, tail))


def _rounded_gaussian(law: Any, steps: Floats) -> Floats:
    return np.asarray(special.ndtr(steps / float(law.units)))


def tulap_below(x: Floats, epsilon: float, delta: float = 0.0) -> Floats:
    """The cdf of Tulap(0, b, q), b = e^−ε, q = 2δb/(1 − b + 2δb), not rounded  [AS18].

    F₀(x) = b^(−[x]) (b + (x − [x] + ½)(1 − b))/(1 + b) for x ≤ 0, by symmetry above; with q > 0 the tails are cut.
    """
    b = math.exp(-epsilon)
    q = 2 * delta * b / (1 - b + 2 * delta * b)
    negative = -np.abs(np.asarray(x, np.float64))
    near = np.round(negative)
    tail = np.exp(epsilon * near) * (b + (negative - near + 0.5) * (1 - b)) / (1 + b)
    if q > 0:
        tail = np.clip((tail - q / 2) / (1 - q), 0.0, 1.0)
    return np.asarray(np.where(np.asarray(x) > 0, 1 - tail, tail))


def _tulap(law: Any, steps: Floats) -> Floats:
    z = steps * float(law.lattice.step / law.width)
    return tulap_below(z, float(law.epsilon), float(law.delta))


def _of_tail(law: SymmetricLaw, steps: Floats) -> Floats:
    """Of any symmetric law: 1 − P[|Z| > s]/2 above 0, P[|Z| > s − 1]/2 at −s."""
    step = law.lattice.step
    tails = [law.tail((int(s) if s >= 0 else -int(s) - 1) * step) / 2 for s in steps.ravel().tolist()]
    tail = np.array(tails).reshape(steps.shape)
    return np.asarray(np.where(steps >= 0, 1 - tail, tail))


_CDFS: tuple[tuple[type, Callable[[Any, Floats], Floats]], ...] = (
    (DiscreteLaplace, _discrete_laplace),
    (DiscreteGaussian, _discrete_gaussian),
    (RoundedLaplace, _rounded_laplace),
    (RoundedGaussian, _rounded_gaussian),
    (TulapLaw, _tulap),
)
