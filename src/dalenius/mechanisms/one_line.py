"""Noise in one line, for who needs only that: `laplace`, `gaussian` and `geometric` of a number or an array.

The value is rounded to the lattice that sensitivity and ε choose, never the value; rounding moves two neighbors apart
by at most a step a coordinate, which is added to the sensitivity. The rest is the mechanism of that name, exactly. No
ledger is charged: what is released is on the caller's account.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, html_table
from dalenius.guarantees import Guarantee
from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.gaussian import Gaussian
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.laplace import Laplace
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number, positive, rational

_MOST_STEPS = 2**62
_LEVEL = Fraction(1, 20)


@dataclass(frozen=True, slots=True, repr=False)
class NoisyValue:
    """A number or an array with noise, what was proved of it, and how far it may be off; charged to no ledger."""

    value: Any
    guarantee: Guarantee
    radius: float = field(default=0.0)
    """With probability 95 % every coordinate is within this of the value that was given."""

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.value, dtype)

    @escaped
    def __repr__(self) -> str:
        return f"{self.value} ± {self.radius:.3g} (95 %), cost {self.guarantee.cost}, charged to no ledger"

    def _repr_html_(self) -> str:
        rows = [(str(self.value), f"{self.radius:.3g}")]
        return html_table(["value", "± 95 %"], rows, [f"cost {self.guarantee.cost}, charged to no ledger"])


@named_arguments
def laplace(value: Any, *, sensitivity: Number, epsilon: Number, bits: Bits | None = None) -> NoisyValue:
    """A number, or an array, with Laplace noise  [A Thm 3.2].

    Args:
        value: what is to be released; an array is one answer of which `sensitivity` is the ℓ1 one.
        sensitivity: how far one person can move the value, from public knowledge.
        epsilon: what it costs.
        bits: where randomness comes from; by default the operating system's.

    >>> noisy = laplace(42.5, sensitivity=1, epsilon=1)
    >>> print(noisy.guarantee.cost)
    ε = 1
    """
    reach, price = positive(sensitivity, "sensitivity"), positive(epsilon, "epsilon")
    lattice = Lattice.under(reach / price)
    steps, shape = _steps(value, lattice)
    moved = Sensitivity(reach + len(steps) * lattice.step, Metric.L1)
    scale = calibrate(Laplace, moved, epsilon=price).scale
    return _noisy(Laplace(scale, lattice), moved, steps, shape, lattice, bits)


@named_arguments
def gaussian(
    value: Any, *, sensitivity: Number, epsilon: Number, delta: Number, bits: Bits | None = None
) -> NoisyValue:
    """A number, or an array, with Gaussian noise; `sensitivity` is the ℓ2 one. Arguments as of `laplace`, and δ."""
    reach, price = positive(sensitivity, "sensitivity"), positive(epsilon, "epsilon")
    slack = rational(delta, "delta")
    if not 0 < slack < 1:
        raise InvalidParameter(f"delta must lie in (0, 1) for Gaussian noise, got {delta}")
    lattice = Lattice.under(reach / price)
    steps, shape = _steps(value, lattice)
    moved = Sensitivity(reach + len(steps) * lattice.step, Metric.L2)  # √d steps would do
    scale = calibrate(Gaussian, moved, epsilon=price, delta=slack).scale
    return _noisy(Gaussian(scale, lattice), moved, steps, shape, lattice, bits)


@named_arguments
def geometric(value: Any, *, sensitivity: int = 1, epsilon: Number, bits: Bits | None = None) -> NoisyValue:
    """A whole number, or an array of such, with two-sided geometric noise, which stays whole  [D Thm 2.8].

    Args:
        value: what is to be released, of a whole type.
        sensitivity: how far one person can move it in ℓ1, a whole number.
        epsilon: what it costs.
        bits: where randomness comes from; by default the operating system's.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise InvalidParameter("geometric noise is for whole numbers: give an int, or use laplace")
    moved = Sensitivity(positive(sensitivity, "sensitivity"), Metric.L1)
    mechanism = calibrate(Geometric, moved, epsilon=positive(epsilon, "epsilon"))
    released = mechanism.release(array.reshape(-1).astype(np.int64), bits or Bits())
    return _answer(mechanism, moved, np.asarray(released), array.shape, int, 1)


def _steps(value: Any, lattice: Lattice) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """The value in steps of the lattice, to the nearest; a far one is held, NaN is 0: no value makes this fail."""
    array = np.asarray(value)
    if array.dtype.kind not in "iufb" or array.size == 0:
        raise InvalidParameter("noise is added to a number or an array of numbers")
    flat = [_nearest(one, lattice.step) for one in array.reshape(-1).tolist()]
    return np.array(flat, np.int64), array.shape


def _nearest(value: float, step: Fraction) -> int:
    if value != value:
        return 0
    if value in (float("inf"), float("-inf")):
        return _MOST_STEPS if value > 0 else -_MOST_STEPS
    return max(-_MOST_STEPS, min(_MOST_STEPS, round(Fraction(value) / step)))


def _noisy(
    mechanism: AdditiveMechanism,
    moved: Sensitivity,
    steps: NDArray[np.int64],
    shape: tuple[int, ...],
    lattice: Lattice,
    bits: Bits | None,
) -> NoisyValue:
    released = np.asarray(mechanism.release(steps, bits or Bits()))
    values = [float(int(one) * lattice.step) for one in released.reshape(-1)]
    return _answer(mechanism, moved, np.array(values), shape, float, lattice.step / 2)


def _answer(
    mechanism: AdditiveMechanism,
    moved: Sensitivity,
    values: NDArray[Any],
    shape: tuple[int, ...],
    kind: Callable[[Any], Any],
    rounding: Fraction | int,
) -> NoisyValue:
    radius = mechanism.accuracy(_LEVEL, max(1, values.size)) + (0 if kind is int else rounding)
    value = kind(values.reshape(-1)[0]) if shape == () else values.reshape(shape)
    return NoisyValue(value, mechanism.guarantee(moved), float(radius))
