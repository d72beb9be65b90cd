"""The K-norm mechanism: noise that is as likely in every direction of a norm as the norm says."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from flint import arb

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import Integers, Mechanism
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.noise.rounded import RoundedLaplace
from dalenius.numerics import Number, ball, floor_of, positive, precision, probability, stored_fraction

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class KNorm(Mechanism):
    """Release x + Z, Z of density ∝ exp(−‖z‖ / scale) on R^d, rounded to a lattice  [HT10, AS21].

    The answer is a vector of whole steps of the lattice, so x + round(Z) = round(x + Z), a function of the continuous
    mechanism's output. In one dimension, and for ℓ1, this is the Laplace mechanism. The noise of A §6.1 is this one.

    >>> KNorm(Metric.LINF, Fraction(2)).guarantee(Sensitivity(1, Metric.LINF))
    PureDP(1/2)
    """

    metric: Metric
    scale: Fraction
    lattice: Lattice | None = None

    name: ClassVar[str] = "K-norm"

    def __post_init__(self) -> None:
        if Metric.of(self.metric) not in NORMS:
            raise InvalidParameter(f"metric must be a norm, ℓ1, ℓ2 or ℓ∞, got {self.metric!r}")
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        object.__setattr__(
            self, "lattice", RoundedLaplace(self.scale, self.lattice or Lattice.for_steps(self.scale)).lattice
        )

    def release(self, answer: Integers, bits: Bits) -> Integers:
        """The sum of answer and noise in steps of the lattice, held inside int64."""
        vector = np.asarray(answer)
        if vector.dtype.kind not in "iu" or vector.dtype == np.uint64 or vector.ndim != 1 or not vector.size:
            raise InvalidParameter("an answer must be a vector of int64, in steps of the lattice")
        noise = self.noise(bits, vector.size)
        held = [min(max(int(x) + z, _LEAST), _LARGEST) for x, z in zip(vector, noise, strict=True)]
        return np.array(held, np.int64)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = Δ/scale, Δ in this norm, since ‖y − x'‖ − ‖y − x‖ ≤ ‖x − x'‖  [A §6.1 objective perturbation, HT10]."""
        return PureDP(NORMS[self.metric].of_sensitivity(sensitivity) / self.scale, relation)

    def accuracy(self, beta: Number, dimension: int = 1) -> Fraction:
        """An r with P[‖released − answer‖ > r] ≤ beta, in this norm: a quantile of Gamma(d), and the rounding  [HT10].

        ‖Z‖/scale has density ∝ r^(d−1) e^−r. Rounding moves no coordinate by more than half a step.
        """
        chance = probability(beta, "beta")
        if chance == 0:
            raise InvalidParameter("beta must be > 0: no finite radius holds always")
        if isinstance(dimension, bool) or not isinstance(dimension, int) or dimension < 1:
            raise InvalidParameter(f"dimension must be a whole number ≥ 1, got {dimension!r}")
        return self.scale * _gamma_quantile(dimension, chance) + self._step / 2 * NORMS[self.metric].of_ones(dimension)

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`, on the same lattice: answers are counted in its steps."""
        return replace(self, scale=self.scale * positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """Δ/ε, in the norm of the sensitivity  [HT10]."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"KNorm is calibrated to PureDP, got {type(target).__name__}")
        if sensitivity.square == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves the answer, so it needs no noise")
        return cls(sensitivity.metric, sensitivity.value / positive(target.budget, "epsilon"))

    def facts(self) -> dict[str, str]:
        """Name, norm, scale and the exponent of the lattice."""
        exponent = Lattice.for_steps(self.scale).exponent if self.lattice is None else self.lattice.exponent
        return {"name": self.name, "metric": self.metric.value, "scale": str(self.scale), "lattice": str(exponent)}

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        return cls(Metric(facts["metric"]), stored_fraction(facts["scale"]), Lattice(int(facts["lattice"])))

    @property
    def _step(self) -> Fraction:
        assert self.lattice is not None
        return self.lattice.step

    def noise(self, bits: Bits, dimension: int) -> list[int]:
        """round(Z / step), of any size: digits are drawn until every coordinate's cell is settled."""
        norm = NORMS[self.metric]
        uniforms = [LazyUniform(bits) for _ in range(norm.uniforms(dimension))]
        units, vector = self.scale / self._step, [0] * dimension

        def question() -> bool | None:
            if any(uniform.digits == 0 for uniform in uniforms):  # a logarithm is not bounded yet
                return None
            for at, z in enumerate(norm.noise([uniform.ball for uniform in uniforms], dimension)):
                place = z * ball(units) + ball(Fraction(1, 2))
                if not place.is_finite():
                    return None
                first, last = floor_of(place)
                if first != last:
                    return None
                vector[at] = first
            return True

        settle(uniforms, question)
        return vector


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm: its noise of density ∝ exp(−‖z‖) as a function of uniforms, ‖(1, …, 1)‖ rounded up, its sensitivity."""

    uniforms: Callable[[int], int]
    noise: Callable[[list[arb], int], list[arb]]
    of_ones: Callable[[int], Fraction]
    of_sensitivity: Callable[[Sensitivity], Fraction]


def _taxicab(u: list[arb], d: int) -> list[arb]:
    """Independent Laplace coordinates, by inversion: log 2u in the lower half, −log 2(1−u) in the upper."""
    return [_laplace(x) for x in u]


def _laplace(x: arb) -> arb:
    if x < _HALF:
        return (2 * x).log()
    above = -(2 * (1 - x)).log()
    return above if x >= _HALF else above.union((2 * x).log())


def _cube(u: list[arb], d: int) -> list[arb]:
    """Radius Gamma(d + 1) times a point uniform in the cube [−1, 1]^d  [HT10]."""
    radius = -sum((x.log() for x in u[: d + 1]), arb(0))
    return [radius * (2 * x - 1) for x in u[d + 1 :]]


def _ball(u: list[arb], d: int) -> list[arb]:
    """Radius Gamma(d) times a uniform direction: a Gaussian vector, by Box and Muller, over its length."""
    radius = -sum((x.log() for x in u[:d]), arb(0))
    pairs = list(zip(u[d::2], u[d + 1 :: 2], strict=True))
    gaussian = [(-x.log()).sqrt() * trig for x, y in pairs for trig in (2 * y).sin_cos_pi()][:d]
    length = sum((g * g for g in gaussian), arb(0)).sqrt()
    return [radius * g / length for g in gaussian]


def _root_above(d: int) -> Fraction:
    return Fraction(math.isqrt(d << 64) + 1, 1 << 32)


_HALF = arb(0.5)
NORMS: dict[Metric, Norm] = {
    Metric.L1: Norm(lambda d: d, _taxicab, Fraction, lambda s: s.l1),
    Metric.L2: Norm(lambda d: d + 2 * ((d + 1) // 2), _ball, _root_above, lambda s: s.l2),
    Metric.LINF: Norm(lambda d: 2 * d + 1, _cube, lambda d: Fraction(1), lambda s: s.linf),
}


def _gamma_quantile(dimension: int, beta: Fraction) -> Fraction:
    """The least multiple r of 2⁻¹⁰ for which P[Gamma(d) > r] ≤ beta is proved."""

    def covers(steps: int) -> bool:
        with precision(128):
            r = ball(Fraction(steps, 1024))
            return bool(r.gamma_upper(dimension, regularized=1) <= ball(beta))

    low, high = -1, 1024
    while not covers(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if covers(middle) else (middle, high)
    return Fraction(high, 1024)
