"""Quantiles of a query, before they are priced."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Rank:
    """Quantiles of one value in every cell: their levels, the public grid they are chosen from, what a unit weighs.

    `scan` gives the weight of each occupied place of the grid in each cell. All rows of a unit weigh at most `steps`
    over all cells and places, where a row that counts in full weighs `row`. `share` is their part of ε. Each level has
    a part; several levels grow.
    """

    question: str
    parts: tuple[str, ...]
    levels: tuple[Fraction, ...]
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
            **{"question": self.question, "parts": list(self.parts), "levels": list(map(str, self.levels))},
            **{"lower": str(self.lower), "upper": str(self.upper), "places": self.places, "scan": self.scan},
            **{"steps": self.steps, "row": self.row, "share": str(self.share)},
        }
