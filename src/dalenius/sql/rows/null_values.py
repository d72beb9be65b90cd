"""Whether an expression over a row can be NULL where its columns hold what was declared.

Where every column has finitely many public values, all of them are tried. Of another column those are tried between
which the expression may change: what is written in it and in the condition, the values beside these, and the ends of
declared bounds. All of it is public. A NULL that is missed has no row, as one of a column whose NULL is no group has
none; one that never occurs has a row with nothing in it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta

from sqlglot import exp

from dalenius.queries import Key
from dalenius.sql.engine import PublicColumn, evaluated
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.public_values import column_values, is_null_as_key, usable_conditions
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.column_types import is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_MOST_TRIED = 20_000
_MOST_PAIRS = 12
"""Columns of which two values are tried together, where there are too many to try all."""
_MOST_BATCHES = 8
_TIMES = {Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP"}
_ANY_TEXT = ("", "\ufffdother")
_ANY_NUMBER = (-1.0, 0.0, 0.5, 1.0)
_ANY_DAY = ("2000-01-01", "2024-02-29")


def can_be_null(term: exp.Expr, part: Typed, policy: Policy, where: exp.Expr | None = None) -> bool:
    """Whether NULL is among the values of an expression over rows that fulfil a condition."""
    if isinstance(term, exp.Column) and term.name not in policy.null_keys:
        return False
    names = list(dict.fromkeys(column.name for column in term.find_all(exp.Column)))
    conditions = usable_conditions(where, names, [term], policy)
    places = [term, *([] if where is None else [where])]
    known = {name: column_values(name, [term], policy) or _around(name, places, policy) for name in names}
    tried = {name: one if _counts(name, policy) else _present(one) for name, one in known.items()}
    asked = [is_null_as_key(term, part, policy), *conditions]
    return any(all(row) for columns in _batches(tried) for row in evaluated(asked, columns))


def _counts(name: str, policy: Policy) -> bool:
    """Whether an expression is NULL as a key where this column is NULL: elsewhere NULL need not be tried."""
    return name in policy.null_keys or name in policy.fill


def _present(column: PublicColumn) -> PublicColumn:
    return column[0], column[1][:-1]


def _batches(columns: dict[str, PublicColumn]) -> Iterator[dict[str, PublicColumn]]:
    """As many values of each column as may be tried together, evenly spread from the first to the last.

    Of more columns than can have two values each, some have them and the others their first or their last, by turns.
    """
    size = len(columns)
    most = _MOST_TRIED if size == 1 else max(one for one in range(1, 142) if one**size <= _MOST_TRIED)
    if math.prod(len(values) for _, values in columns.values()) <= _MOST_TRIED:
        yield columns
    elif most > 1:
        yield {name: (kind, _spread(values, most)) for name, (kind, values) in columns.items()}
    else:
        turns = [(start, end) for start in range(0, size, _MOST_PAIRS) for end in (0, -1)]
        for start, end in turns[:_MOST_BATCHES]:
            yield {
                name: (kind, _spread(values, 2) if start <= place < start + _MOST_PAIRS else (values[end],))
                for place, (name, (kind, values)) in enumerate(columns.items())
            }


def _spread(values: tuple[Key, ...], most: int) -> tuple[Key, ...]:
    """So many of the values, the first and the last among them."""
    if len(values) <= most:
        return values
    return tuple(values[round(place * (len(values) - 1) / (most - 1))] for place in range(most))


def _around(name: str, places: Sequence[exp.Expr], policy: Policy) -> PublicColumn:
    """Values of a column between which conditions on it may change, and NULL."""
    declared = policy.columns[name]
    kind, ends = kind_of(declared), policy.bounds.get(name)
    literals = [literal for place in places for literal in place.find_all(exp.Literal)]
    texts = [str(literal.this) for literal in literals if literal.is_string]
    if kind is Kind.NUMBER:
        written = [float(str(literal.this)) for literal in literals if not literal.is_string]
        low, high = (-math.inf, math.inf) if ends is None else (float(end) for end in ends)
        middle = (low, (low + high) / 2, high) if ends is not None else _ANY_NUMBER
        near = _near((*written, *(-value for value in written), *middle), whole=is_whole(declared))
        return "DOUBLE", (*(value for value in near if low <= value <= high), None)
    if kind in _TIMES:
        days = _days((*texts, *(_ANY_DAY if ends is None else map(str, ends))))
        return _TIMES[kind], (*(day for day in days if ends is None or str(ends[0]) <= day[:10] <= str(ends[1])), None)
    return ("BOOLEAN", (False, True, None)) if kind is Kind.BOOLEAN else ("VARCHAR", (*_ANY_TEXT, *texts, None))


def _near(values: Iterable[float], *, whole: bool) -> list[float]:
    finite = [value for value in values if math.isfinite(value)]
    if whole:
        beside = [step for value in finite for step in (math.floor(value) - 1.0, math.floor(value), math.ceil(value))]
        return sorted({*map(float, beside), *(math.ceil(value) + 1.0 for value in finite)})
    ends = [math.nextafter(value, end) for value in finite for end in (-math.inf, math.inf)]
    return sorted({*finite, *ends})


def _days(texts: Iterable[str]) -> list[str]:
    found = set()
    for text in texts:
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            continue
        found |= {moment + timedelta(days=step) for step in (-1, 0, 1) if date.min < moment.date() < date.max}
    return sorted(moment.isoformat(sep=" ") for moment in found)
