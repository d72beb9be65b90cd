"""A query on its way from the analyst's words to what the engine runs."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from dalenius.neighbors import Metric
from dalenius.sql.engine import DIALECT, Dialect
from dalenius.sql.planner.measurements import Measurement, ModeChoice, QuantileChoice, TopChoice
from dalenius.sql.planner.output import KeyColumn, Output
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.separate_scans import SeparateScan, bundles, rounds
from dalenius.sql.planner.unknown_keys import KeySearch, UnknownKey
from dalenius.sql.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Draft:
    """The analyst's tree, the rows that answer it, and what the rules have found out.

    `rows` select from the engine's table: the cell, the unit and the values that are aggregated. `shares` say what each
    row adds to which parts; `groups` how far a unit can move them, once a rule has proved it.
    """

    tree: exp.Expr
    rows: exp.Select | None = None
    keys: tuple[KeyColumn, ...] = ()
    shares: tuple[RowTerms, ...] = ()
    apart: tuple[SeparateScan, ...] = ()
    output: Output | None = None
    groups: tuple[Measurement, ...] = ()
    ranks: tuple[QuantileChoice, ...] = ()
    modes: tuple[ModeChoice, ...] = ()
    top: TopChoice | None = None
    """What may be found by a choice in place of noise on every cell."""
    statement: exp.Expr | None = None
    unknown: KeySearch | None = None
    """How keys that nobody declared are found; None where they are refused."""
    named: tuple[UnknownKey, ...] = ()
    norm: Metric = Metric.L1
    """In which norm a unit is bounded over all cells, where there is a choice."""
    dialect: Dialect = DIALECT
    """The SQL of the engine that will run the statements."""
    source: exp.Select | None = None
    """The SELECT whose rows are asked, where they are not those of the owner's table."""

    @property
    def cells(self) -> int:
        """The number of combinations of declared keys."""
        cells = 1
        for key in self.keys:
            cells *= len(key.values)
        return cells

    @property
    def single(self) -> bool:
        """Whether there is one cell in all."""
        return self.cells == 1 and not self.named

    @property
    def reach(self) -> int:
        """The number of these that one unit's rows can be in: its attributes are the same in all."""
        cells = 1
        for key in self.keys:
            cells *= 1 if key.attribute else len(key.values)
        return cells

    @property
    def weight(self) -> Fraction:
        """The share of ε that each question has; finding keys is one question more, and so is a round of halving."""
        return Fraction(1, len(self.shares) + sum(map(rounds, bundles(self.apart))) + bool(self.named))

    @property
    def latest(self) -> exp.Expr:
        """The furthest that the query has come."""
        return self.statement or self.rows or self.tree


Rule = Callable[[Draft, Policy], Draft]
"""A rule reads the draft and the policy, never the data; it rewrites, or refuses by name."""
