"""The terms of one question, once it is known how many rows and groups of a unit count."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from dalenius.curator import Measure, Outcome
from dalenius.curator.bias import NOTE, CutOff
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric
from dalenius.numerics import rational
from dalenius.sql.bounding import Histogram, contributions_for, contributions_within, groups_for, together
from dalenius.sql.compile import Compiled, compile_query
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.histograms import OCTAVES, groups_histogram, rows_histogram
from dalenius.sql.named import Unknown
from dalenius.sql.parse import parse
from dalenius.sql.policy import Policy
from dalenius.sql.rounds import part_of
from dalenius.sql.table import Table

Find = Callable[[Measure[DuckDB]], Outcome | None]
"""How a histogram is had: released, and paid for if it was not before; or looked up, and None if it was not."""

Kept = Callable[[str, Unknown | None, bool], Compiled | None]
"""The text, keys that are to be found, and whether rows are spread over cells, to the query over a prepared table."""


def unprepared(text: str, unknown: Unknown | None, spread: bool) -> None:
    """There is no prepared table."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A SELECT on the owner's terms, before it is known how many rows and groups of a unit count.

    `groups` is None where that is to be found. `histogram` is what finding one of them costs. `delta` is what may be
    spent on keys that nobody declared; if the caller has given it, it also pays for a unit whose rows are `spread`
    over cells, where they are declared.
    """

    text: str
    policy: Policy
    others: Mapping[str, Table]
    delta: Fraction
    groups: int | None
    min_units: int
    histogram: Fraction
    spread: bool = False
    kept: Kept = unprepared
    """The query over a prepared table, where there is one that answers it."""

    def compiled(self, most: int | None = None, groups: int | None = None) -> Compiled:
        """The query with so many rows and groups of a unit counted; what was declared stays as it is."""
        policy = self.policy
        if policy.unit.column is not None and policy.contributions is None:
            policy = replace(policy, contributions=most)
        cap = (groups or 1) if self.groups is None else self.groups
        unknown = Unknown(cap, self.min_units) if self.delta else None
        if (found := self.kept(self.text, unknown, self.spread)) is not None:
            return found
        return compile_query(self.text, policy, unknown, self.others, norm_for(policy, self.spread))

    @property
    def is_silent(self) -> bool:
        """Whether the owner left it to be found how many rows of a unit count."""
        return self.policy.unit.column is not None and self.policy.contributions is None

    def largest(self) -> Compiled:
        """The query at the most rows and groups that may be found: what is refused there is refused beforehand."""
        return self.compiled(2**OCTAVES, 2**OCTAVES)

    @property
    def rows(self) -> Measure[DuckDB] | None:
        """The histogram of rows, of which there is none where each row is a unit."""
        return None if self.policy.unit.column is None else rows_histogram(self.policy, self.histogram)

    def groups_of(self, compiled: Compiled) -> Measure[DuckDB] | None:
        """The histogram of groups, where keys are to be found and nobody said how many of them a unit counts in."""
        if not compiled.named or self.groups is not None or self.policy.unit.column is None:
            return None
        return groups_histogram(self.text, self.policy, Unknown(1, self.min_units), self.histogram, self.others)


@dataclass(frozen=True, slots=True)
class Settled:
    """A compiled query, the histograms that were used for it, and those that it lacks.

    `chosen` says whether the histogram of rows has decided how many of a unit count.
    """

    asked: Asked
    compiled: Compiled
    contributions: int | None
    rows: Outcome | None = None
    groups: Outcome | None = None
    lacks: tuple[Measure[DuckDB], ...] = ()
    chosen: bool = False

    def check(self) -> None:
        """Refuse to go on without a histogram."""
        if self.lacks:
            raise InvalidParameter(
                f"{self.lacks[0].query} is not known yet: ask with sql(…), which pays ε = "
                f"{float(self.asked.histogram):g} for it once, or declare it"
            )

    @property
    def cut_off(self) -> CutOff | None:
        """What is cut off the query's parts, from the histogram of rows; None where it says nothing of the query."""
        if self.rows is None or self.contributions is None or not _is_plain(self.asked):
            return None
        compiled = self.compiled
        rows = Histogram.of(self.rows).cut_off(self.contributions)
        capped = None
        if compiled.named and compiled.unknown is not None:
            if self.groups is not None:
                capped = Histogram.of(self.groups).cut_off(compiled.unknown.groups)
            if capped is None and rows is not None:  # a cap that no histogram speaks of
                rows = replace(rows, at_least=True, high=1.0)
        spread = any(group.square is not None for group in compiled.groups)
        found = together(rows, capped, spread or parse(self.asked.text).args.get("where") is not None)
        if found is None:
            return None
        parts = [(group.people, group.parts) for group in compiled.groups if not group.scan]
        cut = tuple(name for people, names in parts if not people for name in names)
        all_people = not compiled.named and compiled.cells <= self.contributions
        whole = tuple(name for people, names in parts if people and all_people for name in names)
        return replace(found, columns=cut, whole=whole)

    def noted(self, outcome: Outcome) -> Outcome:
        """An outcome with what bounding cut off it, which costs nothing: all of it was released  [A Prop 3.1]."""
        cut = self.cut_off
        if cut is None:
            return outcome
        names = [column.name for column in outcome.columns]
        columns, whole = (tuple(name for name in names if part_of(name) in some) for some in (cut.columns, cut.whole))
        return replace(outcome, notes=outcome.notes | {NOTE: replace(cut, columns=columns, whole=whole).to_dict()})

    def told(self) -> tuple[str, ...]:
        """What `explain` says of bounding."""
        price = f"ε = {float(self.asked.histogram):g}"
        lines = [f"first        {one.query}, for {price}, paid once and kept" for one in self.lacks]
        if self.lacks:
            lines.append("             until then the numbers above are for one row and one group of each unit")
        elif self.chosen:
            lines.append(f"bounds       {self.contributions} rows of each unit count in full, by a released histogram")
        if (cut := self.cut_off) is not None:
            lines.append(f"bias         {cut}")
        return tuple(lines)


def settle(
    asked: Asked, find: Find, look: Find, *, epsilon: Fraction | None, within: Fraction | None = None
) -> Settled:
    """Find what nobody declared: the rows of a unit that count, and its groups.

    For an answer at `epsilon`, or for one whose noise stays within `within`. What is needed comes from `find`, and from
    nowhere else; a histogram of rows that is not needed, but tells of the bias, from `look`, which is free.
    """
    first = asked.compiled(1, 1)
    rows_plan, groups_plan = asked.rows, asked.groups_of(first)
    # a question that one row of a unit answers as well as two do, such as how many units there are, needs no more
    needed = asked.is_silent and _reach(asked.compiled(2, 1)) != _reach(first)
    if not needed and groups_plan is None:
        most = asked.policy.contributions or (1 if asked.is_silent else None)
        return Settled(asked, first, most, None if rows_plan is None else look(rows_plan))
    rows = None if rows_plan is None else (find if needed else look)(rows_plan)
    groups = None if groups_plan is None else find(groups_plan)
    lacks = ((rows_plan, rows, needed), (groups_plan, groups, True))
    missing = tuple(plan for plan, found, wanted in lacks if wanted and plan is not None and found is None)
    if missing:
        return Settled(asked, first, asked.policy.contributions or 1, lacks=missing)
    most, cap = asked.policy.contributions or (1 if asked.is_silent else None), None
    if needed and rows is not None:
        most = _contributions(rows, first, epsilon, within)
    if groups is not None:
        cap = groups_for(groups, first, epsilon or Fraction(1), asked.delta)
    return Settled(asked, asked.compiled(most, cap), most, rows, groups, chosen=needed)


def _contributions(rows: Outcome, first: Compiled, epsilon: Fraction | None, within: Fraction | None) -> int:
    if within is not None and first.groups:
        return contributions_within(rows, first, within)
    return contributions_for(rows, first, epsilon or Fraction(1))


def _reach(compiled: Compiled) -> list[int]:
    """How far one unit moves each part of a query."""
    sums, ranks, modes = compiled.groups, compiled.ranks, compiled.modes
    return [*(one.steps for one in sums), *(one.steps for one in ranks), *(one.steps for one in modes)]


def norm_for(policy: Policy, spread: bool) -> Metric:
    """The norm in which a unit is bounded over cells: that of Gaussian noise, where δ was given to pay for it."""
    return Metric.L2 if spread and (policy.contributions or 1) > 1 else Metric.L1


def tentative(policy: Policy) -> tuple[Policy, tuple[str, ...]]:
    """The policy with one row of each unit counted where nobody said how many, and what to say of it, for no ledger."""
    if policy.unit.column is None or policy.contributions is not None:
        return policy, ()
    share = float(100 * rational(policy.bounding_share, "bounding_share"))
    told = (
        f"first        how many rows each {policy.unit.column} has, for {share:g} % of the budget, paid once and kept",
        "             the numbers above are for one row of each unit, and grow with what is found",
    )
    return replace(policy, contributions=1), told


def _is_plain(asked: Asked) -> bool:
    """Whether the rows that are counted are rows of the first table: not of another, a join or a query inside."""
    tree = parse(asked.text)
    source = tree.args.get("from_")
    first = source is not None and source.this.name.lower() == asked.policy.table.lower()
    return first and not tree.args.get("joins") and len(list(tree.find_all(exp.Select))) == 1
