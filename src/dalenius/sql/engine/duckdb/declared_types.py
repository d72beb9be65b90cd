"""Declared types: how a value becomes one of its column's declared type, or NULL, whatever other rows hold.

A value that is not of the type is NULL and is not bent into it: 1.5 is no whole number, a time of day is no part of a
date, and a float of 2⁵³ or more may stand for several whole numbers (one of 32 bits from 2²⁴ on, of 16 from 2¹¹ on). So
no two people become one by rounding.
"""

from dalenius.sql.types.column_types import REALS, is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_FLOATS_END = 2**53
_ENDS = {"DOUBLE": _FLOATS_END, "FLOAT": 2**24}
HALF_END = 2**11
_WHOLE_TEXT = r"[+-]?[0-9]+(\.0*)?"


def read_text(column: str, declared: str) -> str:
    """A text column as one of the declared type, in the engine's SQL.

    Without TRIM the engine would cast while it splits a line of a CSV, and drop a line whose number is none.
    """
    if declared == "VARCHAR":
        return column
    text = f"TRIM({column})"
    value = f"TRY_CAST({text} AS {declared})"
    if is_whole(declared):
        written = f"REGEXP_FULL_MATCH({text}, '{_WHOLE_TEXT}')"
        exact = f"(NOT CONTAINS({column}, '.') OR ABS(TRY_CAST({text} AS DOUBLE)) < {_FLOATS_END})"
        return f"CASE WHEN {written} AND {exact} THEN {value} END"
    if declared == "DATE":
        return f"CASE WHEN NOT CONTAINS({column}, ':') THEN {value} END"
    return value


def read_typed(column: str, held: str, declared: str, floats_end: int | None = None) -> str | None:
    """A column of one type as one of another, in the engine's SQL; None if there is no way that keeps values.

    `floats_end` is where floats begin to stand for several whole numbers, if that is before the end of `held`.
    """
    if held == declared:
        return column
    if held == "VARCHAR":
        return read_text(column, declared)
    if kind_of(held) is Kind.NUMBER and declared in REALS:
        return f"TRY_CAST({column} AS {declared})"
    if kind_of(held) is Kind.NUMBER and is_whole(declared):
        if is_whole(held):
            return f"TRY_CAST({column} AS {declared})"
        small = f"ABS({column}) < {floats_end or _ENDS[held]} AND " if held in REALS else ""
        return f"CASE WHEN {small}{column} = FLOOR({column}) THEN TRY_CAST({column} AS {declared}) END"
    if kind_of(held) is Kind.TIMESTAMP and declared == "TIMESTAMP":
        return f"TRY_CAST({column} AS TIMESTAMP)"
    return None
