"""The cells with the largest counts, before it is decided how they are found."""

from dataclasses import dataclass
from typing import Any

from dalenius.noise import Lattice


@dataclass(frozen=True, slots=True)
class Top:
    """The k cells that come first by one number that no added unit lowers, where the answer does not show the number.

    `scan` gives the number of each cell, in steps of the lattice; one unit moves each by at most `steps`. It may be
    the statement of the histogram, or one that needs no bound over all cells, since a choice reads the largest change
    and not their sum.
    """

    question: str
    part: str
    k: int
    steps: int
    lattice: Lattice
    scan: str

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"question": self.question, "part": self.part, "k": self.k, "scan": self.scan},
            **{"steps": self.steps, "lattice": self.lattice.exponent},
        }
