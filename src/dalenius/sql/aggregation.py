"""A compiled count as a query of the curator."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.formula import Cell
from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.neighbors import Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys
from dalenius.sql.compile import Compiled
from dalenius.sql.engine.duckdb import DuckDB


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One part over at most one key: integers for each cell, which one unit can move by a proven number of steps."""

    compiled: Compiled

    @classmethod
    def of(cls, compiled: Compiled) -> tuple["Aggregation", str]:
        """The query, and what its column is called."""
        values = [column for column in compiled.output.columns if not isinstance(column.of, int)]
        plain = len(compiled.parts) == 1 and len(compiled.keys) <= 1 and len(values) == 1
        sifted = compiled.output.having or compiled.output.order or compiled.output.limit is not None
        if not plain or sifted or not isinstance(values[0].of, Cell):
            raise UnsupportedQuery(
                "this release answers one aggregate over at most one key: ask each in a call of its own"
            )
        return cls(compiled), values[0].name

    @property
    def keys(self) -> Keys | None:
        """The public keys under the name that the answer gives them."""
        if not self.compiled.keys:
            return None
        key = self.compiled.keys[0]
        name = next((column.name for column in self.compiled.output.columns if column.of == 0), key.name)
        return Keys(name, key.values)

    @property
    def lattice(self) -> Lattice:
        """Where the answer lives."""
        return self.compiled.groups[0].lattice

    def evaluate(self, view: DuckDB) -> NDArray[np.int64]:
        """One integer for each cell; a cell without rows is 0."""
        answer: NDArray[np.int64] = view.scan(self.compiled.scan, self.compiled.cells, 1)[0]
        return answer

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """What the group proves  [A Ex 3.4, G sensitivity]."""
        if unit.column != self.compiled.unit.column:
            raise InvalidParameter(f"the query is bounded for {self.compiled.unit}, not for {unit}")
        return self.compiled.groups[0].sensitivity(unit.relation)

    def facts(self) -> dict[str, Any]:
        """The compiled statement and what bounds it."""
        return {"query": "aggregation"} | self.compiled.facts()

    def __str__(self) -> str:
        question, keys = self.compiled.groups[0].question, self.keys
        return question if keys is None else f"{question} for each of {len(keys)} values of {keys.column}"
