"""The most frequent of public values, before it is priced."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.queries import Key


@dataclass(frozen=True, slots=True)
class Mode:
    """The value that most rows of a cell have: the public values it is chosen from, and what a unit weighs.

    `scan` gives the weight of each value (by its place) in each cell. All rows of a unit weigh at most `steps` over all
    cells and values, where a row that counts in full weighs `row`. `share` is its part of ε.
    """

    question: str
    part: str
    values: tuple[Key, ...]
    steps: int
    row: int
    scan: str
    share: Fraction

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"question": self.question, "part": self.part, "values": list(self.values), "scan": self.scan},
            **{"steps": self.steps, "row": self.row, "share": str(self.share)},
        }
