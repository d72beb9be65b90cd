"""What a run leaves: noisy integers, and what randomized them."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

from dalenius.mechanisms import AdditiveMechanism, mechanism_of
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, float_above
from dalenius.queries import Keys

Value = int | float


@dataclass(frozen=True, slots=True)
class Measured:
    """One released column: its integers in steps of the lattice, and the mechanism that made them."""

    name: str
    cells: tuple[int, ...]
    lattice: Lattice
    mechanism: AdditiveMechanism

    @property
    def values(self) -> tuple[Value, ...]:
        """The released numbers; whole if the lattice is."""
        if self.lattice == INTEGERS:
            return self.cells
        return tuple(float(cell * self.lattice.step) for cell in self.cells)

    def accuracy(self, beta: Number, joint: bool = False) -> Value:
        """With probability 1 − beta the noise stays within this: of one cell, or of all at once  [D Def 2.1]."""
        return self._above(self._radius(beta, joint))

    def interval(self, level: Number, joint: bool = False) -> tuple[tuple[Value, Value], ...]:
        """Ends for each cell, rounded outward."""
        dimension = len(self.cells) if joint else 1
        ends = (self.mechanism.interval(cell, level, dimension) for cell in self.cells)
        return tuple((-self._above(-low), self._above(high)) for low, high in ends)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "name": self.name,
            "cells": list(self.cells),
            "lattice": self.lattice.exponent,
            "mechanism": self.mechanism.facts(),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Measured":
        """The inverse of `to_dict`."""
        lattice = Lattice(stored["lattice"])
        return cls(stored["name"], tuple(stored["cells"]), lattice, mechanism_of(stored["mechanism"]))

    def _radius(self, beta: Number, joint: bool) -> Fraction:
        return self.mechanism.accuracy(beta, len(self.cells) if joint else 1)

    def _above(self, steps: Fraction) -> Value:
        value = steps * self.lattice.step
        return int(value) if self.lattice == INTEGERS and value.denominator == 1 else float_above(value)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a run releases, before it has a receipt: one number, or columns over public keys."""

    measured: tuple[Measured, ...]
    keys: Keys | None = None

    def to_dict(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        return {
            "version": 1,
            "keys": None if self.keys is None else self.keys.facts(),
            "measured": [column.to_dict() for column in self.measured],
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Outcome":
        """The inverse of `to_dict`."""
        keys = stored["keys"]
        return cls(
            tuple(Measured.from_dict(column) for column in stored["measured"]),
            None if keys is None else Keys(keys["column"], keys["values"]),
        )


def shown(value: Any) -> str:
    """A released value as a person reads it: a number that is not whole to three places."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def shown_above(radius: Value) -> str:
    """An error radius as a person reads it, rounded up."""
    return str(radius) if isinstance(radius, int) else str(Decimal(radius).quantize(Decimal("0.001"), ROUND_CEILING))
