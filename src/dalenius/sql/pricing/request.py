"""A SELECT on the owner's terms, before it is known how many rows and groups of a unit count."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction

from dalenius.curator import Measure
from dalenius.neighbors import Metric
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.planner.compile import Compiled, Compiler, Limits
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.rows_per_unit import OCTAVES, groups_histogram, rows_histogram
from dalenius.sql.pricing.sums_per_unit import sums_histogram
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind

_OF_DAYS = re.compile("age|current|date|day|local|now|stamp|time", re.IGNORECASE)
"""What every word contains that reads today's date or a text as one; other words may contain it too."""

PreparedCompiler = Callable[[str, KeySearch | None, bool], Compiled | None]
"""The text, keys that are to be found, and whether rows are spread over cells, to the query over a prepared table."""


def unprepared(text: str, unknown: KeySearch | None, spread: bool) -> None:
    """There is no prepared table."""


@dataclass(frozen=True, slots=True)
class Request:
    """A SELECT on the owner's terms, before it is known how many rows and groups of a unit count.

    `groups` is None where that is to be found. `histogram` is what finding one of them costs. `delta` is what may be
    spent on keys that nobody declared; if the caller has given it, it also pays for a unit whose rows are `spread`
    over cells, where they are declared.
    """

    text: str
    policy: Policy
    others: Mapping[str, QueryTable]
    delta: Fraction
    groups: int | None
    min_units: int
    histogram: Fraction
    spread: bool = False
    kept: PreparedCompiler = unprepared
    """The query over a prepared table, where there is one that answers it."""
    compiler: Compiler | None = None
    """What compiles the questions of a session; a request that has none has one of its own."""

    def compiled(self, most: int | None = None, groups: int | None = None, limits: Limits = ()) -> Compiled:
        """The query with so many rows and groups of a unit counted, and people's sums held to the limits found.

        What was declared stays as it is.
        """
        contributions = most if self.is_silent else self.policy.contributions
        cap = (groups or 1) if self.groups is None else self.groups
        unknown = KeySearch(cap, self.min_units) if self.delta else None
        if (from_prepared := self.kept(self.text, unknown, self.spread)) is not None:
            return from_prepared
        compiler = self.compiler or Compiler(self.policy, self.others)
        return compiler(self.text, contributions, unknown, norm_for(contributions, self.spread), limits)

    @property
    def hangs_on_today(self) -> bool:
        """Whether the same text is another question tomorrow: it names today, or its dates as keys end there."""
        if self.policy.as_of is not None or not self._may_name_days:
            return False
        days = (self.policy.today, self.policy.today + timedelta(days=1))
        on_days = [replace(self, policy=replace(self.policy, as_of=str(day)), compiler=None) for day in days]
        today, tomorrow = (one.compiled(1, 1).facts() for one in on_days)
        return today != tomorrow

    @property
    def _may_name_days(self) -> bool:
        """Whether a table has days, or the text a word of them; without either no day can enter the question."""
        tables = [self.policy.columns, *(one.columns for one in self.others.values())]
        days = any(kind_of(kind) in (Kind.DATE, Kind.TIMESTAMP) for columns in tables for kind in columns.values())
        return days or _OF_DAYS.search(self.text) is not None

    @property
    def is_silent(self) -> bool:
        """Whether the owner left it to be found how many rows of a unit count."""
        found = self.policy.contributions is None or self.counted_table is not None
        return self.policy.unit.column is not None and found

    @property
    def counted_table(self) -> QueryTable | None:
        """The table beside the first whose own rows tell how many of a unit count; None where the first table's do."""
        if all(one.rows_per_unit is None for one in self.others.values()):
            return None
        table = resolve(parse_question(self.text), self.policy, self.others).table
        return None if table is None or table.counted_by is None else self.others[table.counted_by.lower()]

    @property
    def declared_rows(self) -> int | None:
        """How many rows of a unit count as long as no histogram tells more; None where each row is a unit."""
        return 1 if self.is_silent else self.policy.contributions

    @property
    def most_rows(self) -> int | None:
        """The declared ceiling of a unit's rows, which is one of the first table's."""
        return None if self.counted_table is not None else self.policy.ceilings.most_rows

    def largest(self) -> Compiled:
        """The query at the most rows and groups that may be found: what is refused there is refused beforehand."""
        return self.compiled(2**OCTAVES, 2**OCTAVES)

    @property
    def rows(self) -> Measure[Engine] | None:
        """The histogram of rows of the table that says how many count; there is none where each row is a unit."""
        if self.policy.unit.column is None:
            return None
        known, table = {} if self.compiler is None else self.compiler.histograms, self.counted_table
        asked = self.histogram, None if table is None else table.place
        if asked not in known:
            known[asked] = rows_histogram(self.policy, self.histogram, self._dialect, table)
        return known[asked]  # type: ignore[no-any-return]

    def sums_of(self, compiled: Compiled) -> dict[str, Measure[Engine]]:
        """The histograms of people's sums that the query needs, by column."""
        columns = dict.fromkeys(group.finds for group in compiled.groups if group.finds)
        return {name: sums_histogram(self.policy, name, self.histogram, self._dialect) for name in columns}

    @property
    def _dialect(self) -> Dialect:
        return DIALECT if self.compiler is None else self.compiler.dialect

    def groups_of(self, compiled: Compiled) -> Measure[Engine] | None:
        """The histogram of groups, where keys are to be found and nobody said how many of them a unit counts in."""
        if not compiled.named or compiled.one_row or self.groups is not None or self.policy.unit.column is None:
            return None  # who has one row is in one group
        unknown = KeySearch(1, self.min_units)
        return groups_histogram(self.text, self.policy, unknown, self.histogram, self.others, self._dialect)


def norm_for(contributions: int | None, spread: bool) -> Metric:
    """The norm in which a unit is bounded over cells: that of Gaussian noise, where δ was given to pay for it."""
    return Metric.L2 if spread and (contributions or 1) > 1 else Metric.L1
