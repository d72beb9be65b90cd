"""The ends of every number of an answer, at any level: the region of its released tables, carried through its SQL.

With probability at least the level all statements about the noise hold at once, by a union bound; and then every
number that the statement gives of the true tables lies between its ends, for each step holds whatever is possible.
A number that is a formula over released ones, in a row that no noise picked, has the ends of that formula alone.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlglot import exp

from dalenius.curator import Measured
from dalenius.sql.after.regions.dates import moment
from dalenius.sql.after.regions.query import Queries
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import RowRelation
from dalenius.sql.after.regions.sources import PublicSource, ReleasedSource
from dalenius.sql.after.regions.values import MISSING, Exact, MadeValue, NoRule, OneOf, Unknown, Value, is_number

Ends = tuple[float, float]
_ANYWHERE = (-math.inf, math.inf)
_CLOSE = 1e-9
_NEVER = Fraction(0)


@dataclass(frozen=True, slots=True)
class ColumnError:
    """What is known of a column: that no noise has touched it, that it has ends, or why it has none."""

    exact: bool
    reason: str = ""


@dataclass(frozen=True)
class Carried:
    """A statement that was evaluated over regions, and the engine's rows, each of which is one of those here.

    Which one that is hangs on the region: where noisy numbers make the groups, a wide one has more of them.
    """

    outer: exp.Expr
    tables: Mapping[str, RowRelation]
    drawn: Mapping[str, Measured]
    engine: tuple[tuple[Any, ...], ...]
    """The rows that the engine gives."""
    columns: tuple[ColumnError, ...]
    picked: bool
    """Whether noisy numbers decide which rows are shown."""
    needed: int
    """Statements about the noise that computing takes."""
    every: int
    """Those, and the ones about every number that is, or could be, shown."""

    @classmethod
    def of(
        cls, outer: exp.Expr, sources: Mapping[str, ReleasedSource | PublicSource], engine: Sequence[tuple[Any, ...]]
    ) -> "Carried":
        """Evaluate the statement; refused by `NoRule` where it has no rule, or does not give the engine's rows."""
        tables: dict[str, RowRelation] = {}
        drawn: dict[str, Measured] = {}
        for name, source in sources.items():
            tables[name], numbers = source.read(name)
            drawn |= numbers
        region = JointRegion(drawn, _NEVER)
        relation = Queries(region, tables).relation(outer)
        needed = len(region.asked)
        for row in relation.rows:
            for value in row.values:
                region.ends(value)
        _matched(relation, engine)
        columns = tuple(_known([row.values[n] for row in relation.rows]) for n in range(len(relation.names)))
        return cls(outer, tables, drawn, tuple(engine), columns, not relation.exact, needed, len(region.asked))

    def ends(self, column: int, level: Fraction, joint: bool) -> list[Ends]:
        """The ends of one column, row by row of the engine's; all that could be shown at once if noise picked rows.

        Where the arithmetic of a region fails, as floats overflow, nothing is known of it: the answer itself is there.
        """
        try:
            return self._ends(column, level, joint)
        except ArithmeticError:
            return [_ANYWHERE] * len(self.engine)

    def _ends(self, column: int, level: Fraction, joint: bool) -> list[Ends]:
        beta = 1 - level
        at_once = joint or self.picked
        statements = max(1, self.every if at_once else self.needed)
        region = JointRegion(self.drawn, beta / statements)
        relation = Queries(region, self.tables).relation(self.outer)
        try:
            matched = _matched(relation, self.engine)
        except NoRule:
            return [_ANYWHERE] * len(self.engine)
        values = [relation.rows[row].values[column] for row in matched]
        if at_once:
            for row in relation.rows:
                for value in row.values:
                    region.ends(value)
        if len(region.asked) > statements:  # what is asked of the noise hangs on its outcome: nothing is promised
            return [_ANYWHERE] * len(values)
        alone: dict[int, JointRegion] = {}
        return [
            self._alone(value, beta, alone) if isinstance(value, MadeValue) and not at_once else _of(value, region)
            for value in values
        ]

    def _alone(self, value: MadeValue, beta: Fraction, regions: dict[int, JointRegion]) -> Ends:
        """The ends of one number by the statements that it takes alone."""
        statements = max(1, len(value.formula.statements))
        if statements not in regions:
            regions[statements] = JointRegion(self.drawn, beta / statements)
        return regions[statements].formula(value.formula)


def _of(value: Value, region: JointRegion) -> Ends:
    return region.ends(value) or _ANYWHERE


def _known(values: Sequence[Value]) -> ColumnError:
    unknown = next((value for value in values if isinstance(value, Unknown)), None)
    if unknown is not None:
        return ColumnError(False, unknown.reason)
    if all(isinstance(value, Exact) for value in values):
        return ColumnError(True)
    for value in values:
        listed = value.values if isinstance(value, OneOf) else ()
        if any(one is not None and not is_number(one) for one in listed):
            return ColumnError(False, "noisy numbers decide it, and it is no number")
    return ColumnError(False)


def _matched(relation: RowRelation, engine: Sequence[tuple[Any, ...]]) -> tuple[int, ...]:
    """Which row here each of the engine's is: by its values, in order as far as may be."""
    shown = [number for number, row in enumerate(relation.rows) if row.presence.point]
    if len(shown) != len(engine):
        raise NoRule("the engine gives other rows than the rules for regions")
    left, places = list(shown), []
    for row in engine:
        place = next((one for one in left if _same(relation.rows[one].values, row)), None)
        if place is None:
            raise NoRule("the engine gives other values than the rules for regions")
        left.remove(place)
        places.append(place)
    return tuple(places)


def _same(values: Sequence[Value], row: Sequence[Any]) -> bool:
    return len(values) == len(row) and all(
        _alike(value.point, theirs) for value, theirs in zip(values, row, strict=True)
    )


def _alike(mine: Any, theirs: Any) -> bool:
    if mine is MISSING:
        return True
    if mine is None or theirs is None:
        return mine is None and theirs is None
    if isinstance(mine, datetime):
        return mine == moment(theirs)
    if isinstance(mine, int | float | Fraction) and isinstance(theirs, int | float) and not isinstance(mine, bool):
        return math.isclose(float(mine), float(theirs), rel_tol=_CLOSE, abs_tol=_CLOSE)
    return bool(mine == theirs)
