"""Count the different values of a column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.cells import cells_of
from dalenius.queries.count import grouping_facts, grouping_words, reads_of
from dalenius.queries.identity import identities, marks, mixed_with
from dalenius.queries.keys import Keys
from dalenius.queries.query import VALUE
from dalenius.queries.reach import norm_of, scalar
from dalenius.queries.view import Table
from dalenius.queries.weights import Contributions


@dataclass(frozen=True, slots=True)
class Distinct:
    """COUNT(DISTINCT column), in all or for each public key; NULL, NaN and nameless objects are no values.

    A unit with several rows counts with at most `contributions.most` of its values (with keys: of its pairs of value
    and key), those whose public hash of salt and value comes first. Which they are depends on the unit's own rows.
    Values are told apart by that hash of 64 bits, so the bound holds whatever collides, and among a million values
    two are taken for one with probability below 10⁻⁷.
    """

    column: str
    keys: Keys | None = None
    contributions: Contributions | None = None
    salt: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.salt, str):
            raise InvalidParameter(f"salt must be text, got {self.salt!r}")

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(self.keys, self.contributions, self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each cell."""
        return VALUE

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The number of different kept values, for each cell."""
        cells = 1 if self.keys is None else len(self.keys)
        places = np.zeros(len(view), np.int64) if self.keys is None else cells_of(view, self.keys)
        hashed, final = marks(view.column(self.column), self.salt)
        final = final & (places < cells)
        if self.contributions is not None:
            units = identities(view.column(self.contributions.column))
            final &= units >= 0
            places, hashed = _first(units[final], places[final], hashed[final], self.contributions.most)
        else:
            places, hashed = places[final], hashed[final]
        order = np.lexsort((hashed, places))
        places, hashed = places[order], hashed[order]
        return np.bincount(places[_new(places, hashed)], minlength=cells).astype(np.int64)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A row adds at most 1 in one cell, a unit at most T in all; none takes anything away  [A Def 3.4].

        So the answers on neighbors under CHANGE_ONE are b + u and b + v with u, v ≥ 0 of ℓ1 norm at most T, and b the
        answer without the unit.
        """
        cells = 1 if self.keys is None else len(self.keys)
        reach = scalar(0, 1, norm_of(metric), cells=cells, dropped=True)
        if self.contributions is None:
            return reach.sensitivity(unit, None)
        reach.sensitivity(unit, self.contributions)  # refuses another unit
        return reach.sensitivity(Unit.row(unit.relation), None) * self.contributions.most

    def facts(self) -> dict[str, Any]:
        """Column, salt, keys, and what bounds a unit."""
        facts = {"query": "distinct", "column": self.column, "salt": self.salt}
        return facts | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        return f"COUNT(DISTINCT {self.column})" + grouping_words(self.keys, self.contributions)


def _first(
    units: NDArray[np.int64], places: NDArray[np.int64], hashed: NDArray[np.uint64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The first `most` different pairs of each unit, in the order of their joint hash."""
    order = np.lexsort((hashed, places, mixed_with(hashed, places), units))
    units, places, hashed = units[order], places[order], hashed[order]
    new = _new(units, places, hashed)
    units, places, hashed = units[new], places[new], hashed[new]
    starts = np.flatnonzero(_new(units))
    rank = np.arange(len(units)) - np.repeat(starts, np.diff(np.append(starts, len(units))))
    return places[rank < most], hashed[rank < most]


def _new(*sorted_columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows differ from the one before."""
    new = np.ones(len(sorted_columns[0]), np.bool_)
    if len(new):
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in sorted_columns])
    return new
