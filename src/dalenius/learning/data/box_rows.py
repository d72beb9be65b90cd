"""Rows of a box as whole numbers, each coordinate at most 1."""

from dataclasses import dataclass

import numpy as np

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix


@dataclass(frozen=True, slots=True)
class BoxRows:
    """Features mapped to [−1, 1], with a 1 beside them if there is an intercept: ‖x‖∞ ≤ 1  [A Ex 7.6].

    Whole numbers of steps 2⁻ᵇ, b = `digits`, cut toward zero: no coordinate exceeds 2ᵇ.
    """

    box: Box
    digits: int
    intercept: bool = True

    @property
    def width(self) -> int:
        """How many coordinates a row has."""
        return self.box.features + self.intercept

    def steps_with(self, features: Matrix, target: Matrix) -> tuple[Matrix, Matrix]:
        """Rows and targets of [−1, 1] in steps; without target no row."""
        unit = 2.0**self.digits
        rows = np.trunc(self.box.scaled(features) * unit)
        if self.intercept:
            rows = np.column_stack([rows, np.full(len(rows), unit)])
        beside = np.trunc(target * unit)
        absent = np.isnan(target)
        rows[absent], beside[absent] = 0.0, 0.0
        return rows, beside
