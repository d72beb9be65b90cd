"""What a guarantee costs under the plain-sum filter, and the form in which an entry keeps it."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalenius.errors import LedgerCorrupted, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.ledger.amount import Amount

FORM_VERSION = 1


def charge(guarantee: Guarantee) -> Amount:
    """The ε and δ that the sums grow by.

    The plain sum is a filter: for pure budgets it stays sound when each next query, and its ε, is chosen after seeing
    all earlier answers. Given a transcript the likelihood ratio is a product of factors ≤ e^εᵢ, and along every
    transcript the exponents sum to at most the cap  [A Thm 3.3, D Thm 1.3].
    """
    return Amount.cost(_pure(guarantee).budget)


def to_form(guarantee: Guarantee) -> dict[str, Any]:
    """The versioned form of a guarantee, from which a tighter rule may recompute its cost later."""
    pure = _pure(guarantee)
    return {
        "version": FORM_VERSION,
        "notion": "pure",
        "epsilon": str(pure.budget),
        "relation": pure.relation.value,
    }


def from_form(form: Mapping[str, Any]) -> PureDP:
    """The guarantee that an entry keeps."""
    if (form.get("version"), form.get("notion")) != (FORM_VERSION, "pure"):
        raise LedgerCorrupted("an entry holds a guarantee in a form that this version does not know")
    return PureDP(Fraction(form["epsilon"]), form["relation"])


def canonical(value: Any) -> bytes:
    """JSON with one spelling: the same facts give the same bytes on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def _pure(guarantee: Guarantee) -> PureDP:
    if not isinstance(guarantee, PureDP):
        raise UnprovenClaim(f"the plain-sum filter takes PureDP, got {type(guarantee).__name__}")
    return guarantee
