"""Continuous noise for answers on a lattice: what Laplace and Gaussian noise have in common."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.noise import Lattice
from dalenius.noise.rounded import Rounded
from dalenius.numerics import Number


@dataclass(frozen=True, slots=True, init=False)
class RoundedMechanism(AdditiveMechanism):
    """Release x + round(Z), x on a lattice of steps of at least scale / 2⁵⁰; of scale / 2²⁰ at most unless given.

    x + round(Z) = round(x + Z): a function of the continuous mechanism's output alone, so that one's guarantee holds
    exactly, whatever the lattice  [A Prop 3.1]. For answers counted in steps of a query's lattice, the scale is in
    those steps and the lattice is the integers. A half between two steps, where ties would be, has probability 0.
    """

    scale: Fraction
    lattice: Lattice

    law: ClassVar[type[Rounded]]

    def __init__(self, scale: Number, lattice: Lattice | None = None) -> None:
        noise = self.law(scale, Lattice.for_steps(scale) if lattice is None else lattice)
        object.__setattr__(self, "scale", noise.scale)
        object.__setattr__(self, "lattice", noise.lattice)

    @property
    def noise(self) -> Rounded:
        return self.law(self.scale, self.lattice)
