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
}
_NEEDS_COLUMN = frozenset({"mean", "sum", "median"})
_TIMES = frozenset({"DATE", "TIMESTAMP"})


def built(policy: Policy, picked: Mapping[str, str]) -> str:
    """The SELECT for what was picked; names of columns are the policy's own, quoted."""
    what, by = picked.get("what", "count"), picked.get("by", "")
    if what not in ASKED:
        raise InvalidParameter(f"pick one of {', '.join(ASKED)}")
    aggregate = _aggregate(policy, what, picked.get("column", ""))
    if not by:
        return f"SELECT {aggregate}\nFROM {_quoted(policy.table)}"
    if by not in keys(policy):
        raise InvalidParameter("pick a column with declared keys")
    key = _quoted(by)
    return f"SELECT {key}, {aggregate}\nFROM {_quoted(policy.table)}\nGROUP BY {key}"


def keys(policy: Policy) -> list[str]:
    """Columns to group by."""
    return sorted(policy.keys)


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
    }
    return written[what].format(_quoted(column))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
