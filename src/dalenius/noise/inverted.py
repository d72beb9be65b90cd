"""Symmetric laws that are sampled by inverting their tail: exact, and as slow as a search for each draw."""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.bits import Bits
from dalenius.noise.lattice import Lattice
from dalenius.noise.law import checked_size
from dalenius.noise.lazy import LazyUniform, below
from dalenius.noise.symmetric import SymmetricLaw
from dalenius.numerics import ball, floor_of, precision, upper

_WORD = 64
FAR = 2**13
"""Scales beyond which a draw has a chance of exp(−2¹³)."""


class InvertedLaw(SymmetricLaw):
    """step · round(Z / step) for a continuous symmetric Z that is known by P[|Z| > z].

    With U uniform, K = min {k ≥ 0: P[|Z| > k steps] ≤ U} has P[K > k] = P[U < P[|Z| > k steps]] = P[|Z| > k steps]; a
    fair sign is put on it. Each comparison is settled with as many digits of U as it takes.
    """

    __slots__ = ()

    @abstractmethod
    def beyond(self, z: Fraction) -> arb:
        """P[|Z| > z] of the continuous law, for z ≥ 0, at the working precision."""

    @abstractmethod
    def second_moment(self) -> arb:
        """An upper bound on E Z² of the continuous law, at the working precision."""

    @property
    def variance(self) -> float:
        """At most (√E Z² + half a step)², since rounding moves Z by half a step at most."""
        with precision(128):
            return upper((self.second_moment().sqrt() + ball(self.lattice.step / 2)) ** 2)

    def sample(self, bits: Bits, size: int) -> NDArray[np.float64]:
        """`size` independent draws; floats hold them exactly. To add them to an answer, add `steps` to its steps."""
        return self.lattice.values(self.steps(bits, size))

    def steps(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """`size` independent draws, in steps of the lattice."""
        known: dict[int, tuple[int, int]] = {}
        drawn = [self._draw(bits, known) for _ in range(checked_size(size))]
        return np.array(drawn, np.int64)

    def outside(self, steps: int) -> arb:
        """P[|Z| > (steps + ½) · lattice.step]."""
        return self.beyond((2 * steps + 1) * self.lattice.step / 2)

    def log_mass_ball(self, step: int) -> arb:
        """Half the difference of two tails, by symmetry; all that is not in a tail at zero."""
        k = abs(step)
        if k == 0:
            return (1 - self.outside(0)).log()
        mass = (self.outside(k - 1) - self.outside(k)) / 2
        return -arb.pos_inf() if mass.is_zero() else mass.log()

    def _draw(self, bits: Bits, known: dict[int, tuple[int, int]]) -> int:
        uniform = LazyUniform(bits)
        low, high = -1, 1  # more than `low` steps, at most `high`
        while self._exceeds(uniform, high, known):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._exceeds(uniform, middle, known) else (low, middle)
        return -high if high and bits.integer(1) & 1 else high

    def _exceeds(self, uniform: LazyUniform, steps: int, known: dict[int, tuple[int, int]]) -> bool:
        """Whether U < P[|Z| > steps]; nearly always told by the first 64 digits of each."""
        if steps not in known:
            with precision(2 * _WORD):
                known[steps] = floor_of(self.outside(steps) * 2**_WORD)
        if uniform.length == _WORD:
            least, most = known[steps]
            if not least <= uniform.digits <= most:
                return uniform.digits < least
        return below(uniform, lambda: self.outside(steps))


def lattice_for(scale: Fraction, reach: Fraction, lattice: Lattice | None) -> Lattice:
    """The lattice given, or the coarsest with 2²⁰ steps to the scale; refused if 64-bit integers might not do."""
    chosen = Lattice.for_steps(scale) if lattice is None else lattice
    if not isinstance(chosen, Lattice):
        raise InvalidParameter(f"lattice must be a Lattice, got {lattice!r}")
    if reach / chosen.step > 2**62:
        raise InvalidParameter(f"noise up to {float(reach):.3g} does not fit a lattice of 2^{chosen.exponent}")
    return chosen
