"""Score public candidates by a utility whose sensitivity is enforced, unit by unit or block by block."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Chosen
from dalenius.curator.plans.blocked import own_values, unheard
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.mechanisms import Mechanism
from dalenius.mechanisms.permute_and_flip import Flips
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries import Key, Keys, Table, fine_lattice
from dalenius.queries.identity import identities

Score = Callable[[dict[str, NDArray[Any]], Any], Any]
"""From the columns of one unit, or of one block, and a candidate to a number; numbers come as floats."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers from 0 to `most`, cut down to steps of at most 32 bits."""

    most: Fraction
    lattice: Lattice = field(init=False)
    """The finest lattice on which `most` has 32 bits."""
    steps: int = field(init=False)
    """The most that one unit adds, in steps."""

    def __post_init__(self) -> None:
        if self.most <= 0:
            raise InvalidParameter(f"most must be > 0, got {self.most}")
        object.__setattr__(self, "lattice", fine_lattice((Fraction(0), self.most)))
        object.__setattr__(self, "steps", int(self.most / self.lattice.step))

    def held(self, given: Any) -> int:
        """A number as whole steps from 0 to `steps`; what is no number counts 0."""
        numbers = np.asarray(given, np.float64)
        if numbers.size != 1 or np.isnan(number := float(numbers.reshape(-1)[0])):
            return 0
        per_step = 2.0**-self.lattice.exponent
        return int(min(max(number * per_step, 0.0), float(self.steps)))


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The utility of a candidate: the sum over units of what `utility` gives for their rows, held in [0, most].

    Each unit is asked about by itself and its number is clamped for each candidate, so one unit more raises every
    score by at most `most`, and lowers none, whatever the function: the sensitivity is enforced, not believed
    [A Def 7.1]. Candidates do not multiply it, since a choice takes it in ℓ∞. Where the function fails, or gives
    no number, it counts 0.
    """

    among: Keys
    utility: Score
    columns: tuple[str, ...]
    scale: Scale
    unit: Unit
    version: str

    @property
    def keys(self) -> None:
        """One candidate."""
        return None

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return self.columns if self.unit.column is None else (*self.columns, self.unit.column)

    @property
    def step(self) -> Fraction:
        """What one step of a score is worth."""
        return self.scale.lattice.step

    def evaluate(self, view: Table) -> list[int]:
        """A score for each candidate, in steps."""
        totals = [0] * len(self.among)
        with unheard():
            for rows in self._units(view):
                own = {name: own_values(view.column(name), rows) for name in self.columns}
                for place, candidate in enumerate(self.among.values):
                    totals[place] += self._score(own, candidate)
        return totals

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """What one unit adds to a score at most, and a changed one moves it by  [S §2.4 quality sensitivity]."""
        if unit.column != self.unit.column:
            raise InvalidParameter(f"the utility is bounded for {self.unit}, not for {unit}")
        return Sensitivity(self.scale.steps, Metric.LINF)

    def chosen(self, name: str, released: int, mechanism: Mechanism) -> Chosen:
        """The candidate of the chosen index."""
        return _column(name, (self.among.values[released],), self.among, self.scale, mechanism)

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """The error beforehand."""
        return _column(name, (), self.among, self.scale, mechanism)

    def facts(self) -> dict[str, Any]:
        """Candidates, columns, the clamp and the version, which stands for the function."""
        return _facts("unit scores", self.among, self.columns, self.scale, self.version)

    @escaped
    def __str__(self) -> str:
        held = f"each {self.unit.name} in [0, {self.scale.most}]"
        return f"the best of {len(self.among)} candidates by {self.version}, {held}"

    def _units(self, view: Table) -> list[NDArray[np.intp]]:
        """The rows of each unit; rows of nobody are left out."""
        if self.unit.column is None:
            return list(np.arange(len(view)).reshape(-1, 1))
        units = identities(view.column(self.unit.column))
        order = np.argsort(units, kind="stable")
        order = order[units[order] >= 0]
        starts = np.flatnonzero(np.diff(units[order])) + 1
        return [rows for rows in np.split(order, starts) if len(rows)]

    def _score(self, own: dict[str, NDArray[Any]], candidate: Key) -> int:
        # even SystemExit and an interrupt: how the function fails may be the doing of a row
        with suppress(BaseException):
            return self.scale.held(self.utility({name: column.copy() for name, column in own.items()}, candidate))
        return 0


@dataclass(frozen=True, slots=True)
class BlockScores:
    """The utility of a candidate: the sum of its column over blocks, each in [0, most]; one row a block  [A Alg 1]."""

    among: Keys
    scale: Scale
    version: str

    @property
    def keys(self) -> None:
        """One candidate."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """One for each candidate."""
        return tuple(f"candidate {place}" for place in range(len(self.among)))

    @property
    def reads(self) -> tuple[str, ...]:
        """One column for each candidate."""
        return self.columns

    @property
    def step(self) -> Fraction:
        """What one step of a score is worth."""
        return self.scale.lattice.step

    def evaluate(self, view: Table) -> list[int]:
        """A score for each candidate, in steps."""
        return [sum(map(self.scale.held, view.column(name).tolist())) for name in self.columns]

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """One changed block moves each score by at most `most`, either way  [A Def 7.1]."""
        if unit.column is not None:
            raise InvalidParameter("the answer of a block is a row")
        return Sensitivity(self.scale.steps, Metric.LINF)

    def chosen(self, name: str, released: int, mechanism: Mechanism) -> Chosen:
        """The candidate of the chosen index."""
        return _column(name, (self.among.values[released],), self.among, self.scale, mechanism)

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """The error beforehand."""
        return _column(name, (), self.among, self.scale, mechanism)

    def facts(self) -> dict[str, Any]:
        """Candidates, the clamp and the version."""
        return _facts("block scores", self.among, self.columns, self.scale, self.version)

    @escaped
    def __str__(self) -> str:
        return f"the best of {len(self.among)} candidates by the sum of {self.version} over blocks"


def _column(name: str, values: tuple[Key, ...], among: Keys, scale: Scale, mechanism: Mechanism) -> Chosen:
    assert isinstance(mechanism, Flips)
    return Chosen(name, values, mechanism.name, len(among), mechanism.scale * scale.lattice.step, "utility")


def _facts(query: str, among: Keys, columns: tuple[str, ...], scale: Scale, version: str) -> dict[str, Any]:
    form = {"query": query, "columns": list(columns), "most": str(scale.most), "version": version}
    return form | {"candidates": list(among.values)}
