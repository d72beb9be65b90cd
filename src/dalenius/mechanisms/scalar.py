"""Additive noise whose proof is for one number."""

from dataclasses import replace
from fractions import Fraction
from typing import Self

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms.mechanism import AdditiveMechanism, Integers
from dalenius.mechanisms.target import least_scale, moved
from dalenius.neighbors import Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, positive


class ScalarMechanism(AdditiveMechanism):
    """Release x + Z for one number x, Z made for moves of a `width`; a vector is refused.

    These laws are not log-concave: a small move can cost as much as a whole width, so each of several coordinates that
    share one sensitivity would cost the whole of it.
    """

    __slots__ = ()

    def release(self, answer: Integers, bits: Bits) -> Integers:
        """The sum x + Z, for a vector of one number  [A Prop 3.1]."""
        released = super().release(answer, bits)
        if released.size != 1:
            raise InvalidParameter(f"{self.name} randomizes one number; use laplace, geometric or gaussian for more")
        return released

    def accuracy(self, beta: Number, dimension: int = 1) -> Fraction:
        """The least r with P[|Z| > r] ≤ beta  [D Def 2.1]."""
        if dimension != 1:
            raise InvalidParameter(f"{self.name} randomizes one number: dimension must be 1, got {dimension!r}")
        return super().accuracy(beta)

    def scaled(self, factor: Number) -> Self:
        """The width times `factor`, on the same lattice."""
        return replace(self, width=self.width * positive(factor, "factor"))  # type: ignore[type-var,attr-defined]

    @classmethod
    def within(cls, sensitivity: Sensitivity, error: Fraction, beta: Fraction) -> Self:
        """The least ε, at δ = 0, whose `accuracy(beta)` is at most `error`, to a relative 2⁻³⁶ above the true one.

        The other parameters follow from ε as in `least`; `erring` takes them from a mechanism and moves the width.
        """

        def holds(epsilon: Fraction) -> bool:
            return cls.least(sensitivity, PureDP(epsilon)).accuracy(beta) <= error

        return cls.least(sensitivity, PureDP(least_scale(holds, moved(sensitivity) / error)))
