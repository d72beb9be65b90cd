"""Which numbers of an answer have an interval of the whole answer: by the query, the ceilings and the profile alone."""

import math
from fractions import Fraction

from sqlglot import exp

from dalenius.curator import Measured, Outcome
from dalenius.curator.answer.whole import COUNT, MEAN, PEOPLE, SUM, NoisyPeople, WholeAnswer, WholeColumn
from dalenius.numerics import rational
from dalenius.sql.planner.bounding_view import Weighting
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.conditional_aggregates import read_question
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.profile import KnownProfile
from dalenius.sql.pricing.rows_per_unit import OCTAVES

_WEIGHTED = (Weighting.WHOLE, Weighting.ROWS, Weighting.NORM)


def whole_answer(
    text: str, policy: Policy, compiled: Compiled, contributions: int | None, profile: KnownProfile
) -> WholeAnswer | None:
    """What an outcome of this query needs for intervals of the whole answer; None if no number of it has one.

    Only for rows of the first table itself, weighted unit by unit: a join may multiply rows beyond the ceiling, a
    prepared table keeps some rows and drops others, keys that are found leave groups out, weights are held too.
    """
    view = compiled.view
    if (
        policy.weight is not None
        or not compiled.plain
        or compiled.prepared
        or compiled.named
        or view is None
        or view.weighting not in _WEIGHTED
    ):
        return None
    most = 1 if policy.unit.column is None else contributions
    if most is None:
        return None
    beyond = _beyond(profile.rows, most) if profile.rows is not None and profile.rows_current else None
    columns = {}
    tree = read_question(text)
    if len(tree.expressions) != len(compiled.output.columns):
        return None
    by_person = {part for group in compiled.groups if group.person for part in group.parts}
    for node, shown in zip(tree.expressions, compiled.output.columns, strict=True):
        # a sum that is bounded person by person has other weights, of which nothing is proved here
        unproven = isinstance(shown.of, int) or by_person & shown.of.names
        kind = None if unproven else _kind(node.unalias(), policy)
        column = None if kind is None else _column(kind, node.unalias(), policy, compiled, most, profile, beyond)
        if column is not None:
            columns[shown.name] = column
    names = [shown.name for shown in compiled.output.columns]
    columns = {name: column for name, column in columns.items() if names.count(name) == 1}
    return WholeAnswer(most, beyond, columns) if columns else None


def _kind(node: exp.Expr, policy: Policy) -> str | None:
    """What a selected number is, of those whose whole answer has a bound."""
    if isinstance(node, exp.CountIf):
        return COUNT
    if isinstance(node, exp.Count):
        if not isinstance(node.this, exp.Distinct):
            return COUNT
        counted = node.this.expressions
        by_unit = len(counted) == 1 and isinstance(counted[0], exp.Column)
        return PEOPLE if by_unit and counted[0].name.lower() == (policy.unit.column or "").lower() else None
    if type(node) in (exp.Sum, exp.Avg) and isinstance(node.this, exp.Column):
        return SUM if isinstance(node, exp.Sum) else MEAN
    return None


def _column(
    kind: str,
    node: exp.Expr,
    policy: Policy,
    compiled: Compiled,
    most: int,
    profile: KnownProfile,
    beyond: NoisyPeople | None,
) -> WholeColumn | None:
    cut = _is_cut(kind, policy, compiled, most)
    if cut and (beyond is None or (kind != PEOPLE and policy.ceilings.most_rows is None)):
        return None
    missed = _missed(kind, policy, most) if cut else ()
    if kind in (COUNT, PEOPLE):
        return WholeColumn(kind, missed)
    name = next((one for one in policy.bounds if one.lower() == node.this.name.lower()), None)
    limits = None if name is None else policy.ceilings.limits_of(name)
    if name is None or limits is None:
        return None
    low, high = (rational(end, "bounds") for end in policy.bounds[name])
    below, above = _clamped(profile, name)
    if (limits[0] < low and below is None) or (limits[1] > high and above is None):
        return None
    return WholeColumn(
        kind, missed, (low, high), limits, below if limits[0] < low else None, above if limits[1] > high else None
    )


def _is_cut(kind: str, policy: Policy, compiled: Compiled, most: int) -> bool:
    """Whether bounding can leave rows of a unit out: not of one that owns no more, or is in no more cells."""
    if policy.unit.column is None or policy.rows_per_unit == "one":
        return False
    if kind == PEOPLE:
        return math.prod(1 if key.attribute else len(key.values) for key in compiled.keys) > most
    return policy.ceilings.most_rows is None or policy.ceilings.most_rows > most


def _missed(kind: str, policy: Policy, most: int) -> tuple[Fraction, ...]:
    """How many rows a unit of each bin beyond T can miss in a cell.

    A unit of n ≤ e rows counts least(n, M) ≤ least(e, M) in the whole answer and T in the bounded one, less what the
    rounding of weights to 2⁻²⁰ takes: n·2⁻²⁰, which 2⁻¹⁹·e is more than, and no more than 1 up to 10⁶ rows. The last
    bin has no end. People are counted once in a cell, so there a unit misses 1 at most.
    """
    ends = _ends_beyond(most)
    if kind == PEOPLE:
        return (Fraction(1),) * len(ends)
    ceiling = policy.ceilings.most_rows
    assert ceiling is not None
    return tuple(
        Fraction(ceiling if end is None else min(end, ceiling)) - most + (1 if end is None else Fraction(end, 2**19))
        for end in ends
    )


def _ends_beyond(most: int) -> tuple[int | None, ...]:
    """The most rows of units in each bin beyond the last edge at or below T; None for the last, which has no end."""
    ends = [2**power for power in range(OCTAVES + 1)]
    edge = max(place for place, end in enumerate(ends) if end <= most or place == 0)
    return (*ends[edge + 1 :], None)


def _clamped(profile: KnownProfile, name: str) -> tuple[NoisyPeople | None, NoisyPeople | None]:
    if profile.values is None or not profile.values_current or name not in profile.values:
        return None, None
    return profile.values[name]


def _beyond(rows: Outcome, most: int) -> NoisyPeople | None:
    """The people in the bins beyond the last edge at or below T: all who own more than T rows, and some others."""
    column, bins = rows.columns[0], len(_ends_beyond(most))
    if rows.keys is None or len(rows.keys) != OCTAVES + 2 or not isinstance(column, Measured):
        return None
    return NoisyPeople(tuple(column.cells[-bins:]), column.mechanism)
