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

    def sensitivity(self, relation: Relation) -> Sensitivity:
        """A unit that is replaced first takes its part away, then adds as much again  [A Ex 3.4, G sensitivity]."""
        return Sensitivity(self.steps if relation is Relation.ADD_REMOVE else self.change, Metric.L1)

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        own = {"scan": self.scan} if self.scan else {}
        return own | {
            **{"question": self.question, "parts": list(self.parts), "steps": self.steps, "change": self.change},
            **{"lattice": self.lattice.exponent, "weight": str(self.weight)},
        }
