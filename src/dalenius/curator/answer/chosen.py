"""A released column of choices: quantiles, modes, keys."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dalenius.curator.formula.base import Column
from dalenius.numerics import Number, ball, float_above, fraction_above, precision, probability, stored_fraction
from dalenius.queries import Key


@dataclass(frozen=True, slots=True)
class Chosen:
    """One released column of values that a mechanism chose, and how good the choice is.

    With probability 1 − beta, the utility of each chosen value lies within scale · log(candidates / beta) of the best,
    in what `error` says: ranks for a quantile, rows for the most frequent key  [A Thm 7.2]. `scale` is None where the
    choice has no such bound.
    """

    name: str
    values: tuple[Key, ...]
    mechanism: str
    candidates: int
    scale: Fraction | None
    error: str

    kind: ClassVar[str] = "chosen"

    def floats(self) -> Column:
        """The chosen numbers as a formula reads them; NaN for what is no number."""
        return np.array(
            [float(value) if isinstance(value, int | float) else math.nan for value in self.values], np.float64
        )

    def accuracy(self, beta: Number, dimension: int = 1) -> float:
        """With probability 1 − beta the utility of a choice (of `dimension`, all at once) is this close to the best.

        A union bound over the choices  [A Thm 7.2].
        """
        chance = probability(beta, "beta") / dimension
        if self.scale is None or chance == 0:
            return math.inf
        with precision(96):
            bound = fraction_above(ball(self.scale) * ball(self.candidates / chance).log())
        return float_above(max(bound, Fraction(0)))

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "kind": self.kind,
            "name": self.name,
            "values": list(self.values),
            "mechanism": self.mechanism,
            "candidates": self.candidates,
            "scale": None if self.scale is None else str(self.scale),
            "error": self.error,
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Chosen":
        """The inverse of `to_dict`."""
        scale = None if stored["scale"] is None else stored_fraction(stored["scale"])
        facts = {name: stored[name] for name in ("name", "mechanism", "candidates", "error")}
        return cls(values=tuple(stored["values"]), scale=scale, **facts)
