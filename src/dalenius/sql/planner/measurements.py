"""What is measured for a query, before it is priced: sums with noise, and choices among public candidates."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Lattice
from dalenius.queries import Key


@dataclass(frozen=True, slots=True)
class Measurement:
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
    counts: bool = False
    """Whether each part counts rows or units, and sums nothing that they hold."""
    person: bool = False
    """Whether each unit's sum is held to a bound of its own, so that further rows of a unit do not raise it."""
    finds: str = ""
    """The column whose sums are held, if their bound is to be found from a released histogram."""
    surveyed: bool = False
    """Whether rows count by a survey weight, of which a histogram of rows tells nothing."""
    remark: str = ""
    """Which of two ways to bound a unit was planned, and why."""

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


@dataclass(frozen=True, slots=True)
class QuantileChoice:
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
    quick: str = ""
    """A statement that gives the same weights sooner, where there is one: `scan` names the question, this is run."""

    @property
    def statement(self) -> str:
        """What is run."""
        return self.quick or self.scan

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            **{"question": self.question, "parts": list(self.parts), "levels": list(map(str, self.levels))},
            **{"lower": str(self.lower), "upper": str(self.upper), "places": self.places, "scan": self.scan},
            **{"steps": self.steps, "row": self.row, "share": str(self.share)},
        }


@dataclass(frozen=True, slots=True)
class ModeChoice:
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


@dataclass(frozen=True, slots=True)
class CountedKeys:
    """Units counted by keys that are to be found, where nothing else is asked of them and no noisy number sifts rows.

    `scan` gives each key with its units, of which each counts in at most `groups` keys, in full in each.
    """

    groups: int
    scan: str


@dataclass(frozen=True, slots=True)
class TopChoice:
    """The k cells that come first by one number, where the answer does not show the number.

    `scan` gives the number of each cell, in steps of the lattice; what one unit adds to each lies in a range of
    `steps`, the same for all cells: from 0 on, where no added unit lowers a number. It may be the statement of the
    histogram, or one that needs no bound over all cells, since a choice reads the largest change and not their sum.
    """

    question: str
    part: str
    k: int
    steps: int
    lattice: Lattice
    scan: str
    smallest: bool = False
    """Whether the cells with the smallest numbers come first."""

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        facts = {
            **{"question": self.question, "part": self.part, "k": self.k, "scan": self.scan},
            **{"steps": self.steps, "lattice": self.lattice.exponent},
        }
        return facts | {"smallest": True} if self.smallest else facts
