"""Count rows, in all or for each public key."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.cells import cells_of
from dalenius.queries.keys import Keys
from dalenius.queries.query import VALUE
from dalenius.queries.reach import scalar
from dalenius.queries.scan import Scan
from dalenius.queries.view import Table
from dalenius.queries.weights import WEIGHTS, Contributions


@dataclass(frozen=True, slots=True)
class Count:
    """COUNT(*), or a histogram over disjoint public keys."""

    keys: Keys | None = None
    contributions: Contributions | None = None

    counts: ClassVar[bool] = True
    """Each row adds 1 to one number: what an inference about people needs to know."""

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
        """Whole rows, or row weights."""
        return INTEGERS if self.contributions is None else WEIGHTS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """One count, or one for each key in the order declared."""
        if self.keys is not None and self.contributions is None:
            return np.bincount(cells_of(view, self.keys), minlength=len(self.keys) + 1)[:-1].astype(np.int64)
        return Scan((), (), lambda _: (), ((1,),), 1, self.keys, self.contributions).totals(view)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """One row added moves one cell by 1; one row changed leaves a cell and enters another  [A Ex 3.3, A Ex 3.4].

        With a single declared cell there is no other to enter, and the number of all rows is public under CHANGE_ONE.
        """
        cells = 1 if self.keys is None else len(self.keys)
        reach = scalar(1, 1, metric, cells=cells, dropped=self.keys is not None)
        return reach.sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """The keys, and what bounds a unit."""
        return {"query": "count"} | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        return "COUNT(*)" + grouping_words(self.keys, self.contributions)


def grouping_facts(keys: Keys | None, contributions: Contributions | None) -> dict[str, Any]:
    """Keys and bound of a query, as JSON holds them."""
    facts: dict[str, Any] = {"keys": None if keys is None else keys.facts()}
    return facts if contributions is None else facts | {"contributions": contributions.facts()}


def grouping_words(keys: Keys | None, contributions: Contributions | None) -> str:
    """Keys and bound of a query, as a person reads them."""
    by_key = "" if keys is None else f" for each of {keys}"
    return by_key if contributions is None else f"{by_key}, {contributions.most} rows of each {contributions.column}"


def reads_of(keys: Keys | None, contributions: Contributions | None, *columns: str) -> tuple[str, ...]:
    """The columns of a query: its own, those of its keys, and the unit's."""
    unit = () if contributions is None else (contributions.column,)
    return (*columns, *(() if keys is None else keys.columns), *unit)
