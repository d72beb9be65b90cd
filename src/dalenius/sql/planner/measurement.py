"""Numbers that are measured together."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Lattice


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that one mechanism randomizes together, and how far one unit can move all of their cells in ℓ1.

    `steps` holds for a unit that is added or removed, `change` for one whose rows are replaced; both count steps of the
    lattice. `weight` is the group's share of ε.
    """

    question: str
    parts: tuple[str, ...]
    steps: int
    change: int
    lattice: Lattice
    weight: Fraction
    scan: str = ""
    """The statement that gives these parts, where it is not the one that they share with others."""
    people: bool = False
    """Whether units are counted, each once in a cell, and not rows."""
    square: int | None = None
    """In ℓ2, the square of how many steps a unit that comes or goes can move all cells; None where ℓ1 is bounded."""

    contributions: int | None = None
    """How many rows of one unit count in full, where that bounds the sum of their weights."""

    def sensitivity(self, relation: Relation) -> Sensitivity:
        """A unit that is replaced first takes its part away, then adds as much again  [A Ex 3.4, G sensitivity]."""
        if self.square is not None:
            return Sensitivity.root(self.square * (1 if relation is Relation.ADD_REMOVE else 4), Metric.L2)
        return Sensitivity(self.steps if relation is Relation.ADD_REMOVE else self.change, Metric.L1)

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        own: dict[str, Any] = {"scan": self.scan} if self.scan else {}
        if self.square is not None:
            own["square"] = self.square
        return own | {
            **{"question": self.question, "parts": list(self.parts), "steps": self.steps, "change": self.change},
            **{"lattice": self.lattice.exponent, "weight": str(self.weight)},
        }
