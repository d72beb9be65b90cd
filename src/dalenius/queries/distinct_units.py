"""Count units."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.cells import cells_of
from dalenius.queries.count import grouping_facts, reads_of
from dalenius.queries.identity import identities
from dalenius.queries.keys import Keys
from dalenius.queries.query import VALUE
from dalenius.queries.reach import norm_of, scalar
from dalenius.queries.scan import held
from dalenius.queries.view import Table
from dalenius.queries.weights import WEIGHTS, Contributions


@dataclass(frozen=True, slots=True)
class DistinctUnits:
    """COUNT(DISTINCT unit), in all or for each public key; rows whose unit is NULL belong to nobody.

    Without keys each unit counts as 1. With keys a unit in g groups has the weight least(2²⁰, ⌊T·2²⁰ / g⌋) in each, as
    rows have in `Contributions`: T is how many groups count in full.
    """

    contributions: Contributions
    keys: Keys | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(self.keys, self.contributions)

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each cell."""
        return VALUE

    @property
    def lattice(self) -> Lattice:
        """Whole units, or weights where a unit may be in several groups."""
        return INTEGERS if self.keys is None else WEIGHTS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The number of units, or their weights for each key."""
        units = identities(view.column(self.contributions.column))
        if self.keys is None:
            return np.array([np.count_nonzero(np.bincount(units[units >= 0], minlength=1))], np.int64)
        cells = len(self.keys)
        places = cells_of(view, self.keys)
        final = (places < cells) & (units >= 0)
        # identities stay below four times the number of rows, so that no product wraps
        pairs = np.unique(units[final] * cells + places[final])
        weights = self.contributions.weights(pairs // cells)
        # sums of whole numbers up to 2²⁰: doubles hold them for 2³³ pairs
        return held([int(total) for total in np.bincount(pairs % cells, weights, minlength=cells)])

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A unit moves the number of units by 1, and by key all cells together by T  [A Ex 3.3, G complaints count]."""
        cells = 1 if self.keys is None else len(self.keys)
        moved = scalar(0, 1, norm_of(metric), cells=cells, dropped=True).sensitivity(unit, self.contributions)
        return moved if self.keys is not None else Sensitivity(1, metric)

    def facts(self) -> dict[str, Any]:
        """The keys and the unit's column, with how many groups of a unit count in full."""
        return {"query": "distinct units"} | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        words = f"COUNT(DISTINCT {self.contributions.column})"
        if self.keys is None:
            return words
        return f"{words} for each of {self.keys}, {self.contributions.most} groups of each"
