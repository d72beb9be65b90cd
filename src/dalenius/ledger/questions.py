"""When two charges ask the same question."""

import hashlib
from typing import Any

from dalenius.guarantees import Guarantee
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.charge import canonical, to_form
from dalenius.neighbors import Unit


def question_words(guarantee: Guarantee, unit: Unit, fingerprint: str | None, blocks: Blocks | None) -> dict[str, Any]:
    """The words that two charges for the same answer share."""
    words = {"guarantee": to_form(guarantee), "unit": unit.column, "fingerprint": fingerprint}
    return words | {"blocks": None if blocks is None else blocks.to_dict()}


def question_of(body: dict[str, Any]) -> str | None:
    """What two charges must share for the answer of one to be that of the other; None if it is not known."""
    if body["fingerprint"] is None:
        return None
    asked = [body["fingerprint"], body["guarantee"], body["unit"], body.get("blocks")]
    return hashlib.sha256(canonical(asked)).hexdigest()
