"""A table as its owner's look at it found it."""

from dataclasses import dataclass, field

from dalenius.sql.engine import ColumnFacts, FileFormat


@dataclass(frozen=True, slots=True)
class SurveyedTable:
    """A table's columns in the types that are proposed for them, the facts of its rows, and what is odd about it."""

    name: str
    place: str
    rows: int
    columns: dict[str, str]
    facts: dict[str, ColumnFacts]
    written: FileFormat = field(default_factory=FileFormat)
    guessed: bool = False
    dirt: dict[str, list[str]] = field(default_factory=dict)
