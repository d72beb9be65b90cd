"""From an analyst's text to a query with a proven sensitivity."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys
from dalenius.sql.draft import Draft
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.parse import parse
from dalenius.sql.policy import Policy
from dalenius.sql.rules import RULES


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One pushed-down aggregation: integers for each cell, which one unit can move by no more than `steps` in all."""

    statement: str
    unit: Unit
    steps: int
    lattice: Lattice
    keys: Keys | None

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each cell."""
        return ("value",)

    def evaluate(self, view: DuckDB) -> NDArray[np.int64]:
        """One integer for each cell; a cell without rows is 0."""
        return view.cells(self.statement, 1 if self.keys is None else len(self.keys))

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A unit adds at most `steps`; changing it takes that away and adds as much again  [A Ex 3.4, G sensitivity].

        In a single cell the answer lies between that without the unit and `steps` more: a change moves it no further.
        """
        if unit.column != self.unit.column:
            raise InvalidParameter(f"the query is bounded for {self.unit}, not for {unit}")
        single = self.keys is None or len(self.keys) == 1
        factor = 1 if unit.relation is Relation.ADD_REMOVE or single else 2
        return Sensitivity(factor * self.steps, Metric.L1).to(metric)

    def facts(self) -> dict[str, Any]:
        """The compiled statement and what bounds it."""
        return {
            "query": "aggregation",
            "statement": self.statement,
            "steps": self.steps,
            "keys": None if self.keys is None else self.keys.facts(),
        }

    def __str__(self) -> str:
        return (
            "COUNT(*)" if self.keys is None else f"COUNT(*) for each of {len(self.keys)} values of {self.keys.column}"
        )


def compile_query(text: str, policy: Policy) -> tuple[Aggregation, str]:
    """The aggregation that a text asks for, and the name of its column; refused before anything is charged or read."""
    draft = Draft(parse(text))
    for rule in RULES:
        draft = rule(draft, policy)
    statement = draft.tree.sql(dialect="duckdb")
    return Aggregation(statement, policy.unit, draft.steps, draft.lattice, draft.keys), draft.name
