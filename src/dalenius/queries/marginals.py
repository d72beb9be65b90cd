"""Count the rows of which each of many yes-or-no columns is true."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.numbers import doubles, readable
from dalenius.queries.view import Table
from dalenius.queries.weights import unbounded

ROWS = "rows"


@dataclass(frozen=True, slots=True, init=False)
class OneWayMarginals:
    """For each column how many rows hold a number above 0 in it; with `counted`, the number of rows too.

    What is no number counts as 0.
    """

    names: tuple[str, ...]
    counted: bool

    def __init__(self, names: tuple[str, ...] | list[str], counted: bool = True) -> None:
        given = () if isinstance(names, str) else tuple(names)
        if not given or len(set(given)) != len(given) or not all(isinstance(name, str) and name for name in given):
            raise InvalidParameter(f"marginals need a list of different columns, got {names!r}")
        object.__setattr__(self, "names", given)
        object.__setattr__(self, "counted", counted)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return self.names

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each column, and the number of rows."""
        return (*self.names, *((ROWS,) if self.counted else ()))

    @property
    def keys(self) -> None:
        """One number for each column."""
        return None

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The counts, in the order of `columns`."""
        with np.errstate(all="ignore"):
            counts = [np.count_nonzero(doubles(readable(view.column(name))) > 0) for name in self.names]
        return np.array([*counts, *([len(view)] if self.counted else [])], np.int64)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A row moves each of k counts by at most 1: k in ℓ1, √k in ℓ2, 1 in ℓ∞  [A Ex 10.1].

        k is the number of columns, and one more where a row that comes or goes moves the number of rows.
        """
        if unit.column is not None:
            raise unbounded(unit)
        k = len(self.names) + (self.counted and unit.relation is Relation.ADD_REMOVE)
        square = {Metric.L1: k * k, Metric.L2: k, Metric.LINF: 1}
        if metric not in square:
            raise InvalidParameter("an answer is measured in Metric.L1, L2 or LINF; Metric.UNITS counts units of data")
        return Sensitivity.root(square[metric], metric)

    def facts(self) -> dict[str, Any]:
        return {"query": "marginals", "columns": list(self.names), "counted": self.counted}

    @escaped
    def __str__(self) -> str:
        return f"rows of which each of {len(self.names)} columns is true"
