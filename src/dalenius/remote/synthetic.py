"""An answer over synthetic tables as a server sends it."""

from collections.abc import Mapping
from typing import Any

from dalenius.curator import Outcome
from dalenius.curator.answer.receipts import receipt_from_dict
from dalenius.errors import UnprovenClaim
from dalenius.numerics import Number, rational
from dalenius.synthesis import SyntheticAnswer


class RemoteSyntheticAnswer(SyntheticAnswer):
    """Rows, labels and ends of an answer over copies that a server keeps; its ends are those of one level."""

    level: Any
    sent_warnings: tuple[str, ...]
    ends: dict[str, list[tuple[float, float]]] | None

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "RemoteSyntheticAnswer":
        """The answer of a reply."""
        answer = cls(Outcome(()), receipt_from_dict(stored["receipt"]))
        measured, columns = stored["measured"], dict(stored["columns"])
        ends = None
        if measured is not None:
            pairs = [columns.pop(f"{measured}_{end}") for end in ("lower", "upper")]
            ends = {measured: list(zip(*pairs, strict=True))}
        held = {"table": columns, "level": stored["level"], "sent_warnings": tuple(stored["warnings"]), "ends": ends}
        for name, value in held.items():
            object.__setattr__(answer, name, value)
        return answer

    @property
    def warnings(self) -> tuple[str, ...]:
        """That it is synthetic, and what of it is not kept."""
        return self.sent_warnings

    def _ends(self, level: Number) -> dict[str, list[tuple[float, float]]] | None:
        if self.ends is not None and rational(level, "level") != rational(self.level, "level"):
            raise UnprovenClaim(f"the server sent the ends of synthetic counts at {self.level}: ask for that level")
        return self.ends
