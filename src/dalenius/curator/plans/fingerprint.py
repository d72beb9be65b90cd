"""The fingerprint of a plan: equal for equal questions, so that one asked before is answered from the ledger."""

import hashlib
from collections.abc import Mapping
from typing import Any

from dalenius.ledger import canonical

_FIRST_FORM = "0.1.0"
"""What the first form of every plan is called in a ledger: the version of the package that wrote it. It stays."""


def fingerprint_of(kind: str, facts: Mapping[str, Any], form: int = 1) -> str:
    """SHA-256 of the canonical JSON of a plan's kind, its public facts and the number of the plan's form.

    The number is raised only when the same facts come to mean another answer: a new version of the package finds the
    answers of an old one.

    >>> fingerprint_of("measure", {"name": "n"}) == fingerprint_of("measure", {"name": "m"})
    False
    >>> fingerprint_of("measure", {"name": "n"}) == fingerprint_of("measure", {"name": "n"}, form=2)
    False
    """
    code = _FIRST_FORM if form == 1 else f"form {form}"
    return hashlib.sha256(canonical({"plan": kind, "code": code} | dict(facts))).hexdigest()
