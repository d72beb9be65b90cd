"""How many rows, or groups, the units of a table have: one histogram, paid for once and kept by the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from dalenius.curator import Measure
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.numerics import Number
from dalenius.queries import Keys
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.engine.value_statements import units_by_size
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.rules import RULES
from dalenius.sql.planner.stages import Question
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.engine_names import SOURCE, UNIT
from dalenius.statistics.private_contributions import RowsPerUnit

OCTAVES = 16
"""The last bin but one ends at 2^16; the last one has no end."""
_GROUPS = "groups by"
_ROWS_OF = "rows of "


@dataclass(frozen=True, slots=True)
class PerUnit:
    """How many units have 1 of what is counted, 2, 3–4, 5–8, …, and how many more than 2^`octaves`.

    What is counted of a unit are its own rows alone, so a unit that comes or goes moves one bin by 1, whatever it has:
    the sensitivity of `RowsPerUnit`  [A Ex 3.4]. Rows whose unit is NULL belong to nobody.
    """

    counted: str
    bins: RowsPerUnit
    scan: str

    @property
    def is_of_groups(self) -> bool:
        """Whether it tells how many groups a unit is in, which an asker may say instead."""
        return self.counted.startswith(_GROUPS)

    @property
    def beside(self) -> str | None:
        """The table whose rows are counted, where that is not the first one."""
        return self.counted.removeprefix(_ROWS_OF) if self.counted.startswith(_ROWS_OF) else None

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each bin."""
        return self.bins.columns

    @property
    def keys(self) -> Keys:
        """The most that a unit of each bin has; the last bin, twice the largest, has no end."""
        return Keys("most", self.bins.keys.values)

    @property
    def lattice(self) -> Lattice:
        return self.bins.lattice

    def evaluate(self, view: Engine) -> NDArray[np.int64]:
        """The number of units in each bin."""
        return view.scan(self.scan, len(self.keys), 1).ravel()

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """Each unit is in one bin: 1 if it comes or goes, 2 if it changes  [A Ex 3.4]."""
        return self.bins.sensitivity(unit, metric)

    def facts(self) -> dict[str, Any]:
        """The statement, which says what is counted, and the bins."""
        return {"query": "per unit", "counted": self.counted, "scan": self.scan} | {"bins": self.bins.facts()}

    @escaped
    def __str__(self) -> str:
        return f"units by how many {self.counted} each {self.bins.column} has, in powers of two up to {2**OCTAVES}"


def rows_histogram(
    policy: Policy, epsilon: Number, dialect: Dialect = DIALECT, beside: QueryTable | None = None
) -> Measure[Engine]:
    """How many rows of the first table each unit has, or of one beside it."""
    place, unit, counted = SOURCE, policy.unit.column, "rows"
    if beside is not None:
        place, unit, counted = beside.place, beside.unit, f"{_ROWS_OF}{beside.name}"
    assert unit is not None
    column = exp.column(unit, table=place, quoted=True)
    owned = exp.select(exp.alias_(column, "unit", quoted=True)).from_(exp.table_(place, quoted=True))
    return _measure(counted, owned.where(column.is_(exp.null()).not_()), policy, epsilon, dialect)


def groups_histogram(
    text: str,
    policy: Policy,
    unknown: KeySearch,
    epsilon: Number,
    others: Mapping[str, QueryTable] | None = None,
    dialect: Dialect = DIALECT,
) -> Measure[Engine]:
    """How many of the unknown keys that a query groups by each unit has; not of its WHERE, so that others reuse it."""
    tree = parse_question(text)
    tree.set("where", None)
    joined = resolve(tree, policy, others or {})
    question = Question.over(joined, unknown, dialect)
    final = RULES.final_rows(question, replace(joined.policy, contributions=joined.policy.contributions or 1))
    keys = () if final.unknown is None else final.unknown.keys
    names = [exp.column(name, quoted=True) for name in (UNIT, *(key.column for key in keys))]
    rows = exp.alias_(final.rows.subquery(), "final", table=True, quoted=True)
    counted = f"{_GROUPS} {', '.join(key.name for key in keys)}"
    return _measure(counted, exp.select(*names).from_(rows).distinct(), policy, epsilon, dialect)


def _measure(counted: str, owned: exp.Select, policy: Policy, epsilon: Number, dialect: Dialect) -> Measure[Engine]:
    assert policy.unit.column is not None
    scan = units_by_size(dialect, owned.subquery("counted"), OCTAVES)
    query = PerUnit(counted, RowsPerUnit(policy.unit.column, OCTAVES), scan)
    return Measure.calibrated(query, epsilon=epsilon, unit=policy.unit, name="units")
