"""Types of columns of text, guessed from all of their rows, for their owner."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from dalenius.sql.engine.duckdb.declared_types import read_text
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.narrow_tables import narrow_tables
from dalenius.sql.engine.file_format import FileFormat
from dalenius.words import counted

NULL_TEXTS = ("n/a", "na", "null", "none", "nan", "-", "--", "?", ".", "#n/a", "missing", "k.a.", "nil")
SURE_NULLS = frozenset({"n/a", "#n/a", "null", "nan", "missing", "k.a."})
"""Of these, what stands for NULL in a column of texts too: `none` may be an answer there."""
_NUMBERS = ("DOUBLE", "BIGINT")
"""The types that are declared for texts of a file that has types of its own."""
DATE_FORMATS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d")
_MOST_OF = 0.9
_LISTED = "(" + ", ".join(f"'{text}'" for text in NULL_TEXTS) + ")"
_ISO_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_PLAIN_WHOLE, _PLAIN_REAL = "-?(0|[1-9][0-9]{0,16})(\\.0*)?", "-?(0|[1-9][0-9]{0,16})(\\.[0-9]{1,17})?"
_WHOLE, _ZERO_FIRST = "[+-]?[0-9]{1,18}(\\.0*)?", "[+-]?0[0-9]+"


@dataclass(frozen=True, slots=True)
class GuessedTexts:
    """The type of each column, and the rules that all columns of the file share."""

    columns: dict[str, str]
    decimal: str
    dates: str | None
    nulls: tuple[str, ...]
    dirt: dict[str, list[str]]


def guess_texts(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], *, typed: bool = False
) -> GuessedTexts:
    """Types for text columns of a table, and which decimal mark and form of dates most of them have.

    In a `typed` file, such as Parquet, a text stays what it is unless its column is declared as one of numbers.
    """
    counts: dict[str, dict[str, Any]] = {}
    decimals: list[str] = []
    for place, some in narrow_tables(connection, table, names):
        plain = _plain_numbers(connection, place, some)
        decimals += [name for name, one in plain.items() if one["whole"] < one["all"]]
        counts |= {name: plain.get(name) or _counted(connection, place, name) for name in some}
    comma = sum(_mostly(one, "comma") and not _mostly(one, "real") for one in counts.values())
    point = sum(_mostly(one, "real") and not _mostly(one, "whole") for one in counts.values())
    decimal = "," if comma > point else "."
    for place, some in narrow_tables(connection, table, decimals) if decimal == "," else ():
        counts |= {name: _counted(connection, place, name) for name in some}
    forms = Counter({form: sum(_mostly(one, form) for one in counts.values()) for form in DATE_FORMATS})
    dates, most = forms.most_common(1)[0]
    clash = [name for name, one in counts.items() if _mostly(one, "%d/%m/%Y") and _mostly(one, "%m/%d/%Y")]
    if most and clash and forms["%d/%m/%Y"] == forms["%m/%d/%Y"]:
        most = 0  # nothing tells days from months
    used = dates if most else None
    columns, dirt = {}, {}
    for name, one in counts.items():
        kind = _type(one, decimal, used)
        stays = typed and kind not in _NUMBERS
        columns[name] = "VARCHAR" if stays else kind
        if remarks := (_letters(one) if stays else _remarks(one, kind, decimal, used)):
            dirt[name] = remarks
    for name in clash if not most else ():
        dirt.setdefault(name, []).append("dates in which days and months cannot be told apart: left as texts")
    nulls = sorted({text for one in counts.values() for text in one["nulls"] if text.lower() in SURE_NULLS})
    return GuessedTexts(columns, decimal, used, tuple(nulls), dirt)


def _plain_numbers(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The counts of columns that hold nothing but plain numbers and NULL, of which all but one test is known.

    With a decimal point in some of them, how many are numbers with a decimal comma is not known: then count them all.
    """
    tests = []
    for name in names:
        column = DIALECT.quoted(name)
        said = f"TRIM({column}) <> '' AND LOWER(TRIM({column})) NOT IN {_LISTED}"
        tests += [
            f"COUNT(*) FILTER ({said})",
            *(f"COUNT(*) FILTER (REGEXP_FULL_MATCH({column}, '{form}'))" for form in (_PLAIN_REAL, _PLAIN_WHOLE)),
            f"COUNT(*) FILTER (LOWER(TRIM({column})) IN {_LISTED})",
        ]
    row = connection.execute(f"SELECT {', '.join(tests)} FROM {table}").fetchone()
    assert row is not None
    plain = {}
    for place, name in enumerate(names):
        every, real, whole, nulls = row[4 * place : 4 * place + 4]
        if every and real == every:
            known = {"all": every, "whole": whole, "real": real, "comma": real, "comma_whole": real}
            zeros = dict.fromkeys(("zero", "boolean", "date", "time"), 0)
            dated = {f"{form}{end}": 0 for form in DATE_FORMATS for end in ("", " only")}
            plain[name] = {**known, **zeros, **dated, "nulls": _null_texts(connection, table, name) if nulls else []}
    return plain


def _counted(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> dict[str, Any]:
    column = DIALECT.quoted(name)
    text = f"TRIM({column})"
    said = f"{text} <> '' AND LOWER({text}) NOT IN {_LISTED}"
    comma = FileFormat(delimiter=";", decimal=",")
    tests = {
        "all": "TRUE",
        "whole": f"REGEXP_FULL_MATCH({text}, '{_WHOLE}') AND NOT REGEXP_FULL_MATCH({text}, '{_ZERO_FIRST}')",
        "zero": f"REGEXP_FULL_MATCH({text}, '{_ZERO_FIRST}')",
        "real": f"{read_text(column, 'DOUBLE')} IS NOT NULL",
        "comma": f"{read_text(column, 'DOUBLE', comma)} IS NOT NULL",
        "comma_whole": f"{read_text(column, 'BIGINT', comma)} IS NOT NULL",
        "boolean": f"LOWER({text}) IN ('true', 'false')",
        "date": f"{read_text(column, 'DATE')} IS NOT NULL AND REGEXP_FULL_MATCH({text}, '{_ISO_DATE}')",
        "time": f"{read_text(column, 'TIMESTAMP')} IS NOT NULL AND REGEXP_MATCHES({text}, '^[0-9]{{4}}-[0-9]{{2}}-')",
        **{form: f"{read_text(column, 'TIMESTAMP', _dated(form))} IS NOT NULL" for form in DATE_FORMATS},
        **{f"{form} only": f"{read_text(column, 'DATE', _dated(form))} IS NOT NULL" for form in DATE_FORMATS},
    }
    counted = ", ".join(f"COUNT(*) FILTER ({test})" for test in tests.values())
    row = connection.execute(f"SELECT {counted} FROM {table} WHERE {said}").fetchone()
    assert row is not None
    return {**dict(zip(tests, row, strict=True)), "nulls": _null_texts(connection, table, name)}


def _null_texts(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> list[str]:
    text = f"TRIM({DIALECT.quoted(name)})"
    nulls = connection.execute(f"SELECT DISTINCT {text} FROM {table} WHERE LOWER({text}) IN {_LISTED}").fetchall()
    return [text for (text,) in nulls]


def _dated(form: str) -> FileFormat:
    return FileFormat(dates=form)


def _mostly(counts: dict[str, Any], kind: str) -> bool:
    return bool(counts["all"] and counts[kind] >= _MOST_OF * counts["all"])


def _type(counts: dict[str, Any], decimal: str, dates: str | None) -> str:
    """A column with a number that begins with 0, such as a postal code, is text: its digits are no number."""
    if not counts["all"] or counts["zero"]:
        return "VARCHAR"
    whole, real = ("whole", "real") if decimal == "." else ("comma_whole", "comma")
    if counts[whole] == counts["all"] or (_mostly(counts, whole) and counts[whole] == counts[real]):
        return "BIGINT"
    if _mostly(counts, real):
        return "DOUBLE"
    if _mostly(counts, "boolean"):
        return "BOOLEAN"
    if dates is not None and _mostly(counts, dates):
        return "DATE" if counts[f"{dates} only"] == counts[dates] else "TIMESTAMP"
    if dates is None and _mostly(counts, "date"):
        return "DATE"
    return "TIMESTAMP" if dates is None and _mostly(counts, "time") else "VARCHAR"


def misfits(number: int, kind: str) -> str:
    """What is said of values that are not of their column's type."""
    are = "is" if number == 1 else "are"
    return f"{counted(number, 'value', 'values')} {are} not of the type {kind} and {are} read as NULL"


def _letters(counts: dict[str, Any]) -> list[str]:
    """What the owner is told of texts that stay texts: such as are NULL elsewhere are values here."""
    nulls = sorted(text for text in counts["nulls"] if text.lower() in SURE_NULLS)
    return [f"the {_texts(nulls, 'is a value', 'are values')} here, and no NULL"] if nulls else []


def _texts(texts: Sequence[str], one: str, several: str) -> str:
    return f"text {texts[0]} {one}" if len(texts) == 1 else f"texts {', '.join(texts)} {several}"


def _remarks(counts: dict[str, Any], kind: str, decimal: str, dates: str | None) -> list[str]:
    """What the owner is told of a column."""
    name = {
        **{"BIGINT": "whole" if decimal == "." else "comma_whole", "DOUBLE": "real" if decimal == "." else "comma"},
        **{"BOOLEAN": "boolean", "DATE": "date" if dates is None else f"{dates} only"},
        "TIMESTAMP": "time" if dates is None else dates,
    }.get(kind)
    remarks = []
    if name is not None and counts[name] < counts["all"]:
        remarks.append(misfits(counts["all"] - counts[name], kind))
    if kind == "DOUBLE" and decimal == "." and counts["comma"] > counts["comma_whole"]:
        remarks.append("some numbers have a decimal comma")
    if nulls := [text for text in counts["nulls"] if kind != "VARCHAR" or text.lower() in SURE_NULLS]:
        remarks.append(f"the {_texts(sorted(nulls), 'is', 'are')} read as NULL")
    return remarks
