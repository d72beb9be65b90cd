"""A question picked from lists, as SQL: what is asked, by which key, over which time."""

from collections.abc import Mapping

from dalenius.errors import InvalidParameter
from dalenius.sql import Policy

ASKED = {
    "count": "How many rows",
    "people": "How many people",
    "mean": "Mean of",
    "sum": "Sum of",
    "median": "Median of",
    "share": "Share of rows in each group",
}
PERIODS = ("year", "quarter", "month", "week", "day")
_NEEDS_COLUMN = frozenset({"mean", "sum", "median"})
_TIMES = frozenset({"DATE", "TIMESTAMP"})


def built(policy: Policy, picked: Mapping[str, str]) -> str:
    """The SELECT for what was picked; names of columns are the policy's own, quoted."""
    what, by, over = picked.get("what", "count"), picked.get("by", ""), picked.get("over", "")
    if what not in ASKED:
        raise InvalidParameter(f"pick one of {', '.join(ASKED)}")
    if by and by not in keys(policy):
        raise InvalidParameter("pick a column with declared keys")
    groups = [_quoted(by)] if by else []
    shown = [*groups]
    if over:
        period, column = _period(policy, over)
        groups.append(_quoted(period))
        shown.append(f"DATE_TRUNC('{period}', {_quoted(column)}) AS {_quoted(period)}")
    if what == "share" and not groups:
        raise InvalidParameter("a share is one of several groups: pick by what, or over which time")
    selected = ", ".join([*shown, _aggregate(policy, what, picked.get("column", ""))])
    grouped = f"\nGROUP BY {', '.join(groups)}" if groups else ""
    return f"SELECT {selected}\nFROM {_quoted(policy.table)}{grouped}"


def keys(policy: Policy) -> list[str]:
    """Columns to group by."""
    return sorted(policy.keys)


def times(policy: Policy) -> dict[str, str]:
    """Periods to group by over columns of dates with bounds, by what is picked: the bounds say which there are."""
    days = sorted(name for name in policy.bounds if policy.columns[name] in _TIMES)
    return {f"{period}:{name}": f"{name} by {period}" for name in days for period in PERIODS}


def numbers(policy: Policy) -> list[str]:
    """Columns that can be added up: those with bounds that are no dates."""
    return sorted(name for name in policy.bounds if policy.columns[name] not in _TIMES)


def _aggregate(policy: Policy, what: str, column: str) -> str:
    if what in _NEEDS_COLUMN and column not in numbers(policy):
        raise InvalidParameter("pick a column with declared bounds")
    if what == "people":
        unit = policy.unit.column
        return "COUNT(*) AS people" if unit is None else f"COUNT(DISTINCT {_quoted(unit)}) AS people"
    written = {
        "count": "COUNT(*) AS n",
        "mean": "AVG({}) AS mean",
        "sum": "SUM({}) AS total",
        "median": "MEDIAN({}) AS median",
        "share": "COUNT(*) / SUM(COUNT(*)) OVER () AS share",
    }
    return written[what].format(_quoted(column))


def _period(policy: Policy, over: str) -> tuple[str, str]:
    if over not in times(policy):
        raise InvalidParameter("pick a column of dates with declared bounds, and a period")
    period, _, column = over.partition(":")
    return period, column


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
