"""Keys that are dates or times: kept as texts in the form of ISO 8601, and given their type where they leave."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

NOTE = "key types"
"""The name under which an outcome's notes keep which of its keys, by their numbers, are dates and which are times."""

DATE, TIMESTAMP = "date", "timestamp"
_READERS = {DATE: date.fromisoformat, TIMESTAMP: datetime.fromisoformat}


def noted(kinds: Mapping[int, str]) -> dict[str, dict[str, str]]:
    """The note of an outcome whose keys have these types, as JSON holds it; empty where none is a date or a time."""
    return {NOTE: {str(number): kind for number, kind in kinds.items()}} if kinds else {}


def kind_of(notes: Mapping[str, Any], key: int) -> str | None:
    """Whether a key is a date or a time; None where it is neither."""
    kinds = notes.get(NOTE)
    kind = kinds.get(str(key)) if isinstance(kinds, Mapping) else None
    return kind if isinstance(kind, str) and kind in _READERS else None


def typed(notes: Mapping[str, Any], key: int, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a key in the type that the notes give it; all of them as they are, if one does not read so.

    A function of what was released: a note may come from a server, and no word of it makes a reader fail.
    """
    kind = kind_of(notes, key)
    if kind is None:
        return tuple(values)
    reader = _READERS[kind]
    try:
        return tuple(reader(value) if isinstance(value, str) else value for value in values)
    except ValueError:
        return tuple(values)
