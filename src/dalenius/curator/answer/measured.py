"""A released column of noisy numbers."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dalenius.curator.formula.base import Column
from dalenius.mechanisms import AdditiveMechanism, mechanism_of
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, float_above, probability

Value = int | float


@dataclass(frozen=True, slots=True)
class Measured:
    """One released column: its integers in steps of the lattice, and the mechanism that made them."""

    name: str
    cells: tuple[int, ...]
    lattice: Lattice
    mechanism: AdditiveMechanism
    counts: bool = field(default=False, compare=False)
    """Whether it counts rows or people: then it is a draw of them, of which an inference may speak."""

    kind: ClassVar[str] = "measured"

    @property
    def values(self) -> tuple[Value, ...]:
        """The released numbers; whole if the lattice is."""
        if self.lattice == INTEGERS:
            return self.cells
        return tuple(float(cell * self.lattice.step) for cell in self.cells)

    def floats(self) -> Column:
        """The released numbers as a formula reads them."""
        return np.array(self.cells, np.float64) * float(self.lattice.step)

    def accuracy(self, beta: Number, dimension: int = 1) -> Value:
        """With probability 1 − beta the noise of one cell stays within this; that of `dimension` cells all at once.

        [D Def 2.1]
        """
        radius = self.mechanism.accuracy(beta, dimension) * self.lattice.step
        return int(radius) if self.lattice == INTEGERS and radius.denominator == 1 else float_above(radius)

    def interval(self, level: Number, dimension: int = 1) -> tuple[tuple[Value, Value], ...]:
        """Ends for each cell, rounded outward; whole where values and radius are."""
        radius = self.accuracy(1 - probability(level, "level"), dimension)
        if isinstance(radius, int):
            return tuple((cell - radius, cell + radius) for cell in self.cells)
        step, wide = self.lattice.step, Fraction(radius)
        return tuple((-float_above(wide - cell * step), float_above(cell * step + wide)) for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        stored = {
            "kind": self.kind,
            "name": self.name,
            "cells": list(self.cells),
            "lattice": self.lattice.exponent,
            "mechanism": self.mechanism.facts(),
        }
        return stored | {"counts": True} if self.counts else stored

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Measured":
        """The inverse of `to_dict`."""
        lattice = Lattice(stored["lattice"])
        mechanism, counts = mechanism_of(stored["mechanism"]), stored.get("counts", False)
        return cls(stored["name"], tuple(stored["cells"]), lattice, mechanism, counts)
