"""One question, one fingerprint."""

import hashlib
from collections.abc import Mapping
from typing import Any

import dalenius
from dalenius.ledger import canonical


def fingerprint_of(kind: str, facts: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a plan's kind, its public facts and the version of the code.

    >>> fingerprint_of("measure", {"name": "n"}) == fingerprint_of("measure", {"name": "m"})
    False
    """
    return hashlib.sha256(canonical({"plan": kind, "code": dalenius.__version__} | dict(facts))).hexdigest()
