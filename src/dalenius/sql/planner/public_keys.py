"""The terms of GROUP BY, and which combinations of their values are public."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.planner.output import KeyAxis
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import (
    Typed,
    allowed_values,
    can_be_null,
    has_dates,
    joint_values,
    public_values,
    row_expression,
)
from dalenius.sql.rows.reachable_values import reachable_values
from dalenius.sql.text.words import written
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind

_TIMES = (Kind.DATE, Kind.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class GroupTerm:
    """One term of GROUP BY: as it is written, as it is computed, and its public values if it has any."""

    node: exp.Expr
    part: Typed
    values: tuple[Key, ...] | None

    @classmethod
    def of(
        cls,
        node: exp.Expr,
        policy: Policy,
        search: KeySearch | None,
        where: exp.Expr | None = None,
        of_unit: frozenset[str] = frozenset(),
        *,
        nulls: bool = True,
    ) -> "GroupTerm":
        """Read a term; dates have the values that lie between their bounds, and no others, and NULL where it is a key.

        Where the condition allows none of them, all are shown, with nothing in them.
        A term that has none is not found either where it reads the columns `of_unit`, which name people. Without
        `nulls` NULL is no key.
        """
        part = row_expression(node, policy)
        values, listed = part.values, None
        if not values or ((where is not None or has_dates(node, policy)) and not part.constant):
            listed = _keys(public_values(node, part, policy, where), nulls)
            listed = listed or _keys(public_values(node, part, policy), nulls)
            values = listed or values
        if values and not listed and nulls and can_be_null(node, part, policy, where):
            values = (*values, None)
        values = reachable_values(node, part, values, policy, where)
        if values and where is not None:
            values = allowed_values(node, part, values, where, policy) or values
        term = cls(node, part, values or None)
        if not term.is_public and term.columns & of_unit:
            _refuse_name(term)
        if search is None and not term.is_public:
            refuse_key(term, policy)
        return term

    @property
    def is_public(self) -> bool:
        """Whether its values are public."""
        return self.values is not None and self.part.kind is not Kind.NULL

    @property
    def columns(self) -> frozenset[str]:
        """The columns that it reads."""
        return frozenset(column.name for column in self.node.find_all(exp.Column))


def _keys(values: tuple[Key, ...] | None, nulls: bool) -> tuple[Key, ...]:
    return tuple(value for value in values or () if nulls or value is not None)


def axes_of_terms(
    terms: Sequence[GroupTerm], policy: Policy, where: exp.Expr | None = None, *, nulls: bool = True
) -> tuple[KeyAxis, ...]:
    """An axis for each set of terms that read a column in common, if their combinations are public; else for each."""
    axes: list[KeyAxis] = []
    for places in _connected(terms):
        together = [terms[place] for place in places]
        rows = None
        if len(places) > 1:
            rows = joint_values([one.node for one in together], [one.part for one in together], policy, where)
            rows = tuple(row for row in rows or () if nulls or None not in row)
        if rows:
            axes.append(KeyAxis(tuple(places), rows))
        else:
            axes += [KeyAxis((place,), tuple((value,) for value in terms[place].values or ())) for place in places]
    return tuple(sorted(axes, key=lambda axis: axis.places))


def _connected(terms: Sequence[GroupTerm]) -> list[list[int]]:
    """The places of terms that read a column in common, directly or through others."""
    sets: list[tuple[list[int], frozenset[str]]] = []
    for place, term in enumerate(terms):
        touching = [one for one in sets if one[1] & term.columns]
        places = sorted([place, *(other for one in touching for other in one[0])])
        columns = term.columns.union(*(one[1] for one in touching))
        sets = [one for one in sets if one not in touching] + [(places, columns)]
    return [places for places, _ in sets]


def refuse_unit(terms: Sequence[exp.Expr], policy: Policy, people: frozenset[str] = frozenset()) -> None:
    """Refuse groups of one person each, by the unit or a copy of it: none can be shown, whatever keys there are."""
    unit = policy.unit.column
    named = [term.name for term in terms if isinstance(term, exp.Column) and term.name in people | {unit}]
    if unit is not None and named:
        raise UnsupportedQuery(
            f"GROUP BY {named[0]} would give every person a row, and no row of one person can be shown: aggregate once "
            f"more, SELECT AVG(n) FROM (SELECT {unit}, COUNT(*) AS n FROM … GROUP BY {unit}) AS each"
        )


def _refuse_name(term: GroupTerm) -> NoReturn:
    """Refuse to find keys that are computed from the unit: one that is found is somebody's name."""
    raise UnsupportedQuery(
        f"GROUP BY {written(term.node)} is computed from the column that tells people apart, and no row of one person "
        "can be shown: group by CASE with values written out, or by another column of theirs"
    )


def refuse_key(term: GroupTerm, policy: Policy | None = None) -> NoReturn:
    """Refuse a term without public values, with what would make them so."""
    shown = term.node.name if isinstance(term.node, exp.Column) else "an expression"
    if term.part.kind is Kind.NULL:
        raise UnsupportedQuery("GROUP BY NULL has no rule: group by a column")
    if policy is not None and (dates := _dates_without_bounds(term, policy)):
        raise UnboundedQuery(
            f"GROUP BY {written(term.node)} needs the range of {dates[0]}: the owner declares "
            f"bounds={{{dates[0]!r}: ('2023-01-01', '2025-12-31')}}, or write WHERE {dates[0]} BETWEEN '2023-01-01' "
            "AND '2025-12-31', or give delta= to find keys that enough units share"
        )
    if term.part.kind is Kind.TIMESTAMP:
        raise UnboundedQuery(
            f"GROUP BY {written(term.node)} would have a key for every instant: group by DATE_TRUNC('hour', …), "
            "DATE_TRUNC('day', …) or a longer period"
        )
    if term.part.least is not None:
        raise UnboundedQuery(
            f"GROUP BY {shown} needs public keys, and nothing bounds it above: group by LEAST({shown}, 20), whose last "
            "group is 20 and more, or the owner declares bounds= or keys=, or give delta= to find keys that enough "
            "units share"
        )
    named = f"keys={{{term.node.name!r}: [...]}}" if isinstance(term.node, exp.Column) else "keys= for its columns"
    raise UnboundedQuery(
        f"GROUP BY {shown} needs public keys: the owner declares {named}, or group by CASE with values written out"
        ", or give delta= to find keys that enough units share"
    )


def _dates_without_bounds(term: GroupTerm, policy: Policy) -> list[str]:
    names = sorted(term.columns)
    return [name for name in names if kind_of(policy.columns[name]) in _TIMES and name not in policy.bounds]
