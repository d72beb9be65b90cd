"""Whether an expression over a row can be NULL where its columns hold what was declared.

Where every column has finitely many public values, all of them are tried. Of another column those are tried between
which the expression may change: what is written in it and in the condition, the values beside these, and the ends of
declared bounds. All of it is public. A NULL that is missed has no row, as one of a column whose NULL is no group has
none; one that never occurs has a row with nothing in it.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from sqlglot import exp

from dalenius.sql.engine import PublicColumn, evaluated
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.public_values import column_values, is_null_as_key, usable_conditions
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.column_types import is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_MOST_TRIED = 20_000
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
    tried = {name: column_values(name, [term], policy) or _around(name, places, policy) for name in names}
    rows = evaluated([is_null_as_key(term, part, policy), *conditions], _thinned(tried))
    return any(all(row) for row in rows)


def _thinned(columns: dict[str, PublicColumn]) -> dict[str, PublicColumn]:
    """As many values of each column as may be tried together, evenly spread; NULL, the last, always."""
    if math.prod(len(values) for _, values in columns.values()) <= _MOST_TRIED:
        return columns
    most = max(2, int(_MOST_TRIED ** (1 / len(columns))))
    return {
        name: (kind, (*values[: -1 : math.ceil(len(values) / most)], values[-1]))
        for name, (kind, values) in columns.items()
    }


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
