"""A charge as it is asked for: checked, and in the words of its entry, before any transaction begins."""

from dataclasses import dataclass, field
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.books import check_texts
from dalenius.ledger.questions import question_words
from dalenius.neighbors import Unit


@dataclass(frozen=True, slots=True)
class AskedCharge:
    """What `Ledger.reserve` was called with; it explains each of these."""

    guarantee: Guarantee
    dataset: str
    unit: Unit
    analyst: str | None
    blocks: Blocks | None
    key: str | None
    fingerprint: str | None
    label: str | None
    interactive: bool
    fresh: bool
    text: str | None
    purpose: str | None
    question: dict[str, Any] = field(init=False)
    """The words that two charges for the same answer share."""

    def __post_init__(self) -> None:
        texts = ("key", "analyst", "fingerprint", "label", "text", "purpose")
        check_texts(**{name: getattr(self, name) for name in texts})
        check_blocks(self.blocks)
        words = question_words(self.guarantee, self.unit, self.fingerprint, self.blocks)
        object.__setattr__(self, "question", words)

    @property
    def words(self) -> dict[str, Any]:
        """What every entry of it says, whoever has paid for the answer."""
        return {"analyst": self.analyst, "text": self.text, "purpose": self.purpose}

    @property
    def form(self) -> dict[str, Any]:
        """What the entry of a charge says besides, by which it is found and read again."""
        return self.question | {"label": self.label} | ({"interactive": True} if self.interactive else {})


def check_blocks(blocks: Blocks | None) -> None:
    """Refuse what are no blocks."""
    if blocks is not None and not isinstance(blocks, Blocks):
        raise InvalidParameter(f"blocks must be Blocks(partition, labels) or None, got {type(blocks).__name__}")
