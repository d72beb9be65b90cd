"""All conjunctions up to a width from noisy parities  [BCDKMT07].

The parity of a set S of columns is Σ over rows of Π_{i in S} ±1. A conjunction over W is 2^−|W| Σ_{S ⊆ W} ± parity(S),
so Σ_{j ≤ w} C(d, j) numbers answer every conjunction of width at most w, unbiased, with a variance known exactly. Each
row moves every parity by 1: the ℓ2 sensitivity is the root of their number.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Measured, Outcome, Release
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_columns
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.ledger import to_form
from dalenius.mechanisms import AdditiveMechanism, Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, nonnegative
from dalenius.queries import View
from dalenius.synthesis.conjunctions.yes_no import YesNo
from dalenius.synthesis.data.in_memory import table_of

NOTE = "parities"
MOST_PARITIES = 200_000


@dataclass(frozen=True, slots=True)
class Parities:
    """The parities of all sets of at most `width` columns, with noise."""

    universe: YesNo
    width: int
    mechanism: AdditiveMechanism
    lattice: Lattice
    unit: Unit

    @property
    def guarantee(self) -> Guarantee:
        """That of the noise at the parities' sensitivity  [A Thm 13.1, D Thm 2.8]."""
        metric = Metric.L2 if isinstance(self.mechanism, Gaussian) else Metric.L1
        moved = sensitivity(self.universe, self.width, self.unit, metric)
        return self.mechanism.guarantee((1 / self.lattice.step) * moved, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, columns, width, noise and guarantee."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "universe": self.universe.facts(),
            "width": self.width,
            "mechanism": self.mechanism.facts(),
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("parities", facts)

    def explain(self) -> str:
        """Cost and error, for free."""
        spread = float(self.mechanism.noise.variance) ** 0.5 * float(self.lattice.step) / 2 ** (self.width / 2)
        sets = len(sets_of(len(self.universe.names), self.width))
        return (
            f"question     {sets} parities, for all conjunctions of up to {self.width} columns\n"
            f"protects     {self.unit}\ncost         {self.guarantee}\n"
            f"error        a conjunction of {self.width} columns has a standard deviation of {spread:.1f} rows"
        )

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column."""
        check_columns(self.universe, view)

    def run(self, view: View, bits: Bits) -> Outcome:
        """Count, transform, add noise."""
        histogram = self.universe.histogram(table_of(view, self.universe.reads))
        exact = parities_of(histogram, len(self.universe.names), self.width) * int(1 / self.lattice.step)
        noisy = self.mechanism.release(exact // self.universe.one, bits)
        column = Measured("parities", tuple(noisy.tolist()), self.lattice, self.mechanism)
        return Outcome((column,), notes={NOTE: self.universe.facts() | {"width": self.width}})


@dataclass(frozen=True, slots=True)
class ParityCounts:
    """Answers from released parities, for nothing."""

    universe: YesNo
    width: int
    values: dict[tuple[int, ...], float]
    variance: float

    @classmethod
    def of(cls, release: Release) -> "ParityCounts":
        """From what a curator has released."""
        if NOTE not in release.outcome.notes:
            raise InvalidParameter("this release holds no parities: release what synthesis.conjunctions.parities makes")
        facts, column = release.outcome.notes[NOTE], release.outcome.columns[0]
        assert isinstance(column, Measured)
        universe, width = YesNo.from_facts(facts), facts["width"]
        sets = sets_of(len(universe.names), width)
        variance = float(column.mechanism.noise.variance) * float(column.lattice.step) ** 2
        return cls(universe, width, dict(zip(sets, column.floats().tolist(), strict=True)), variance)

    def count(self, **wanted: bool) -> tuple[float, float]:
        """An unbiased count of the rows that meet a conjunction, and the standard deviation of its noise, exactly.

        >>> # counts.count(smokes=True, married=False)
        """
        terms = self.universe.conjunction(wanted)
        if len(terms) > self.width:
            raise InvalidParameter(f"parities of up to {self.width} columns were released, got {len(terms)} columns")
        total = 0.0
        for size in range(len(terms) + 1):
            for chosen in itertools.combinations(terms, size):
                sign = np.prod([1 if value else -1 for _, value in chosen]) if chosen else 1
                total += float(sign) * self.values[tuple(place for place, _ in chosen)]
        return total / 2 ** len(terms), (self.variance / 2 ** len(terms)) ** 0.5


def parities(
    universe: YesNo, *, width: int = 3, epsilon: Number, delta: Number | None = None, unit: Unit | None = None
) -> Parities:
    """The plan: Gaussian noise for (ε, δ), geometric noise where no δ is given.

    `universe`: the yes-no columns. `width`: how many columns a conjunction may name.
    """
    who = unit or Unit.row()
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= len(universe.names):
        raise InvalidParameter(f"width must be a whole number from 1 to the number of columns, got {width!r}")
    if len(sets_of(len(universe.names), width)) > MOST_PARITIES:
        raise InvalidParameter(f"more than {MOST_PARITIES} parities are not released: take a smaller width")
    if nonnegative(delta or 0, "delta") == 0:
        moved = sensitivity(universe, width, who, Metric.L1)
        lattice = INTEGERS if universe.contributions is None else Lattice(-20)
        noise = calibrate(Geometric, (1 / lattice.step) * moved, epsilon=epsilon)
        return Parities(universe, width, noise, lattice, who)
    wide = calibrate(Gaussian, sensitivity(universe, width, who, Metric.L2), epsilon=epsilon, delta=delta)
    lattice = Lattice(min(wide.lattice.exponent, 0 if universe.contributions is None else -20))
    return Parities(universe, width, Gaussian(wide.scale / lattice.step, INTEGERS), lattice, who)


def sensitivity(universe: YesNo, width: int, unit: Unit, metric: Metric) -> Sensitivity:
    """How far one unit moves the parities, in rows: each by its weight; twice that where it changes  [BCDKMT07].

    Under CHANGE_ONE the parity of no column, the number of rows, may move too where rows can be left out.
    """
    if unit.column != (None if universe.contributions is None else universe.contributions.column):
        raise InvalidParameter(f"contributions must bound each {unit.name}: give the universe its contributions")
    number = len(sets_of(len(universe.names), width))
    times = universe.full * (1 if unit.relation is Relation.ADD_REMOVE else 2)
    if metric is Metric.L1:
        return Sensitivity(times * number, metric)
    return Sensitivity.root(Fraction(times**2 * number), metric)


def sets_of(columns: int, width: int) -> list[tuple[int, ...]]:
    """All sets of at most `width` columns, small ones first."""
    return [chosen for size in range(width + 1) for chosen in itertools.combinations(range(columns), size)]


def parities_of(histogram: NDArray[np.int64], columns: int, width: int) -> NDArray[np.int64]:
    """Exact parities, by the Walsh–Hadamard transform of the whole table."""
    table = histogram.reshape((2,) * columns)
    for axis in range(columns):
        no, yes = np.take(table, 0, axis), np.take(table, 1, axis)
        table = np.stack([no + yes, yes - no], axis)
    places: Any = [sum(1 << (columns - 1 - i) for i in chosen) for chosen in sets_of(columns, width)]
    parities: NDArray[np.int64] = table.reshape(-1)[places]
    return parities
