"""A table's profile: people by their number of rows, and people whose values lie outside of bounds.

It is bought once, by the owner or by a question that names it in its price, and stands in the ledger under its own
label. Whatever is asked later reads it for nothing: how many rows should count, and what bounding cuts off.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from dalenius.curator import Curator, Measure, Measured, Outcome
from dalenius.curator.answer.whole import NoisyPeople
from dalenius.curator.plans.plan import Explanation
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import PROFILE
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, float_above, float_below, positive, rational
from dalenius.queries import Keys
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.rows_per_unit import rows_histogram
from dalenius.sql.rows.columns import column
from dalenius.sql.rows.literals import number as literal
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind
from dalenius.words import counted_people, counted_rows

NOTE = "profile"
ROWS, VALUES = "rows", "values"
MOST_COLUMNS = 64
"""Columns with bounds that one profile speaks of: its noise grows with their number."""


@dataclass(frozen=True, slots=True)
class PeopleOutside:
    """How many units have a value below, and above, the bounds of each column.

    Whatever a unit's rows are, it counts once in each of the 2·c numbers, so it moves them by 2·c in ℓ1 when it comes,
    goes or changes; a single row lies on one side of a column's bounds and moves c when it comes or goes  [A Ex 3.4].
    """

    bounds: tuple[tuple[str, Fraction, Fraction], ...]
    by_row: bool
    scan: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Two numbers for each column."""
        return tuple(f"{name} {side}" for name, _, _ in self.bounds for side in ("below", "above"))

    @property
    def keys(self) -> Keys | None:
        return None

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    def evaluate(self, view: Engine) -> NDArray[np.int64]:
        """The numbers of units, column by column."""
        return view.scan(self.scan, 1, len(self.columns)).ravel()

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """One for each number that a unit can move  [A Ex 3.4]."""
        one_side = self.by_row and unit.relation is Relation.ADD_REMOVE
        return Sensitivity(len(self.bounds) * (1 if one_side else 2), Metric.L1).to(metric)

    def facts(self) -> dict[str, Any]:
        """The statement, which says what is counted."""
        return {"query": "people outside", "scan": self.scan, "columns": list(self.columns)}

    @escaped
    def __str__(self) -> str:
        return f"people with values outside of the bounds of {', '.join(name for name, _, _ in self.bounds)}"


@dataclass(frozen=True, slots=True)
class ProfilePart:
    """A measurement of a profile: what it releases says what it is about."""

    measure: Measure[Engine]
    about: Mapping[str, Any]

    @property
    def unit(self) -> Unit:
        return self.measure.unit

    @property
    def guarantee(self) -> Guarantee:
        """That of the measurement  [A Thm 3.2]."""
        return self.measure.guarantee

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """That of the measurement: bought in another way it is the same."""
        return self.measure.fingerprint

    @property
    def query(self) -> Any:
        """What is counted."""
        return self.measure.query

    def explain(self) -> Explanation:
        """Cost and expected error, for free."""
        return self.measure.explain()

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """What was measured, with a note of the table and the terms that it is about, all of them public."""
        outcome = self.measure.run(view, bits)
        return replace(outcome, notes=outcome.notes | {NOTE: dict(self.about)})


def rows_part(policy: Policy, measure: Measure[Engine]) -> ProfilePart:
    """The histogram of rows as a part of the profile."""
    return ProfilePart(measure, _about(policy, ROWS))


def profile_parts(
    policy: Policy, epsilon: Number, columns: Iterable[str] | None = None, dialect: Dialect = DIALECT
) -> tuple[ProfilePart, ...]:
    """The measurements of a profile for `epsilon` in all: half of it for rows and half for values, where both are."""
    price = positive(rational(epsilon, "epsilon"), "epsilon")
    by_rows = policy.unit.column is not None and policy.rows_per_unit != "one"
    bounded = _bounded(policy, columns)
    if not by_rows and not bounded:
        raise InvalidParameter("there is nothing to profile: each unit owns one row, and no column has bounds")
    share = price / 2 if by_rows and bounded else price
    parts = [rows_part(policy, rows_histogram(policy, share, dialect))] if by_rows else []
    if bounded:
        query = PeopleOutside(bounded, policy.unit.column is None, _outside(policy, bounded, dialect))
        measure: Measure[Engine] = Measure.calibrated(query, epsilon=share, unit=policy.unit, name="")
        about = _about(policy, VALUES) | {"bounds": {name: [str(low), str(high)] for name, low, high in bounded}}
        parts.append(ProfilePart(measure, about))
    return tuple(parts)


def _about(policy: Policy, kind: str) -> dict[str, Any]:
    return {"kind": kind, "table": policy.table, "version": policy.version, "unit": policy.unit.column}


def _bounded(policy: Policy, columns: Iterable[str] | None) -> tuple[tuple[str, Fraction, Fraction], ...]:
    """The columns of numbers with bounds, or those of them that are named."""
    every = [name for name in policy.bounds if kind_of(policy.columns[name]) is Kind.NUMBER]
    if columns is None:
        names = [name for name in every if name in policy.ceilings.limits] or every
    else:
        names = [policy.column(name) for name in ([columns] if isinstance(columns, str) else columns)]
        if lacking := [name for name in names if name not in every]:
            raise InvalidParameter(f"{lacking[0]!r} is no column of numbers with bounds: declare bounds for it first")
    if len(names) > MOST_COLUMNS:
        raise InvalidParameter(
            f"a profile of {len(names)} columns would be noise: name at most {MOST_COLUMNS} of them with columns="
        )
    ends = {name: policy.bounds[name] for name in names}
    return tuple((name, rational(low, "bounds"), rational(high, "bounds")) for name, (low, high) in ends.items())


def _outside(policy: Policy, bounded: Iterable[tuple[str, Fraction, Fraction]], to: Dialect) -> str:
    """For each column, how many units have a value below its bounds, and how many above."""
    marks: list[exp.Expr] = []
    for name, low, high in bounded:
        value = column(name, policy).tree
        below = exp.LT(this=value, expression=literal(Fraction(float_above(low))).tree)
        above = exp.GT(this=value.copy(), expression=literal(Fraction(float_below(high))).tree)
        marks += [_mark(side) for side in (below, above)]
    source = exp.select().from_(exp.table_(SOURCE, quoted=True))
    names = [f"p{place}" for place in range(len(marks))]
    if policy.unit.column is not None:
        unit = exp.column(policy.unit.column, table=SOURCE, quoted=True)
        source = source.where(unit.is_(exp.null()).not_()).group_by(unit.copy())
        marks = [exp.Max(this=mark) for mark in marks]
    owned = source.select(*(exp.alias_(mark, name, quoted=True) for mark, name in zip(marks, names, strict=True)))
    sums = [(to.narrow(f'COALESCE(SUM("{name}"), 0)'), name) for name in names]
    totals = ", ".join(f'{total} AS "{name}"' for total, name in sums)
    return f'SELECT 0 AS "cell", {totals} FROM {to.text(owned.subquery("owned"))}'


def _mark(condition: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))], default=exp.Literal.number(0))


@dataclass(frozen=True, slots=True)
class KnownProfile:
    """What the ledger holds of a table's profile, and when each part was bought.

    A part is `current` if it is of the version that is asked now: only then do intervals rest on it. An older one still
    helps to choose, and is told with its date.
    """

    rows: Outcome | None = None
    values: Mapping[str, tuple[NoisyPeople, NoisyPeople]] | None = None
    rows_time: str = ""
    rows_current: bool = False
    values_time: str = ""
    values_current: bool = False

    @classmethod
    def of(cls, curator: Curator[Any], policy: Policy) -> "KnownProfile":
        """The last parts that were bought for this table and unit, and for the bounds that hold now."""
        known = cls()
        for time, stored in curator.ledger.labelled(curator.dataset, PROFILE):
            known = known.having(Outcome.from_dict(stored), time, policy)
        return known

    def having(self, outcome: Outcome, time: str, policy: Policy) -> "KnownProfile":
        """This, and a part that was released later, if it is about this table, unit and bounds."""
        about = outcome.notes.get(NOTE)
        if about is None or (about["table"], about["unit"]) != (policy.table, policy.unit.column):
            return self
        current = about["version"] == policy.version
        if about["kind"] == ROWS:
            return replace(self, rows=outcome, rows_time=time, rows_current=current)
        values = _values(outcome, about, policy)
        if current and self.values_current:
            values = {**(self.values or {}), **values}
        return replace(self, values=values, values_time=time, values_current=current)

    def lines(self) -> tuple[str, ...]:
        """What is told of it."""
        said = []
        for what, time, current in (
            ("rows of each unit", self.rows_time, self.rows_current),
            ("values outside of bounds", self.values_time, self.values_current),
        ):
            if time:
                old = "" if current else ", of another version: buy a new one with `policy profile` for intervals"
                said.append(f"profile      {what}, released {time[:10]}{old}")
        return tuple(said)


@dataclass(frozen=True, slots=True)
class TableProfile:
    """A table's profile as a reader sees it: noisy numbers of people, all of them released."""

    known: KnownProfile

    @property
    def rows(self) -> dict[int, int]:
        """How many people own at most so many rows, and more than the number before; the last bin has no end."""
        outcome = self.known.rows
        if outcome is None or outcome.keys is None:
            return {}
        return {int(str(end)): int(n) for end, n in zip(outcome.keys.values, outcome.columns[0].values, strict=True)}

    @property
    def outside(self) -> dict[str, tuple[int, int]]:
        """For each column, how many people have a value below its bounds, and how many above."""
        sides = self.known.values or {}
        return {name: (sum(below.cells), sum(above.cells)) for name, (below, above) in sides.items()}

    @escaped
    def __str__(self) -> str:
        if not self.rows and not self.outside:
            return "no profile was bought yet: profile(epsilon=…), or `dalenius policy profile`"
        ends, said = list(self.rows), list(self.known.lines())
        for place, (end, number) in enumerate(self.rows.items()):
            first = 1 if place == 0 else ends[place - 1] + 1
            owned = counted_rows(end) if first == end else f"{first:,}–{end:,} rows"
            owned = f"over {counted_rows(first - 1)}" if place == len(ends) - 1 else owned
            said.append(f"  {owned}: about {counted_people(number)}")
        if self.known.rows is not None and self.rows:
            error = ceil(self.known.rows.columns[0].accuracy(0.05))
            said.append(f"  ± {counted_people(error)} in each of these, 95 % of the time")
        for name, (below, above) in self.outside.items():
            have = "has" if below == 1 else "have"
            error = ceil((self.known.values or {})[name][0].mechanism.accuracy(0.05))
            said.append(
                f"  {name}: about {counted_people(below)} {have} values below its bounds, {above:,} above, ± {error:,}"
            )
        return "\n".join(said)

    __repr__ = __str__


def _values(outcome: Outcome, about: Mapping[str, Any], policy: Policy) -> dict[str, tuple[NoisyPeople, NoisyPeople]]:
    """The people below and above, of columns whose bounds are still those that were measured."""
    columns = {one.name: one for one in outcome.columns if isinstance(one, Measured)}
    known = {}
    for name, ends in about["bounds"].items():
        now = policy.bounds.get(name)
        if now is None or [str(rational(end, "bounds")) for end in now] != ends:
            continue
        sides = (columns[f"{name} {side}"] for side in ("below", "above"))
        low, high = (NoisyPeople(side.cells, side.mechanism) for side in sides)
        known[name] = (low, high)
    return known
