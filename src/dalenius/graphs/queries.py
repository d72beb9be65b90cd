"""Questions about a graph that one person, with all their edges, moves by no more than a proven bound."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.graphs.edges import Edges
from dalenius.graphs.matching import twice_the_largest
from dalenius.graphs.projection import degrees, projected
from dalenius.neighbors import Metric, Nodes, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Keys, Table
from dalenius.queries.numbers import doubles, readable

_BITS = 20  # of one edge's value: what a solver in floats can still tell apart
MOST_EDGES = 1 << 30


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """How many edges there are when each person keeps at most `most`, along a public order  [DLL16]."""

    ends: tuple[str, str]
    most: int
    salt: str = ""

    def __post_init__(self) -> None:
        check_most(self.most)

    @property
    def reads(self) -> tuple[str, ...]:
        """Both ends."""
        return self.ends

    @property
    def columns(self) -> tuple[str, ...]:
        return ("value",)

    @property
    def keys(self) -> None:
        return None

    @property
    def lattice(self) -> Lattice:
        """Whole numbers."""
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The number of kept edges."""
        return np.array([np.count_nonzero(projected(Edges.of(view, self.ends, self.salt), self.most))], np.int64)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A person more or less moves it by at most `most`: see `projected`  [A Ex 4.1, DLL16]."""
        return Sensitivity(self.most, metric) * times(unit, self.ends)

    def facts(self) -> dict[str, Any]:
        """The ends, the bound and the order."""
        return {"query": "edge count", "ends": list(self.ends), "most": self.most, "salt": self.salt}

    @escaped
    def __str__(self) -> str:
        return f"number of edges between {self.ends[0]} and {self.ends[1]}, {self.most} of each person"


@dataclass(frozen=True, slots=True)
class DegreeHistogram:
    """How many people have 1, 2, …, `most` edges when each keeps at most `most`, along a public order  [DLL16].

    People without a kept edge are in no cell: a table of edges does not list people, so that one person's leaving can
    take any number of them out of it.
    """

    ends: tuple[str, str]
    most: int
    salt: str = ""

    def __post_init__(self) -> None:
        check_most(self.most)

    @property
    def reads(self) -> tuple[str, ...]:
        """Both ends."""
        return self.ends

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each degree."""
        return ("value",)

    @property
    def keys(self) -> Keys:
        """The degrees."""
        return Keys("degree", range(1, self.most + 1))

    @property
    def lattice(self) -> Lattice:
        """Whole numbers."""
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """A number of people for each degree."""
        return degrees(Edges.of(view, self.ends, self.salt), self.most)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """2T + 1 in ℓ1: T people move by one degree, and the person has one of their own  [A Ex 4.1, DLL16]."""
        return Sensitivity(2 * self.most + 1, Metric.L1).to(metric) * times(unit, self.ends)

    def facts(self) -> dict[str, Any]:
        """The ends, the bound and the order."""
        return {"query": "degree histogram", "ends": list(self.ends), "most": self.most, "salt": self.salt}

    @escaped
    def __str__(self) -> str:
        return f"people by their number of edges between {self.ends[0]} and {self.ends[1]}, {self.most} of each person"


@dataclass(frozen=True, slots=True)
class EdgeSum:
    """The largest Σ x_e·value_e with each person's edges counting `most` in all  [KNR13]; without a column each is 1.

    Projection along an order does not bound a sum: one person more can exchange every kept edge along a path, and so
    any number of values. This does: see `matching`. A value is held in [0, `largest`]; what is no number counts 0.
    """

    ends: tuple[str, str]
    most: int
    column: str | None = None
    largest: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        check_most(self.most)
        if not 0 < self.largest <= Fraction(2) ** 900:
            raise InvalidParameter(f"the largest value of an edge must lie above 0, got {self.largest}")

    @property
    def reads(self) -> tuple[str, ...]:
        """Both ends, and the value."""
        return self.ends if self.column is None else (*self.ends, self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("value",)

    @property
    def keys(self) -> None:
        return None

    @property
    def lattice(self) -> Lattice:
        """Halves of the steps in which an edge's value is counted."""
        return Lattice(self._steps.exponent - 1)

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """Twice the largest sum, in steps, held inside int64."""
        edges = Edges.of(view, self.ends)
        weights = np.full(len(edges.rows), self._largest, np.int64)
        if self.column is not None:
            numbers = doubles(readable(view.column(self.column)))[edges.rows]
            with np.errstate(all="ignore"):
                steps = np.nan_to_num(numbers * 2.0**-self._steps.exponent, nan=0.0, posinf=np.inf, neginf=0.0)
                weights = np.trunc(np.clip(steps, 0.0, float(self._largest))).astype(np.int64)
        twice = twice_the_largest(edges.first, edges.second, weights, edges.people, self.most)
        return np.array([min(twice, np.iinfo(np.int64).max)], np.int64)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A person's edges carry at most `most` times the largest value  [A Ex 4.1, KNR13]."""
        return Sensitivity(2 * self.most * self._largest, metric) * times(unit, self.ends)

    def facts(self) -> dict[str, Any]:
        """The ends, the column and both bounds."""
        form = {"query": "edge sum", "ends": list(self.ends), "most": self.most}
        return form | {"column": self.column, "largest": str(self.largest)}

    @escaped
    def __str__(self) -> str:
        what = "1" if self.column is None else f"{self.column}, each in [0, {self.largest}],"
        return f"sum of {what} over edges between {self.ends[0]} and {self.ends[1]}, {self.most} of each person"

    @property
    def _steps(self) -> Lattice:
        if self.largest.denominator == 1 and self.largest < 1 << _BITS:
            return INTEGERS
        exponent = self.largest.numerator.bit_length() - self.largest.denominator.bit_length() - _BITS
        return Lattice(exponent)

    @property
    def _largest(self) -> int:
        return int(self.largest / self._steps.step)


def check_most(most: int) -> None:
    """Refuse what is no bound on the edges of one person."""
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_EDGES:
        raise InvalidParameter(
            f"most, the edges of one person that count, must be a whole number from 1 to 2^30, got {most!r}"
        )


def times(unit: Unit, ends: tuple[str, str]) -> int:
    """1 for a person more or less, 2 for one whose edges are replaced, who goes and comes; refused for other units."""
    if not isinstance(unit, Nodes):
        raise UnprovenClaim(
            f"this is bounded for people who are nodes, not for {unit}: for edge privacy use dalenius.statistics"
        )
    if unit.ends != ends:
        raise InvalidParameter(f"the question is about {ends[0]} and {ends[1]}, the unit is {unit}")
    return 1 if unit.relation is Relation.ADD_REMOVE else 2
