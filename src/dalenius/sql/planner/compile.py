"""From an analyst's text to one pushed-down aggregation with proven sensitivities."""

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from sqlglot import exp

from dalenius.curator.answer.key_types import DATE, TIMESTAMP
from dalenius.neighbors import Metric, Unit
from dalenius.queries import Key, Keys
from dalenius.sql.engine import DIALECT, Dialect
from dalenius.sql.planner.bounding_view import BoundingView
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.measurements import CountedKeys, Measurement, ModeChoice, QuantileChoice, TopChoice
from dalenius.sql.planner.output import KeyAxis, KeyColumn, Output, axes_of
from dalenius.sql.planner.rules import CHOICE_RULES, RULES
from dalenius.sql.planner.stages import Bounded, FinalRows, Question, Rules
from dalenius.sql.planner.unknown_keys import KeySearch, UnknownKey
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.sum_bounds import SumBound
from dalenius.sql.tables.scope import Joined
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.tables.types_read import types_read
from dalenius.sql.types.kinds import Kind

_REMEMBERED = 256
_TIMES: dict[Kind | None, str] = {Kind.DATE: DATE, Kind.TIMESTAMP: TIMESTAMP}
T = TypeVar("T")
Limits = tuple[tuple[str, Fraction], ...]
"""Bounds of people's sums that were found from released histograms, by column."""


@dataclass(frozen=True)
class Compiled:
    """A query before it is priced.

    `scan` gives, for each cell (combination of `keys`, numbered with the last key fastest), one integer per part.
    `keys` are those that were declared; of a combination of `named` keys the scan has a row for each cell, with the
    number of its units. `groups` say which parts are measured together and how far one unit can move them; `output`
    what is made of them.
    """

    scan: str
    unit: Unit
    keys: tuple[KeyColumn, ...]
    cells: int
    groups: tuple[Measurement, ...]
    output: Output
    unknown: KeySearch | None = None
    named: tuple[UnknownKey, ...] = ()
    ranks: tuple[QuantileChoice, ...] = ()
    modes: tuple[ModeChoice, ...] = ()
    top: TopChoice | None = None
    prepared: bool = False
    """Whether `scan` and `ranks` read the prepared table; the groups' own scans read the source."""
    plain: bool = False
    """Whether the rows that are counted are rows of the first table: not of another, a join or a query inside."""
    filtered: bool = False
    """Whether a WHERE leaves some of them out."""
    one_row: bool = False
    """Whether each unit has one row at most, whatever the policy says, as in a subquery that groups by the unit."""
    joint: tuple[KeyAxis, ...] | None = None
    """The combinations of `keys` that can occur; None where all can."""
    counted: CountedKeys | None = None
    """Counts by keys that are to be found which may decide themselves whether they are shown."""
    types_read: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The types of the columns that the question reads, by table and column."""
    before: "Compiled | None" = field(default=None, compare=False, repr=False)
    """The query without the rows of NULL keys, as it was compiled before there were any; None where it has none."""
    view: BoundingView | None = field(default=None, compare=False, repr=False)
    """The rows that were compiled, with their cells, weights and values in whole numbers."""
    quick: str = ""
    """A statement that gives what `scan` gives with less memory: `scan` names the question, this is run."""

    @property
    def statement(self) -> str:
        """What is run for the groups that have no scan of their own."""
        return self.quick or self.scan

    @property
    def naming(self) -> Fraction:
        """The share of ε that is left for finding keys."""
        choices = [*(rank.share for rank in self.ranks), *(mode.share for mode in self.modes)]
        return 1 - sum((*(group.weight for group in self.groups), *choices), Fraction(0))

    @property
    def single(self) -> bool:
        """Whether there is one cell in all."""
        return self.cells == 1 and not self.named

    @property
    def asks_numbers(self) -> bool:
        """Whether it asks for anything but the keys that are found."""
        return bool(self.groups or self.ranks or self.modes)

    @property
    def grows(self) -> bool:
        """Whether a unit of which two rows count can move the answer further than one of which one does.

        Every number of rows, values or ranks grows with the rows that count. The number of units does where one can be
        in several cells: its presence there is counted as often as rows are.
        """
        if self.one_row:
            return False
        if self.ranks or self.modes or any(not group.people and not group.person for group in self.groups):
            return True
        if not any(group.people for group in self.groups):
            return False
        cells = math.prod(axis.reach(self.keys) for axis in self.axes)
        return cells * (self.unknown.groups if self.unknown is not None else 1) > 1

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts in the order of the scan's columns; groups with a scan of their own come after."""
        return tuple(name for group in self.groups if not group.scan for name in group.parts)

    @property
    def paid_only_to_sift(self) -> tuple[str, ...]:
        """Questions that no column of the answer shows: HAVING or ORDER BY asks them, and they are paid too."""
        shown = frozenset().union(*(c.of.names for c in self.output.columns if not isinstance(c.of, int)))
        paid = [
            *((one.question, one.parts) for one in self.groups),
            *((one.question, one.parts) for one in self.ranks),
            *((one.question, (one.part,)) for one in self.modes),
        ]
        return tuple(question for question, parts in paid if not shown & frozenset(parts))

    def labels(self, cell: int) -> tuple[Key, ...]:
        """The keys of a cell."""
        labels: list[Key] = [0] * len(self.keys)
        for axis in reversed(self.axes):
            cell, number = divmod(cell, len(axis.rows))
            for place, value in zip(axis.places, axis.rows[number], strict=True):
                labels[place] = value
        return tuple(labels)

    @cached_property
    def axes(self) -> tuple[KeyAxis, ...]:
        """The declared keys, those that hang together on one axis."""
        return axes_of(self.keys) if self.joint is None else self.joint

    @cached_property
    def cell_keys(self) -> Keys | None:
        """The cells, by names of their own: what the answer calls them stands in its layout."""
        if not self.keys:
            return None
        columns = [f"key {number}" for number in range(len(self.keys))]
        return Keys.among(columns, map(self.labels, range(self.cells)))

    @property
    def key_types(self) -> dict[int, str]:
        """Which terms of GROUP BY are dates or times, by their places: their values are texts of ISO 8601."""
        later = {key.place: key.time for key in self.named}
        places = [place for place in range(len(self.keys) + len(later)) if place not in later]
        kinds = later | {place: key.kind for place, key in zip(places, self.keys, strict=True)}
        return {place: _TIMES[kind] for place, kind in kinds.items() if kind in _TIMES}

    def facts(self) -> dict[str, Any]:
        """All that the answer depends on but the data, for fingerprints."""
        facts: dict[str, Any] = {"ranks": [rank.facts() for rank in self.ranks]} if self.ranks else {}
        if self.modes:
            facts["modes"] = [mode.facts() for mode in self.modes]
        if self.top is not None:
            facts["top"] = self.top.facts()
        if self.prepared:
            facts["prepared"] = True
        if self.joint is not None:
            facts["joint"] = [[list(axis.places), [list(row) for row in axis.rows]] for axis in self.joint]
        if self.named:
            facts["named"] = [[key.name, key.place, key.kind.value] for key in self.named]
        return facts | {
            "scan": self.scan,
            "unit": self.unit.column,
            "keys": [[key.name, list(key.values)] for key in self.keys],
            "groups": [group.facts() for group in self.groups],
            "output": self.output.facts(),
        }


def compile_query(
    text: str,
    policy: Policy,
    unknown: KeySearch | None = None,
    others: Mapping[str, QueryTable] | None = None,
    norm: Metric = Metric.L1,
    dialect: Dialect = DIALECT,
) -> Compiled:
    """What a text asks for; refused before anything is charged or read.

    Without `unknown` keys must be declared; `others` are the tables that may be joined. In ℓ2, the `norm` of Gaussian
    noise, a unit whose rows are spread over cells counts for more of them. `dialect` is the SQL of its engine.
    """
    most = policy.contributions
    return Reading.of(text, policy, most, unknown, others or {}, dialect).compiled(most, unknown, norm)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as far as it is read whatever bounds a unit: its final rows, with their cell and their unit."""

    tree: exp.Expr
    policy: Policy
    joined: Joined
    final: FinalRows
    types: Mapping[str, str]
    """The types of the columns that it reads, by table and column."""
    rules: Rules = RULES
    before: "Reading | None" = None
    """The text as it was read before NULL was a key, where that is another question and no owner has said so."""

    @classmethod
    def of(
        cls,
        text: str,
        policy: Policy,
        contributions: int | None,
        search: KeySearch | None,
        others: Mapping[str, QueryTable],
        dialect: Dialect,
    ) -> "Reading":
        """Read a text under the owner's terms, or refuse it.

        Subqueries are read by what the owner declared alone: `contributions` that are tried or found say how many rows
        of a unit count at the end, and not how many it has, so they bound no COUNT and no SUM of its rows.
        """
        tree = parse_question(text)
        joined = resolve(tree, policy, others)
        question = Question.over(joined, search, dialect)
        rules = CHOICE_RULES if joined.chooses else RULES
        terms = bounded_terms(joined.policy, contributions)
        final = rules.final_rows(question, terms)
        reading = cls(tree, policy, joined, final, types_read(tree, policy, others), rules)
        declared = policy.null_keys or any(one.private and one.null_keys for one in others.values())
        if declared or not any(None in key.values for key in reading.final.keys):
            return reading
        without = rules.final_rows(replace(question, nulls=False), terms)
        return replace(reading, before=replace(reading, final=without))

    def compiled(
        self, contributions: int | None, search: KeySearch | None, norm: Metric, limits: Limits = ()
    ) -> Compiled:
        """The query with so many rows of a unit counted in full, in as many groups as the search says.

        `limits` are bounds of people's sums that were found, by column. A row that meets every row of a public table
        is in as many final rows: then so many more of these count, which is how many make up the rows asked for.
        """
        asked = (contributions, search, norm, limits)
        table, (plain, filtered) = self.joined.table, row_source(self.tree, self.policy)
        one_row = table is not None and table.one_row
        terms = self.joined.policy
        if table is not None and contributions is not None:
            contributions *= table.copies
        if not one_row and terms.contributions != contributions:
            terms = replace(terms, contributions=contributions)
        if limits:
            terms = replace(terms, sum_bounds=_with_limits(terms.sum_bounds, dict(limits)))
        question, unknown = replace(self.final.question, search=search, norm=norm), self.final.unknown
        if unknown is not None and search is not None:
            unknown = replace(unknown, search=search)
        bounded = self.rules.bounded(replace(self.final, question=question, unknown=unknown), terms)
        compiled = finished(bounded, self.policy.unit, plain=plain, filtered=filtered, one_row=one_row)
        compiled = replace(compiled, types_read=self.types)
        if self.before is None:
            return compiled
        return replace(compiled, before=self.before.compiled(*asked))


def bounded_terms(terms: Policy, contributions: int | None) -> Policy:
    """The terms of final rows, with so many rows of a unit counted where their owner left that open."""
    return terms if terms.contributions is not None else replace(terms, contributions=contributions)


def _with_limits(bounds: Mapping[str, SumBound], limits: Mapping[str, Fraction]) -> dict[str, SumBound]:
    return {
        name: replace(one, most=limits[one.column]) if one.is_found and one.column in limits else one
        for name, one in bounds.items()
    }


def finished(bounded: Bounded, unit: Unit, **known: Any) -> Compiled:
    """The compiled query of what was bounded; `known` are the facts of its rows."""
    aggregated, final = bounded.aggregated, bounded.aggregated.final
    return Compiled(
        bounded.scan,
        unit,
        final.keys,
        final.cells,
        bounded.groups,
        aggregated.output,
        None if final.unknown is None else final.unknown.search,
        () if final.unknown is None else final.unknown.keys,
        bounded.ranks,
        bounded.modes,
        bounded.top,
        joint=final.joint,
        counted=bounded.counted,
        view=bounded.view,
        quick=bounded.quick_scan,
        **known,
    )


def row_source(tree: exp.Expr, policy: Policy) -> tuple[bool, bool]:
    """Whether a query counts rows of the first table itself, and whether it has a WHERE."""
    source = tree.args.get("from_")
    first = source is not None and source.this.name.lower() == policy.table.lower()
    plain = first and not tree.args.get("joins") and len(list(tree.find_all(exp.Select))) == 1
    return plain, tree.args.get("where") is not None


class Compiler:
    """Compiles the questions of one session: a text is read once, and bounded once for each bound that is asked.

    Compiling reads the text, the owner's terms and the bounds found, all of them public, and gives the same query for
    the same of them: so what was compiled is remembered under just these. A refusal is not remembered.
    """

    __slots__ = ("_compiled", "_policy", "_read", "_tables", "dialect", "histograms")

    def __init__(self, policy: Policy, tables: Mapping[str, QueryTable], dialect: Dialect = DIALECT) -> None:
        self._policy, self._tables, self.dialect = policy, tables, dialect
        self._compiled: OrderedDict[tuple[object, ...], Compiled] = OrderedDict()
        self._read: OrderedDict[tuple[object, ...], Reading] = OrderedDict()
        self.histograms: dict[object, Any] = {}
        """Plans of histograms by their price and their table, which they read whatever is asked."""

    def __call__(
        self, text: str, contributions: int | None, unknown: KeySearch | None, norm: Metric, limits: Limits = ()
    ) -> Compiled:
        """The query with so many rows of a unit counted in full, and people's sums held to the limits found."""
        asked = (text, contributions, unknown, norm, limits)
        return _remembered(
            self._compiled,
            (*asked, self._policy.today),
            lambda: self._reading(text, contributions, unknown).compiled(*asked[1:]),
        )

    def _reading(self, text: str, contributions: int | None, unknown: KeySearch | None) -> Reading:
        """The text as it is read; whether keys may be found and rows are bounded decides what is refused there."""
        policy = self._policy
        return _remembered(
            self._read,
            (text, contributions is None, unknown is None, policy.today),
            lambda: Reading.of(text, policy, contributions, unknown, self._tables, self.dialect),
        )


def _remembered(known: OrderedDict[tuple[object, ...], T], key: tuple[object, ...], make: Callable[[], T]) -> T:
    """What is known under a key, or made; the least lately asked is forgotten."""
    value = known.pop(key, None)
    if value is None:
        value = make()
    known[key] = value
    while len(known) > _REMEMBERED:
        known.popitem(last=False)
    return value
