"""What a guarantee costs under the plain-sum filter, and the form in which an entry keeps it."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalenius.errors import LedgerCorrupted, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.guarantees.composition import compose_parts
from dalenius.guarantees.guarantee import Part
from dalenius.ledger.amount import Amount
from dalenius.neighbors import Relation

FORM_VERSION = 1


def charge(guarantee: Guarantee) -> Amount:
    """The ε and δ that the sums grow by.

    The plain sum is a filter: it stays sound when each next query, and its price, is chosen after seeing all earlier
    answers. Along every transcript the exponents sum to at most the cap, and so do the slacks  [A Thm 3.3, D Thm 1.3].
    """
    form = guarantee.sum_form if isinstance(guarantee, Guarantee) else None
    if form is None:
        raise UnprovenClaim(f"the plain-sum filter takes (ε, δ) guarantees, got {type(guarantee).__name__}")
    return Amount.cost(*form)


def to_form(guarantee: Guarantee) -> dict[str, Any]:
    """The versioned form of a guarantee, from which a tighter rule may recompute its cost later."""
    charge(guarantee)
    parts = guarantee.parts or (Part(*(guarantee.sum_form or (Fraction(0), Fraction(0))), 1),)
    terms: dict[str, Any] = {"version": FORM_VERSION, "relation": guarantee.relation.value}
    if isinstance(guarantee, PureDP):
        return terms | {"notion": "pure", "epsilon": str(guarantee.budget)}
    return terms | {"notion": "parts", "parts": [[str(p.epsilon), str(p.delta), p.times] for p in parts]}


def from_form(form: Mapping[str, Any]) -> Guarantee:
    """The guarantee that an entry keeps."""
    known = form.get("notion") in ("pure", "parts")
    if form.get("version") != FORM_VERSION or not known:
        raise LedgerCorrupted("an entry holds a guarantee in a form that this version does not know")
    relation = Relation.of(form["relation"])
    if form["notion"] == "pure":
        return PureDP(Fraction(form["epsilon"]), relation)
    return compose_parts([Part(Fraction(e), Fraction(d), times) for e, d, times in form["parts"]], relation)


def canonical(value: Any) -> bytes:
    """JSON with one spelling: the same facts give the same bytes on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
