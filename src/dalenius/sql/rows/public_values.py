"""Which values an expression over a row can have, where its columns have finitely many that are public.

A column has as many values as keys were declared for it, or as lie between its bounds if it holds whole numbers or
dates. An expression over such columns has the values that it takes over every combination of theirs: a function of what
was declared and of the query, never of a row. Several expressions over the same columns are tried together, so that no
combination is listed that cannot occur. NULL is among the values of an expression if it is so where none of its columns
is NULL but those of which the owner says that their NULL is a group, or which how the rows are made leaves empty.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from sqlglot import exp

from dalenius.numerics import rational
from dalenius.queries import Key
from dalenius.sql.engine import PublicColumn, evaluated
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.dates import PARTS, TIMES_OF_DAY, part_name
from dalenius.sql.rows.periods import LONG, directives, is_time_of_day, unit_name
from dalenius.sql.rows.read import row_expression
from dalenius.sql.rows.typed import Typed, whole_numbers
from dalenius.sql.types.column_types import REALS, is_whole, kind_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

MOST_TRIED = 200_000
"""Combinations of public values that are tried for one expression."""
_VALUE = "(value)"
_HELD = {Kind.NUMBER: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN"}
_CUT = (exp.TimestampTrunc, exp.DateTrunc, exp.DateBin)
_STEPS = {"hour": 24, "quarter": 96}
"""Times that are tried for each day, where a time is looked at by more than its day."""
_DAYS = (exp.Date, exp.Dayname, exp.Monthname, exp.LastDay)


def joint_values(
    terms: Sequence[exp.Expr], parts: Sequence[Typed], policy: Policy, where: exp.Expr | None = None
) -> tuple[tuple[Key, ...], ...] | None:
    """Every combination of values that the expressions can have together, in order; None if that is not public.

    Of a condition `where` that all rows fulfil, what reads no other column leaves out what it excludes.
    """
    names = list(dict.fromkeys(column.name for term in terms for column in term.find_all(exp.Column)))
    columns = {name: declared for name in names if (declared := column_values(name, terms, policy)) is not None}
    tried = math.prod(len(values) for _, values in columns.values())
    if not names or len(columns) != len(names) or tried > MOST_TRIED:
        return None
    conditions = usable_conditions(where, names, terms, policy)
    as_null = [is_null_as_key(term, part, policy) for term, part in zip(terms, parts, strict=True)]
    rows = evaluated([*(part.tree for part in parts), *as_null, *conditions], columns)
    size = len(parts)
    kept = {row[:size]: None for row in rows if _are_keys(row[:size], row[size : 2 * size]) and all(row[2 * size :])}
    places = [{value: at for at, value in enumerate(part.values or ())} for part in parts]
    return tuple(sorted(kept, key=lambda row: _order(row, places)))


def _are_keys(values: Sequence[Key], as_null: Sequence[Key]) -> bool:
    """Whether every value can be a key; what is None and not NULL as a key is a number that no key can be."""
    return all(value is not None or is_null for value, is_null in zip(values, as_null, strict=True))


def is_null_as_key(term: exp.Expr, part: Typed, policy: Policy) -> exp.Expr:
    """Whether an expression is NULL, and so with no column NULL whose NULL is no group."""
    null: exp.Expr = part.tree.copy().is_(exp.null())
    if part.kind is Kind.NUMBER:
        null = exp.Or(this=null, expression=exp.IsNan(this=part.tree.copy()))
    null = exp.paren(null, copy=False)
    for name in dict.fromkeys(column.name for column in term.find_all(exp.Column)):
        if name not in policy.null_keys and name not in policy.fill:
            present = exp.column(name, table=SOURCE, quoted=True).is_(exp.null()).not_()
            null = exp.And(this=null, expression=present)
    return null


def _order(row: Sequence[Key], places: Sequence[dict[Key, int]]) -> tuple[object, ...]:
    """By the declared order of values, where there is one, else by their size; NULL is last."""
    return tuple(
        (2, 0) if value is None else (0, known[value]) if value in known else (1, value)
        for value, known in zip(row, places, strict=True)
    )


def usable_conditions(
    where: exp.Expr | None, names: Sequence[str], terms: Sequence[exp.Expr], policy: Policy
) -> list[exp.Expr]:
    """The parts of a condition over these columns alone, of times no finer than the expressions look at them."""
    if where is None:
        return []
    terms_read = []
    for term in where.flatten() if isinstance(where, exp.And) else [where]:
        read = {column.name for column in term.find_all(exp.Column)}
        times = [name for name in read if name in policy.columns and kind_of(policy.columns[name]) is Kind.TIMESTAMP]
        coarse = all(_finest(name, [*terms, term]) == _finest(name, terms) for name in times)
        if read and read <= set(names) and coarse and not term.find(exp.Query):
            terms_read.append(row_expression(term, policy).tree)
    return terms_read


def public_values(term: exp.Expr, part: Typed, policy: Policy, where: exp.Expr | None = None) -> tuple[Key, ...] | None:
    """The values of one expression."""
    rows = joint_values([term], [part], policy, where)
    return None if rows is None else tuple(row[0] for row in rows)


def allowed_values(
    term: exp.Expr, part: Typed, values: tuple[Key, ...], where: exp.Expr, policy: Policy
) -> tuple[Key, ...]:
    """The values of an expression that conditions on that very expression allow: `WHERE x + 1 < 3 GROUP BY x + 1`.

    A row whose value is not among them fulfils no such WHERE, so that no row is lost. All of them if none is left:
    a question without a cell has no answer.
    """
    declared = _HELD.get(part.kind)
    if declared is None or isinstance(term, exp.Column):
        return values
    terms = replace(policy, columns={**policy.columns, _VALUE: declared}, keys={}, bounds={}, fill={}, zones={})
    conditions = []
    for one in where.flatten() if isinstance(where, exp.And) else [where]:
        stands = exp.paren(one.copy())
        same = [node for node in stands.find_all(type(term)) if node == term]
        for node in same:
            node.replace(exp.column(_VALUE, quoted=True))
        if same and {column.name for column in stands.find_all(exp.Column)} == {_VALUE} and not one.find(exp.Query):
            conditions.append(row_expression(stands.this, terms).tree)
    if not conditions:
        return values
    own = row_expression(exp.column(_VALUE, quoted=True), terms).tree
    kept = {row[0] for row in evaluated([own, *conditions], {_VALUE: (declared, values)}) if all(row[1:])}
    return tuple(value for value in values if value in kept) or values


def has_dates(term: exp.Expr, policy: Policy) -> bool:
    """Whether an expression reads a date or a time."""
    return any(kind_of(policy.columns[one.name]) in (Kind.DATE, Kind.TIMESTAMP) for one in term.find_all(exp.Column))


def column_values(name: str, terms: Sequence[exp.Expr], policy: Policy) -> PublicColumn | None:
    """A column's values and NULL, in a type that reads them; None if they are not public or not few."""
    declared, ends, keys = policy.columns[name], policy.bounds.get(name), policy.keys.get(name)
    kind = kind_of(declared)
    if keys is not None:
        engine = {Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP"}.get(kind, declared) if kind is not None else declared
        return engine, (*keys.values, None)
    if kind is Kind.BOOLEAN:
        return "BOOLEAN", (False, True, None)
    if ends is None:
        return None
    if kind is Kind.NUMBER and is_whole(declared) and declared not in REALS:
        wholes = whole_numbers(rational(ends[0], "bounds"), rational(ends[1], "bounds"))
        return None if wholes is None else (declared, (*wholes, None))
    if kind not in (Kind.DATE, Kind.TIMESTAMP):
        return None
    first, last = (date.fromisoformat(str(end)) for end in ends)
    if kind is Kind.DATE or _finest(name, terms) == "day":
        return _days(first, last, kind)
    steps = _STEPS.get(_finest(name, terms))
    return None if steps is None else _times(first, last, steps)


def _days(first: date, last: date, kind: Kind) -> PublicColumn | None:
    count = (last - first).days + 1
    if count > MOST_TRIED:
        return None
    days = (first + timedelta(days=number) for number in range(count))
    return kind.name, (*(day.isoformat() for day in days), None)


def _times(first: date, last: date, steps: int) -> PublicColumn | None:
    count = steps * ((last - first).days + 1)
    if count > MOST_TRIED:
        return None
    start, step = datetime.combine(first, datetime.min.time()), timedelta(days=1) / steps
    times = (start + number * step for number in range(count))
    return "TIMESTAMP", (*(one.isoformat(sep=" ") for one in times), None)


def _finest(name: str, terms: Sequence[exp.Expr]) -> str:
    """How fine a time is looked at, wherever it stands: by "day", "hour" or "quarter" of one, or finer: ""."""
    grains = [_grain(node) for term in terms for node in term.find_all(exp.Column) if node.name == name]
    return next((one for one in ("", *reversed(_STEPS)) if one in grains), "day")


def _grain(column: exp.Expr) -> str:
    above = column.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if isinstance(above, exp.AtTimeZone):  # clocks lie whole quarters of an hour apart
        return "quarter" if _grain(above) else ""
    if isinstance(above, _DAYS) or (isinstance(above, exp.Cast) and above.to.this is exp.DataType.Type.DATE):
        return "day"
    if isinstance(above, _CUT):
        unit = above.this.args.get("unit") if isinstance(above, exp.DateBin) else above.args.get("unit")
        return "day" if unit_name(unit) in LONG else "hour" if unit_name(unit) == "hour" else ""
    if isinstance(above, exp.TimeToStr):
        pattern = "".join(
            str(side.this) for side in (above.this, above.args["format"]) if isinstance(side, exp.Literal)
        )
        return "" if is_time_of_day(pattern) else "hour" if set(directives(pattern)) & set("HIp") else "day"
    if above is not None and isinstance(above, (*PARTS, exp.Extract, exp.Anonymous)):
        part = part_name(above)
        return "" if part is None or part in ("minute", "second") else "hour" if part in TIMES_OF_DAY else "day"
    return ""
