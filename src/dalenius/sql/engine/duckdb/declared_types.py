"""Declared types: how a value becomes one of its column's declared type, or NULL, whatever other rows hold.

A value that is not of the type is NULL and is not bent into it: 1.5 is no whole number, a time of day is no part of a
date, and a float of 2⁵³ or more may stand for several whole numbers (one of 32 bits from 2²⁴ on, of 16 from 2¹¹ on). So
no two people become one by rounding.
"""

from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.zoned_columns import ReadColumn, timed_text
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.types.column_types import REALS, is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_FLOATS_END = 2**53
_ENDS = {"DOUBLE": _FLOATS_END, "FLOAT": 2**24}
HALF_END = 2**11
_WHOLE_TEXT = r"[+-]?[0-9]+(\.0*)?"
_COMMA_THOUSANDS = r"[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)"
_COMMA_WHOLE, _COMMA_REAL = f"{_COMMA_THOUSANDS}(,0*)?", f"{_COMMA_THOUSANDS}(,[0-9]*)?([eE][+-]?[0-9]+)?"


def text_column(name: str, column: str, declared: str, written: FileFormat = PLAIN) -> ReadColumn:
    """A text column under its name, as one of the declared type; one of times by the zone that was declared for it."""
    if kind_of(declared) is not Kind.TIMESTAMP or written.dates is not None:
        return ReadColumn(name, read_text(column, declared, written))
    return timed_text(name, f"TRIM({_without_nulls(column, written)})", written.zone_of(name))


def _without_nulls(column: str, written: FileFormat) -> str:
    if not written.nulls:
        return column
    listed = ", ".join(DIALECT.literal(text) for text in written.nulls)
    return f"CASE WHEN TRIM({column}) NOT IN ({listed}) THEN {column} END"


def read_text(column: str, declared: str, written: FileFormat = PLAIN) -> str:
    """A text column as one of the declared type, in the engine's SQL, by the rules of how the file is written.

    Without TRIM the engine would cast while it splits a line of a CSV, and drop a line whose number is none.
    """
    column = _without_nulls(column, written)
    if declared == "VARCHAR":
        return column
    text = f"TRIM({column})"
    if written.decimal == "," and (is_whole(declared) or declared in REALS):
        return _comma_number(text, declared)
    if written.dates is not None and kind_of(declared) in (Kind.DATE, Kind.TIMESTAMP):
        return _dated(text, declared, written.dates)
    value = f"TRY_CAST({text} AS {declared})"
    if is_whole(declared):
        matches = f"REGEXP_FULL_MATCH({text}, '{_WHOLE_TEXT}')"
        exact = f"(NOT CONTAINS({column}, '.') OR ABS(TRY_CAST({text} AS DOUBLE)) < {_FLOATS_END})"
        return f"CASE WHEN {matches} AND {exact} THEN {value} END"
    if declared == "DATE":
        return f"CASE WHEN NOT CONTAINS({column}, ':') THEN {value} END"
    return value


def _comma_number(text: str, declared: str) -> str:
    """1.234,50 and 1234,5: a point stands between thousands or nowhere; a whole number has nothing behind its comma."""
    matches = f"REGEXP_FULL_MATCH({text}, '{_COMMA_WHOLE if is_whole(declared) else _COMMA_REAL}')"
    plain = f"SPLIT_PART({text}, ',', 1)" if is_whole(declared) else f"REPLACE({text}, '.', '')"
    plain = f"REPLACE({plain}, '.', '')" if is_whole(declared) else f"REPLACE({plain}, ',', '.')"
    return f"CASE WHEN {matches} THEN TRY_CAST({plain} AS {declared}) END"


def _dated(text: str, declared: str, dates: str) -> str:
    """A date in the declared format, or a time with a time of day behind it; for a date a time of day is too much."""
    ends = ("",) if kind_of(declared) is Kind.DATE else (" %H:%M:%S", " %H:%M", "")
    listed = ", ".join(DIALECT.literal(f"{dates}{end}") for end in ends)
    return f"TRY_CAST(TRY_STRPTIME({text}, [{listed}]) AS {declared})"


def read_typed(
    column: str, held: str, declared: str, floats_end: int | None = None, written: FileFormat = PLAIN
) -> str | None:
    """A column of one type as one of another, in the engine's SQL; None if there is no way that keeps values.

    `floats_end` is where floats begin to stand for several whole numbers, if that is before the end of `held`.
    """
    if held == declared:
        return column
    if held == "VARCHAR":
        return read_text(column, declared, written)
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
