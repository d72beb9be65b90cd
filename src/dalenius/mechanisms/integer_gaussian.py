"""Gaussian noise for whole answers at a price (ε, δ): rounded or discrete, whichever has the smaller variance.

Rounded noise has the exact curve of the continuous Gaussian mechanism, for vectors too  [A Thm 13.1, A Prop 3.1]; of a
vector of discrete noise ρ is proved alone  [CKS20, Thm 4], and its way to (ε, δ) loses some 7 % of the scale. Rounding
adds up to 1/12 to the variance, in steps, which is more than that where the scale is less than about one step.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from dalenius.calls import named_arguments
from dalenius.guarantees import GDP, ZCDP
from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.discrete_gaussian import DiscreteGaussian
from dalenius.mechanisms.gaussian import Gaussian
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, rational

Moves = Sequence[tuple[Sensitivity, Fraction]]
"""How far one unit moves each of several answers, in whole steps, and which share of the price each has."""
GaussianNoises = Callable[[Moves, Number, Number], Sequence[Gaussian] | Sequence[DiscreteGaussian]]
"""From answers and a price, (ε, δ), to the noise of each."""
_ONE = Sensitivity(1, Metric.L2)


@named_arguments
def least_gaussians(
    moves: Moves, epsilon: Number, delta: Number
) -> tuple[Gaussian, ...] | tuple[DiscreteGaussian, ...]:
    """The noise of several whole answers that together cost (ε, δ): all rounded, or all discrete.

    The kind with the smaller variances, by their product, is taken. Only prices and sensitivities decide it.
    """
    rounded, discrete = rounded_gaussians(moves, epsilon, delta), discrete_gaussians(moves, epsilon, delta)
    gain = sum(
        math.log(one.noise.variance / other.noise.variance) for one, other in zip(rounded, discrete, strict=True)
    )
    return rounded if gain <= 0 else discrete


def rounded_gaussians(moves: Moves, epsilon: Number, delta: Number) -> tuple[Gaussian, ...]:
    """Gaussian noise in whole steps: μ² of the whole by the exact profile, shared out  [A Thm 13.1, BW18, Thm 8].

    Squares of μ add up  [A §13.8 GDP composition].
    """
    square = _square(rational(epsilon, "epsilon"), rational(delta, "delta"))
    return tuple(Gaussian(_root(moved, square * share), INTEGERS) for moved, share in moves)


@named_arguments
def discrete_gaussians(moves: Moves, epsilon: Number, delta: Number) -> tuple[DiscreteGaussian, ...]:
    """Discrete Gaussian noise: ρ of the whole by Rényi divergences, shared out  [CKS20, Thm 4]."""
    rho = _rho(rational(epsilon, "epsilon"), rational(delta, "delta"))
    return tuple(DiscreteGaussian.least(moved, ZCDP(rho * share)) for moved, share in moves)


@named_arguments
def lone_discrete_gaussian(moves: Moves, epsilon: Number, delta: Number) -> tuple[DiscreteGaussian]:
    """`discrete_gaussians` for one answer, its scale found by a search of its own, which differs in the last digits.

    Earlier versions drew such noise where an answer stood alone, and its facts are how that answer is found again.
    """
    ((moved, _),) = moves
    return (_lone(moved, rational(epsilon, "epsilon"), rational(delta, "delta")),)


def _root(moved: Sensitivity, square: Fraction) -> Fraction:
    return Gaussian.least(moved, GDP.root(square)).scale


@lru_cache(maxsize=256)
def _lone(moved: Sensitivity, epsilon: Fraction, delta: Fraction) -> DiscreteGaussian:
    return calibrate(DiscreteGaussian, moved, epsilon=epsilon, delta=delta)


@lru_cache(maxsize=256)
def _square(epsilon: Fraction, delta: Fraction) -> Fraction:
    return 1 / calibrate(Gaussian, _ONE, epsilon=epsilon, delta=delta).scale ** 2


@lru_cache(maxsize=256)
def _rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    return 1 / (2 * calibrate(DiscreteGaussian, _ONE, epsilon=epsilon, delta=delta).scale ** 2)
