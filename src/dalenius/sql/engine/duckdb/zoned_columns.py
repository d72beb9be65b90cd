"""Instants on the clock of a declared zone: what a file tells with an offset or a zone, read in one place.

A time with an offset is an instant, and so is one of a column with a zone; a time without one is what the clock shows.
Both become times on the clock of the zone that the owner declared for the column, UTC if none was, row by row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.types.time_zones import time_zone

_OFFSET = r":[0-9]{2}([.][0-9]+)? ?(Z|z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)$"
_PARTS = "([+-])([0-9]{2}):?([0-9]{2})?$"
_CLOCK = r"[^:]*(:[0-9]{2}){0,2}([.][0-9]+)?"
_YEARS = "TIMESTAMP '0001-01-03 00:00:00' AND TIMESTAMP '9999-12-29 23:59:59.999999'"


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column as the engine reads it: its value, or for some of its rows an `instant` in UTC that the zone shows."""

    name: str
    value: str
    instant: str | None = None
    zone: str | None = None
    kind: str = "TIMESTAMP"


def selected(columns: Sequence[ReadColumn], source: str) -> str:
    """A SELECT of the columns; instants are computed below, so that each is computed once."""
    own = ", ".join(f"{column.value} AS {DIALECT.quoted(column.name)}" for column in columns)
    zoned = [column for column in columns if column.instant is not None]
    if not zoned:
        return f"SELECT {own} FROM {source}"
    below = ", ".join(f"{column.instant} AS {DIALECT.quoted(_instant_of(column))}" for column in zoned)
    shown = ", ".join(_shown(column) for column in columns)
    return f"SELECT {shown} FROM (SELECT {own}, {below} FROM {source})"


def _instant_of(column: ReadColumn) -> str:
    return f"(instant) {column.name}"


def _shown(column: ReadColumn) -> str:
    name = DIALECT.quoted(column.name)
    if column.instant is None:
        return name
    instant = exp.column(_instant_of(column), quoted=True)
    clock = DIALECT.text(time_zone(column.zone or "UTC").clock(instant))
    return (
        f"CASE WHEN {DIALECT.text(instant)} IS NULL THEN {name} ELSE TRY_CAST({clock} AS {column.kind}) END AS {name}"
    )


def timed_text(name: str, text: str, zone: str | None) -> ReadColumn:
    """A text as a time: with an offset an instant, without one a time on the clock; what stands behind makes it NULL.

    Where no zone is declared, UTC is, and what stands behind a time and is no offset is passed over.
    """
    clock = f"TRY_CAST({text} AS TIMESTAMP)"
    offset = f"REGEXP_MATCHES({text}, '{_OFFSET}')"
    instant = f"CASE WHEN {offset} THEN {_instant(text, clock)} END"
    if zone is None:
        return ReadColumn(name, f"CASE WHEN {offset} THEN {_instant(text, clock)} ELSE {clock} END")
    own = f"CASE WHEN REGEXP_FULL_MATCH({text}, '{_CLOCK}') THEN {clock} END"
    return ReadColumn(name, own, instant, zone)


def _instant(text: str, clock: str) -> str:
    """The clock less the offset, which is 0 of Z; held inside the years 1 to 9999, so that it is never out of range."""
    sign, hours, minutes = (f"REGEXP_EXTRACT({text}, '{_PARTS}', {place})" for place in (1, 2, 3))
    size = f"(COALESCE(TRY_CAST({hours} AS INTEGER), 0) * 60 + COALESCE(TRY_CAST({minutes} AS INTEGER), 0))"
    held = f"CASE WHEN {clock} BETWEEN {_YEARS} THEN {clock} END"
    return f"(({held}) - TO_MINUTES(CASE WHEN {sign} = '-' THEN -{size} ELSE {size} END))"
