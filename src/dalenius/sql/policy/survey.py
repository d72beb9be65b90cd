"""A first policy for a table, made for its owner from one look at the data: to read, mend and keep.

Everything suggested here comes from rows, so it is the owner's secret until the owner has decided that it may be
public: bounds are rounded outward to round numbers, and keys are listed to be checked one by one.
"""

import math
from typing import Any

from dalenius.sql.engine import Engine
from dalenius.sql.policy import toml as policy_file
from dalenius.sql.types.column_types import KEY_TYPES, REALS, UNIT_TYPES, is_whole, kind_of
from dalenius.sql.types.kinds import Kind

MOST_KEYS = 50
_CONTRIBUTIONS = 10
_NOTES = {
    "table": "Written by a look at the data: everything below is private until you decide that it may be public.",
    "unit": "Who is protected: a column that names people, or row if each person owns one row.",
    "contributions": "How many rows of one person count in full; more of theirs count for as much together. "
    "Left out, it is found privately.",
    "infinity": "NaN is NULL; an infinite number is clamped to the bounds, or null.",
    "budget": "What may be spent on all questions together.",
    "bounds": "Lowest and highest value that counts in full. Take what you know without the data.",
    "keys": "Groups that may be shown, present in the data or not. Strike out what only the data could have told.",
}


def survey(engine: Engine, source: str | None = None) -> str:
    """The policy as TOML with comments; for the owner alone, since it tells of rows."""
    columns = engine.columns
    unit = _unit(engine, columns)
    numbers = [name for name, kind in columns.items() if kind_of(kind) is Kind.NUMBER and name != unit]
    terms: dict[str, Any] = {
        **{"table": engine.name, "source": source, "unit": unit or "row", "relation": "add-remove"},
        **{"contributions": _CONTRIBUTIONS if unit else None, "infinity": "clamp"},
        **{"budget": {"epsilon": 1, "delta": 0}, "columns": columns},
        "bounds": {name: ends for name in numbers if (ends := _bounds(engine, name, columns[name])) is not None},
        "keys": {
            name: values for name, kind in columns.items() if name != unit and (values := _keys(engine, name, kind))
        },
    }
    return policy_file.write(terms, _NOTES)


def _unit(engine: Engine, columns: dict[str, str]) -> str | None:
    """The column that most looks as if it named people: an id by name, with many values."""
    likely = [name for name, kind in columns.items() if kind in UNIT_TYPES and _named_like_people(name)]
    counted = [(engine.distinct(name), name) for name in likely]
    return max(counted)[1] if counted else None


def _named_like_people(name: str) -> bool:
    words = name.lower().replace("-", "_").split("_")
    return bool({"user", "person", "customer", "client", "patient", "member", "userid", "id", "uid"} & set(words))


def _bounds(engine: Engine, name: str, kind: str) -> list[int | float] | None:
    least_and_largest = engine.ends(name)
    if least_and_largest is None:
        return None
    ends = _round(least_and_largest[0], math.floor), _round(least_and_largest[1], math.ceil)
    return [int(end) if is_whole(kind) or end.is_integer() else end for end in map(float, ends)]


def _round(value: float, outward: Any) -> float:
    """To one leading digit, outward."""
    if value == 0:
        return 0.0
    step = 10.0 ** math.floor(math.log10(abs(value)))
    return float(outward(value / step) * step)


def _keys(engine: Engine, name: str, kind: str) -> list[Any]:
    if kind not in KEY_TYPES or kind in REALS or kind == "BOOLEAN":
        return []
    listed = engine.values(name, MOST_KEYS + 1)
    return listed if len(listed) <= MOST_KEYS else []
