"""What WHERE says of columns that stand alone: their public range among the rows that are left.

A condition `column < number` that every row fulfils bounds the column as a declaration does, and so does a list of
values. Both are written by the analyst, so what follows from them is public. Rows outside of it are gone already: to
take these ends for bounds changes no row, and whoever relies on bounds clamps.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import DaleniusError
from dalenius.queries import Keys
from dalenius.sql.engine import evaluated
from dalenius.sql.policy.by_table import BoundsByRows, DeclaredBounds
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.casts import cast_to
from dalenius.sql.rows.literals import number_of, text_of
from dalenius.sql.rows.read import row_expression
from dalenius.sql.rows.times import TIMES
from dalenius.sql.types.column_types import fits, is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT, exp.GTE: exp.LTE}
_FIRST, _LAST = date(1, 1, 1), date(9999, 12, 31)


def narrowed(policy: Policy, where: exp.Expr | None, *, until_today: bool = False) -> Policy:
    """The policy with what is known of the columns of rows that fulfil a condition.

    With `until_today` dates end at the policy's day, but for those that the condition itself gives an upper end.
    """
    conditions = list(_conditions(where)) if where is not None else []
    bounds, keys = dict(policy.bounds), dict(policy.keys)
    ends: dict[str, list[tuple[type[exp.Expr], exp.Expr]]] = {}
    for name, sign, value in conditions:
        if sign is exp.In:
            keys = _with_list(policy, keys, name, value)
        else:
            ends.setdefault(policy.column(name), []).append((sign, value))
    asked = set()
    for name, comparisons in ends.items():
        kind = kind_of(policy.columns[name])
        if kind in TIMES:
            bounds, later = _dates(policy, bounds, name, comparisons)
            asked |= {name} if later else set()
        elif kind is Kind.NUMBER:
            bounds = _numbers(policy, bounds, name, comparisons)
    if until_today:
        bounds = _until(policy, bounds, asked)
    empty = () if where is None else tuple(map(policy.column, _empty(where)))
    nulls = tuple(dict.fromkeys((*policy.null_keys, *empty)))
    changed = (bounds, keys, nulls) != (policy.bounds, policy.keys, policy.null_keys)
    return replace(policy, bounds=bounds, keys=keys, null_keys=nulls) if changed else policy


def _empty(where: exp.Expr) -> list[str]:
    """The columns that are NULL in all rows that fulfil a condition."""
    terms = [term.unnest() for term in (where.flatten() if isinstance(where, exp.And) else [where])]
    return [
        term.this.name
        for term in terms
        if isinstance(term, exp.Is) and isinstance(term.expression, exp.Null) and isinstance(term.this, exp.Column)
    ]


def _conditions(where: exp.Expr) -> Iterator[tuple[str, type[exp.Expr], exp.Expr]]:
    """The column, the sign and the other side of each condition that all rows fulfil."""
    for term in where.flatten() if isinstance(where, exp.And) else [where]:
        inner = term.unnest()
        if isinstance(inner, exp.And):
            yield from _conditions(inner)
        elif isinstance(inner, exp.Between) and isinstance(inner.this, exp.Column) and not inner.args.get("symmetric"):
            yield inner.this.name, exp.GTE, inner.args["low"]
            yield inner.this.name, exp.LTE, inner.args["high"]
        elif isinstance(inner, exp.In) and isinstance(inner.this, exp.Column) and inner.expressions:
            yield inner.this.name, exp.In, exp.Tuple(expressions=inner.expressions)
        elif isinstance(inner, exp.EQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
            yield from _comparison(inner)


def _comparison(node: exp.Expr) -> Iterator[tuple[str, type[exp.Expr], exp.Expr]]:
    left, right = node.this.unnest(), node.expression.unnest()
    sign = type(node)
    if not isinstance(left, exp.Column):
        left, right, sign = right, left, _TURNED.get(sign, sign)
    if not isinstance(left, exp.Column) or right.find(exp.Column):
        return
    if sign is exp.EQ:
        yield left.name, exp.In, exp.Tuple(expressions=[right])
        yield left.name, exp.GTE, right
        yield left.name, exp.LTE, right
    else:
        yield left.name, sign, right


def _with_list(policy: Policy, keys: dict[str, Keys], name: str, listed: exp.Expr) -> dict[str, Keys]:
    """Keys that a list of values leaves, or gives; the list must hold texts or numbers of the column's type."""
    column = policy.column(name)
    declared, values = policy.columns[column], []
    if declared != "VARCHAR" and not is_whole(declared):
        return keys  # two spellings could be one value, and a row would be in two cells
    for term in listed.expressions:
        literal = term.unnest()
        if not isinstance(literal, exp.Literal):
            return keys
        value = str(literal.this) if literal.is_string else _whole(literal)
        if value is None or not fits(value, declared) or (isinstance(value, str) and "\0" in value):
            return keys
        values.append(value)
    if column in keys:
        left = [value for value in keys[column].values if value in values]
        return {**keys, column: Keys(column, left)} if left else keys
    return {**keys, column: Keys(column, dict.fromkeys(values))} if column not in policy.fill else keys


def _whole(literal: exp.Expr) -> int | None:
    text = str(literal.this)
    return int(text) if text.isdigit() and len(text) < 16 else None


def _numbers(
    policy: Policy, bounds: dict[str, DeclaredBounds], name: str, comparisons: list[tuple[type[exp.Expr], exp.Expr]]
) -> dict[str, DeclaredBounds]:
    part = row_expression(exp.column(name, quoted=True), replace(policy, keys={}))
    low, high = part.bounds if part.bounds is not None else (part.least, None)
    by_rows = high if part.by_rows else None
    high = None if part.by_rows else high
    for sign, node in comparisons:
        value = _constant_number(node, policy)
        if value is None:
            continue
        if sign in (exp.LT, exp.LTE):
            end = _below(value) if sign is exp.LT else value
            high = end if high is None else min(high, end)
        else:
            end = _above(value) if sign is exp.GT else value
            low = end if low is None else max(low, end)
    if low is not None and high is None and by_rows is not None and low <= by_rows:
        return {**bounds, name: BoundsByRows((low, by_rows))}
    return {**bounds, name: (low, high)} if low is not None and high is not None and low <= high else bounds


def _constant_number(node: exp.Expr, policy: Policy) -> Fraction | None:
    if node.find(exp.Column, exp.Query):
        return None
    try:
        return number_of(row_expression(node, policy))
    except DaleniusError:  # the rule that reads WHERE refuses it by name
        return None


def _below(value: Fraction) -> Fraction:
    """The largest double below: columns hold doubles."""
    return Fraction(math.nextafter(float(value), -math.inf))


def _above(value: Fraction) -> Fraction:
    return Fraction(math.nextafter(float(value), math.inf))


def _dates(
    policy: Policy, bounds: dict[str, DeclaredBounds], name: str, comparisons: list[tuple[type[exp.Expr], exp.Expr]]
) -> tuple[dict[str, DeclaredBounds], bool]:
    """Bounds of a date, by whole days; and whether its last day was asked for."""
    ends = bounds.get(name)
    low = None if ends is None else date.fromisoformat(str(ends[0]))
    high = None if ends is None else date.fromisoformat(str(ends[1]))
    asked = False
    for sign, node in comparisons:
        when = _constant_time(node, policy, kind_of(policy.columns[name]))
        if when is None:
            continue
        day = when.date()
        midnight = when == datetime.combine(day, datetime.min.time())
        if sign in (exp.LT, exp.LTE):
            end = day - timedelta(days=1) if sign is exp.LT and midnight and day > _FIRST else day
            high, asked = end if high is None else min(high, end), True
        else:
            after = sign is exp.GT and kind_of(policy.columns[name]) is Kind.DATE and midnight and day < _LAST
            start = day + timedelta(days=1) if after else day
            low = start if low is None else max(low, start)
    if low is None or high is None:
        if low is not None and name not in bounds:  # from a day that was asked until today
            return {**bounds, name: (str(low), str(max(low, policy.today)))}, asked
        return bounds, asked
    return ({**bounds, name: (str(low), str(high))} if low <= high else bounds), asked


def _constant_time(node: exp.Expr, policy: Policy, kind: Kind | None) -> datetime | None:
    if kind is None or node.find(exp.Column, exp.Query):
        return None
    try:
        part = row_expression(node, policy)
        if part.kind not in TIMES and text_of(part) is None:
            return None
        ((moment,),) = evaluated([cast_to(Kind.TIMESTAMP, part).tree], {})
        return None if moment is None else datetime.fromisoformat(str(moment))
    except (DaleniusError, ValueError):
        return None


def _until(policy: Policy, bounds: dict[str, DeclaredBounds], asked: set[str]) -> dict[str, DeclaredBounds]:
    """Dates that end at the policy's day: none after it has a row unless it was asked for."""
    today = policy.today
    for name, ends in list(bounds.items()):
        if name in asked or kind_of(policy.columns[name]) not in TIMES:
            continue
        low, high = (date.fromisoformat(str(end)) for end in ends)
        if low <= today < high:
            bounds[name] = (str(low), str(today))
    return bounds
