"""Quantiles of a query, before they are priced."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Rank:
    """A quantile in every cell: its level, the public grid that it is chosen from, and what a unit weighs.

    `scan` gives the weight of each occupied place of the grid in each cell. All rows of a unit weigh at most `steps`
    over all cells and places, where a row that counts in full weighs `row`. `share` is its part of ε.
    """

    question: str
    part: str
    level: Fraction
    lower: Fraction
    upper: Fraction
    places: int
    steps: int
    row: int
    scan: str
    share: Fraction

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"question": self.question, "part": self.part, "level": str(self.level), "scan": self.scan},
            **{"lower": str(self.lower), "upper": str(self.upper), "places": self.places},
            **{"steps": self.steps, "row": self.row, "share": str(self.share)},
        }
