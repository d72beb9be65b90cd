"""Aggregates that no sum over rows answers, so that each has a statement of its own."""

from dataclasses import dataclass

from dalenius.sql.rows import Typed

DISTINCT = "distinct"


@dataclass(frozen=True, slots=True)
class Apart:
    """One such aggregate: what is wanted of which value, and the part that holds its answer."""

    question: str
    want: str
    part: str
    value: Typed

    @property
    def column(self) -> str:
        """What the engine calls the value."""
        return f"of_{self.part}"
