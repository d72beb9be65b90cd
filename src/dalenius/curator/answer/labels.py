"""The columns of a computed answer that are no numbers with an error: keys, texts, dates, what is NULL among them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Labels:
    """Named columns that tell the rows of a computed answer apart; unlike keys they may repeat, and be NULL."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        """They are there, also of an answer without rows."""
        return True

    def facts(self) -> dict[str, Any]:
        """As JSON holds them."""
        return {"columns": list(self.columns), "rows": [[_plain(value) for value in row] for row in self.rows]}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "Labels":
        """The inverse of `facts`; a date or time has become a text."""
        return cls(tuple(facts["columns"]), tuple(tuple(row) for row in facts["rows"]))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
