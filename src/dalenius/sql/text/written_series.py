"""Tables that a query writes out in short: GENERATE_SERIES, RANGE and UNNEST of a list, as the VALUES that they are.

`FROM generate_series(DATE '2025-01-01', DATE '2025-01-31', INTERVAL 1 DAY) AS s(day)` is 31 rows of constants, and
`(SELECT UNNEST([1, 2]) AS x) AS m` is two: functions of the text alone.
"""

import calendar
from collections.abc import Callable
from datetime import date, datetime, timedelta

from sqlglot import exp

from dalenius.errors import UnsupportedQuery

MOST = 500
_FORM = "write generate_series(DATE '2025-01-01', DATE '2025-01-31', INTERVAL 1 DAY) AS s(day), with constants"
_DAYS = {"day": 1, "week": 7}
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMPNTZ")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def write_out(tree: exp.Expr) -> None:
    """Replace every such table by its rows, in place."""
    for node in list(tree.find_all(exp.Table)):
        if isinstance(node.this, exp.GenerateSeries):
            _replace(node, _series(node.this), node.args.get("alias"), "generate_series")
    for spread in list(tree.find_all(exp.Unnest)):
        terms = spread.expressions
        if len(terms) == 1 and isinstance(terms[0], exp.Array) and not spread.args.get("offset"):
            _replace(spread, list(terms[0].expressions), spread.args.get("alias"), "unnest")
    for inner in list(tree.find_all(exp.Subquery)):
        listed = _listed(inner.this)
        if listed is not None and inner.alias and isinstance(inner.parent, exp.From | exp.Join):
            alias = exp.TableAlias(this=inner.args["alias"].this.copy(), columns=[exp.to_identifier(listed.alias)])
            _replace(inner, list(listed.this.this.expressions), alias, "unnest")


def _listed(select: exp.Expr) -> exp.Alias | None:
    """The one column of SELECT UNNEST([…]) AS x; None of any other SELECT."""
    if not isinstance(select, exp.Select) or {name for name, value in select.args.items() if value} != {"expressions"}:
        return None
    term = select.expressions[0]
    is_list = isinstance(term.unalias(), exp.Explode) and isinstance(term.unalias().this, exp.Array)
    return term if len(select.expressions) == 1 and isinstance(term, exp.Alias) and is_list else None


def _replace(node: exp.Expr, values: list[exp.Expr], alias: exp.Expr | None, column: str) -> None:
    if not values or len(values) > MOST:
        raise UnsupportedQuery(f"a table that is written out has 1 to {MOST} rows, got {len(values)}; {_FORM}")
    if any(value.find(exp.Column, exp.Query) for value in values):
        raise UnsupportedQuery(f"a table that is written out holds constants; {_FORM}")
    called = alias.this.copy() if alias is not None and alias.this is not None else exp.to_identifier(column)
    columns = list(alias.args.get("columns") or []) if alias is not None else []
    named = exp.TableAlias(this=called, columns=[columns[0].copy() if columns else exp.to_identifier(called.name)])
    node.replace(exp.Values(expressions=[exp.Tuple(expressions=[value.copy()]) for value in values], alias=named))


def _series(node: exp.GenerateSeries) -> list[exp.Expr]:
    """The values from the start to the end, as many as one more than may be."""
    start, end, step = (node.args.get(name) for name in ("start", "end", "step"))
    if start is None or end is None or node.args.get("is_inclusive"):
        raise UnsupportedQuery(f"a series has a start and an end; {_FORM}")
    first, last = _moment(start), _moment(end)
    without_end = bool(node.args.get("is_end_exclusive"))
    if first is not None and last is not None and isinstance(step, exp.Interval):
        moments = _steps(first, last, _moved(step), without_end)
        return [exp.cast(exp.Literal.string(one.isoformat(sep=" ")), "TIMESTAMP") for one in moments]
    ends = _whole(start), _whole(end), 1 if step is None else _whole(step)
    if None in ends or ends[2] == 0:
        raise UnsupportedQuery(f"a series is of whole numbers, or of dates with an INTERVAL; {_FORM}")
    low, high, by = (int(one) for one in ends if one is not None)
    high += 0 if without_end else (1 if by > 0 else -1)
    numbers = range(low, high, by)[: MOST + 1]
    return [exp.Literal.number(one) if one >= 0 else exp.Neg(this=exp.Literal.number(-one)) for one in numbers]


def _steps(first: datetime, last: datetime, moved: Callable[[datetime], datetime], short: bool) -> list[datetime]:
    """Each a step from the one before, as DuckDB has them: months from the 31st go on from the last day of February."""
    moments, one = list[datetime](), first
    while len(moments) <= MOST and (one < last or (one == last and not short)):
        moments.append(one)
        one = moved(one)
    return moments


def _moved(step: exp.Interval) -> Callable[[datetime], datetime]:
    """A moment one step on; a day that its month has not is the last that it has."""
    size, unit = step.this, step.args.get("unit")
    parts = str(size.name).split() if isinstance(size, exp.Literal) else []
    word = (parts[1] if len(parts) == 2 else "" if unit is None else unit.name).lower().rstrip("s")
    if not parts or not parts[0].isdigit() or not 0 < int(parts[0]) < 1_000:
        raise UnsupportedQuery(f"a series steps by a positive INTERVAL; {_FORM}")
    count = int(parts[0])
    if word in _DAYS:
        return lambda start: start + timedelta(days=count * _DAYS[word])
    if word == "hour":
        return lambda start: start + timedelta(hours=count)
    if word not in _MONTHS:
        raise UnsupportedQuery(f"a series of dates steps by hours, days, weeks, months, quarters or years; {_FORM}")

    def by_months(start: datetime) -> datetime:
        months = 12 * start.year + start.month - 1 + count * _MONTHS[word]
        year, month = divmod(months, 12)
        return start.replace(year=year, month=month + 1, day=min(start.day, calendar.monthrange(year, month + 1)[1]))

    return by_months


def _moment(node: exp.Expr) -> datetime | None:
    inner = node.unnest()
    if not isinstance(inner, exp.Cast) or not isinstance(inner.this, exp.Literal):
        return None
    try:
        text = str(inner.this.this)
        day = datetime.fromisoformat(text)
    except ValueError:
        return None
    return day if str(inner.to.this).rpartition(".")[2] in _TIMES and day.tzinfo is None and _is_near(day) else None


def _is_near(day: date) -> bool:
    """Whether a step from a day before another of these leads out of the calendar: none does."""
    return 1000 <= day.year <= 3000


def _whole(node: exp.Expr) -> int | None:
    inner, sign = node.unnest(), 1
    if isinstance(inner, exp.Neg):
        inner, sign = inner.this.unnest(), -1
    is_number = isinstance(inner, exp.Literal) and not inner.is_string and str(inner.this).isdigit()
    return sign * int(inner.this) if is_number and len(str(inner.this)) < 16 else None
