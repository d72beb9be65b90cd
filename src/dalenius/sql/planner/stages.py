"""A query on its way through the planner: a type for each stage, so that a rule is given just what is known by then."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sqlglot import exp

from dalenius.neighbors import Metric
from dalenius.sql.engine import DIALECT, Dialect
from dalenius.sql.planner.bounding_view import BoundingView
from dalenius.sql.planner.measurements import CountedKeys, Measurement, ModeChoice, QuantileChoice, TopChoice
from dalenius.sql.planner.output import KeyAxis, KeyColumn, Output, axes_of
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.separate_scans import SeparateScan, bundles, rounds
from dalenius.sql.planner.unknown_keys import KeySearch, UnknownKeys
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.row_conditions import RowConditions
from dalenius.sql.tables.scope import Joined


@dataclass(frozen=True, slots=True)
class Question:
    """The analyst's tree over one table, and the public terms under which it is compiled."""

    tree: exp.Expr
    search: KeySearch | None = None
    """How keys that nobody declared are found; None where they are refused."""
    norm: Metric = Metric.L1
    """In which norm a unit is bounded over all cells, where there is a choice."""
    dialect: Dialect = DIALECT
    """The SQL of the engine that will run the statements."""
    source: exp.Select | None = None
    """The SELECT whose rows are asked, where they are not those of the owner's table."""
    of_unit: frozenset[str] = frozenset()
    """The columns that name people, or are computed from their names."""
    people: frozenset[str] = frozenset()
    """The columns each value of which is one person."""
    conditions: RowConditions = ()
    """What all rows of the source fulfil."""
    nulls: bool = True
    """Whether NULL may be a key; before it was, questions had answers without such a row."""

    @classmethod
    def over(cls, joined: Joined, search: KeySearch | None = None, dialect: Dialect = DIALECT) -> "Question":
        """What is asked of rows whose names, joins and subqueries have been read."""
        return cls(
            joined.tree,
            search,
            dialect=dialect,
            source=joined.rows,
            of_unit=joined.of_unit,
            people=joined.people,
            conditions=joined.conditions,
        )

    @property
    def latest(self) -> exp.Expr:
        """The tree as far as it has come."""
        return self.tree


@dataclass(frozen=True)
class FinalRows:
    """The rows that answer a question: `rows` select the cell, the unit and keys that are to be found."""

    question: Question
    rows: exp.Select
    keys: tuple[KeyColumn, ...] = ()
    unknown: UnknownKeys | None = None
    """The keys that are to be found; None where all keys are declared."""
    joint: tuple[KeyAxis, ...] | None = None
    """The combinations of declared keys that can occur; None where all can."""

    @property
    def latest(self) -> exp.Expr:
        """The tree as far as it has come."""
        return self.rows

    @property
    def dialect(self) -> Dialect:
        """The SQL of the engine that will run the statements."""
        return self.question.dialect

    @cached_property
    def axes(self) -> tuple[KeyAxis, ...]:
        """The declared keys, those that hang together on one axis; the first varies slowest from cell to cell."""
        return axes_of(self.keys) if self.joint is None else self.joint

    @cached_property
    def cells(self) -> int:
        """The number of combinations of declared keys."""
        return math.prod(len(axis.rows) for axis in self.axes)

    @property
    def single(self) -> bool:
        """Whether there is one cell in all."""
        return self.cells == 1 and self.unknown is None

    @cached_property
    def reach(self) -> int:
        """The number of cells that one unit's rows can be in: its attributes are the same in all."""
        return math.prod(axis.reach(self.keys) for axis in self.axes)


@dataclass(frozen=True, slots=True)
class Aggregated:
    """Final rows with the values that are aggregated, what each row adds to which parts, and what is made of these.

    `terms` are summed over rows; `scans` are aggregates that no sum answers, each with a statement of its own.
    """

    final: FinalRows
    rows: exp.Select
    terms: tuple[RowTerms, ...]
    scans: tuple[SeparateScan, ...]
    output: Output

    @property
    def latest(self) -> exp.Expr:
        """The tree as far as it has come."""
        return self.rows

    @property
    def weight(self) -> Fraction:
        """The share of ε that each question has; finding keys is one question more, and so is a round of halving."""
        unknown = self.final.unknown is not None
        return Fraction(1, len(self.terms) + sum(map(rounds, bundles(self.scans))) + unknown)


@dataclass(frozen=True, slots=True)
class Bounded:
    """What is measured over the bounding view, and how far one unit moves it, as rules have proved.

    `statement` gives the parts of all measurements that have no scan of their own; None if there is none of these.
    """

    aggregated: Aggregated
    view: BoundingView
    groups: tuple[Measurement, ...] = ()
    statement: exp.Expr | None = None
    ranks: tuple[QuantileChoice, ...] = ()
    modes: tuple[ModeChoice, ...] = ()
    top: TopChoice | None = None
    """What may be found by a choice in place of noise on every cell."""
    counted: CountedKeys | None = None
    """Counts by keys that are to be found which may decide themselves whether they are shown."""
    quick: exp.Expr | None = None
    """A statement that gives the same with less memory, where there is one."""

    @property
    def latest(self) -> exp.Expr:
        """The tree as far as it has come."""
        return self.statement or self.aggregated.rows

    @property
    def scan(self) -> str:
        """The statement as the engine reads it; empty if there is none."""
        return "" if self.statement is None else self.aggregated.final.dialect.text(self.statement)

    @property
    def quick_scan(self) -> str:
        """What is run in place of `scan`; empty if that is run itself."""
        return "" if self.quick is None else self.aggregated.final.dialect.text(self.quick)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a question goes through, by the stage that they take and give, in reading order.

    A rule reads its stage and the policy, never the data; it rewrites, or refuses by name. A variant for other rows
    replaces the rules that differ, and nothing else.
    """

    read: tuple[Callable[[Question, Policy], Question], ...]
    select: Callable[[Question, Policy], FinalRows]
    bind: tuple[Callable[[FinalRows, Policy], FinalRows], ...]
    aggregate: Callable[[FinalRows, Policy], Aggregated]
    bound: Callable[[Aggregated, Policy], Bounded]
    measure: tuple[Callable[[Bounded, Policy], Bounded], ...]

    def __iter__(self) -> Iterator[Callable[[Any, Policy], Any]]:
        yield from self.read
        yield self.select
        yield from self.bind
        yield self.aggregate
        yield self.bound
        yield from self.measure

    def final_rows(self, question: Question, policy: Policy) -> FinalRows:
        """The rows that answer a question, with their cell and their unit."""
        for read in self.read:
            question = read(question, policy)
        final = self.select(question, policy)
        for bind in self.bind:
            final = bind(final, policy)
        return final

    def bounded(self, final: FinalRows, policy: Policy) -> Bounded:
        """What is measured over final rows."""
        bounded = self.bound(self.aggregate(final, policy), policy)
        for measure in self.measure:
            bounded = measure(bounded, policy)
        return bounded
