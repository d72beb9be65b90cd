"""A first policy for a table, made for its owner from one look at the data: to read, mend and keep.

Everything suggested here comes from rows, so it is the owner's secret until the owner has decided that it may be
public: bounds are rounded outward to round numbers, and keys are listed to be checked one by one.
"""

import math
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.sql import policy_file
from dalenius.sql.columns import FILE_TYPES, KEY_TYPES, REALS, UNIT_TYPES, is_whole, kind_of
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.kinds import Kind
from dalenius.sql.names import SOURCE

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


def survey(engine: DuckDB, source: str | None = None) -> str:
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
            name: found for name, kind in columns.items() if name != unit and (found := _keys(engine, name, kind))
        },
    }
    return policy_file.write(terms, _NOTES)


def guess_types(file: str) -> dict[str, str] | None:
    """Types for a CSV from all of its rows, for the owner to check; None for a file that has types of its own."""
    if Path(file).suffix.lower() not in (".csv", ".tsv") or not Path(file).is_file():
        return None
    mark = "\t" if Path(file).suffix.lower() == ".tsv" else ","
    try:
        with duckdb.connect(":memory:") as connection:
            read = connection.read_csv(file, delimiter=mark, header=True, sample_size=-1, ignore_errors=True)
            found = dict(zip(read.columns, map(str, read.types), strict=True))
    except duckdb.Error:
        failed = InvalidParameter(f"{file} cannot be read as a CSV: is the file what its name says?")
    else:
        return {name: kind if kind in FILE_TYPES else "VARCHAR" for name, kind in found.items()}
    raise failed


def _unit(engine: DuckDB, columns: dict[str, str]) -> str | None:
    """The column that most looks as if it named people: an id by name, with many values."""
    likely = [name for name, kind in columns.items() if kind in UNIT_TYPES and _named_like_people(name)]
    counted = [
        (engine.look(f"SELECT COUNT(DISTINCT {_name(name)}) FROM {_name(SOURCE)}")[0][0], name) for name in likely
    ]
    return max(counted)[1] if counted else None


def _named_like_people(name: str) -> bool:
    words = name.lower().replace("-", "_").split("_")
    return bool({"user", "person", "customer", "client", "patient", "member", "userid", "id", "uid"} & set(words))


def _bounds(engine: DuckDB, name: str, kind: str) -> list[int | float] | None:
    column = f"CAST({_name(name)} AS DOUBLE)"
    finite = f"WHERE ISFINITE({column})" if kind in REALS else ""
    low, high = engine.look(f"SELECT MIN({column}), MAX({column}) FROM {_name(SOURCE)} {finite}")[0]
    if low is None:
        return None
    ends = _round(low, math.floor), _round(high, math.ceil)
    return [int(end) if is_whole(kind) or end.is_integer() else end for end in map(float, ends)]


def _round(value: float, outward: Any) -> float:
    """To one leading digit, outward."""
    if value == 0:
        return 0.0
    step = 10.0 ** math.floor(math.log10(abs(value)))
    return float(outward(value / step) * step)


def _keys(engine: DuckDB, name: str, kind: str) -> list[Any]:
    if kind not in KEY_TYPES or kind in REALS or kind == "BOOLEAN":
        return []
    column = _name(name)
    rows = engine.look(
        f"SELECT DISTINCT {column} FROM {_name(SOURCE)} WHERE {column} IS NOT NULL ORDER BY 1 LIMIT {MOST_KEYS + 1}"
    )
    return [row[0] for row in rows] if len(rows) <= MOST_KEYS else []


def _name(value: str) -> str:
    return exp.to_identifier(value, quoted=True).sql(dialect="duckdb")
