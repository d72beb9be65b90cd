"""When two charges ask the same question."""

import hashlib
from typing import Any

from dalenius.ledger.charge import canonical


def question_of(body: dict[str, Any]) -> str | None:
    """What two charges must share for the answer of one to be that of the other; None if it is not known."""
    if body["fingerprint"] is None:
        return None
    asked = [body["fingerprint"], body["guarantee"], body["unit"], body.get("blocks")]
    return hashlib.sha256(canonical(asked)).hexdigest()
