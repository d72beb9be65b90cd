"""The types of the language."""

from enum import Enum


class Kind(Enum):
    """A type of the language; the engine's many number types are one here, computed in double precision."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    NULL = "NULL"
