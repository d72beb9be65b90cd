"""What a guarantee costs under plain sums, and the form in which an entry keeps it."""

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dalenius.errors import LedgerCorrupted, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, BoundedRange, Composition, Guarantee, PureDP, RenyiDP
from dalenius.guarantees.curves.renyi_curves import TableCurve
from dalenius.guarantees.guarantee import Part
from dalenius.guarantees.notions.composition import compose_parts
from dalenius.ledger.amount import Amount
from dalenius.neighbors import Relation
from dalenius.numerics import stored_fraction

_ORDERS = tuple(Fraction(n, 4) for n in (5, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 1024))

Form = dict[str, Any]


def charge(guarantee: Guarantee) -> Amount:
    """The ε and δ that plain sums grow by.

    The plain sum is a filter: it stays sound when each next query, and its price, is chosen after seeing all earlier
    answers. Along every transcript the exponents sum to at most the cap, and so do the slacks  [A Thm 3.3, D Thm 1.3].
    """
    form = guarantee.sum_form if isinstance(guarantee, Guarantee) else None
    if form is None:
        raise UnprovenClaim(f"the plain-sum filter takes (ε, δ) guarantees, got {type(guarantee).__name__}")
    return Amount.cost(*form)


def to_form(guarantee: Guarantee) -> Form:
    """The versioned form of a guarantee, the narrowest there is, from which a tighter rule may recompute its cost.

    A notion without a form of its own (a loss distribution, say) is kept as all that it implies.
    """
    if not isinstance(guarantee, Guarantee):
        raise UnprovenClaim(f"a ledger keeps guarantees only, got {type(guarantee).__name__}")
    write = _WRITERS.get(type(guarantee), _implied)
    return {"relation": guarantee.relation.value} | write(guarantee)


def from_form(form: Mapping[str, Any]) -> Guarantee:
    """The guarantee that an entry keeps; of several implied ones, the first."""
    read = _READERS.get((form.get("version"), form.get("notion")))
    if read is None:
        raise LedgerCorrupted("an entry holds a guarantee in a form that this version does not know")
    return read(form, Relation.of(form["relation"]))


def canonical(value: Any) -> bytes:
    """JSON with one spelling: the same facts give the same bytes on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def _pure(guarantee: Any) -> Form:
    return {"version": 1, "notion": "pure", "epsilon": str(guarantee.budget)}


def _parts(guarantee: Any) -> Form:
    return {
        "version": 1,
        "notion": "parts",
        "parts": [[str(p.epsilon), str(p.delta), p.times] for p in guarantee.parts],
    }


def _range(guarantee: Any) -> Form:
    ranges = [[str(eta), times] for eta, times in guarantee.ranges]
    return {"version": 2, "notion": "bounded-range", "ranges": ranges}


def _zcdp(guarantee: Any) -> Form:
    return {"version": 2, "notion": "zcdp", "rho": str(guarantee.rho)}


def _gdp(guarantee: Any) -> Form:
    return {"version": 2, "notion": "gdp", "square": str(guarantee.square)}


def _renyi(guarantee: Any) -> Form:
    """A table stays as it is; another curve is kept at some orders, each value a true bound."""
    curve = guarantee.curve
    if isinstance(curve, TableCurve):
        points = list(curve.points)
    else:
        values = [(order, guarantee.renyi(order)) for order in _ORDERS]
        points = [(order, Fraction(value)) for order, value in values if math.isfinite(value)]
    if not points:
        raise UnprovenClaim(
            "this Rényi curve is finite at no order that the ledger keeps; charge an ApproxDP it implies"
        )
    return {"version": 2, "notion": "renyi", "points": [[str(order), str(value)] for order, value in points]}


def _implied(guarantee: Guarantee) -> Form:
    """One charge asks for the same form several times: for fingerprints, for the question, for the entry."""
    try:
        hash(guarantee)
    except TypeError:  # of one that holds what may change, nothing is remembered
        return _implied_form(guarantee)
    form: Form = json.loads(_implied_words(guarantee, guarantee.relation))
    return form


@lru_cache(maxsize=8)
def _implied_words(guarantee: Guarantee, relation: Relation) -> str:
    return json.dumps(_implied_form(guarantee))


def _implied_form(guarantee: Guarantee) -> Form:
    implied: list[Guarantee] = []
    sums, concentrated = guarantee.sum_form, guarantee.concentrated_form
    square = guarantee.gaussian_form if sums is None else None  # else it is that of ε, and slow where ε is huge
    if sums is not None:
        implied.append(compose_parts([Part(*sums, 1)], guarantee.relation))
    if concentrated is not None and concentrated.delta == 0:
        implied.append(ZCDP(concentrated.rho, guarantee.relation))
    if square is not None:
        implied.append(GDP.root(square, guarantee.relation))
    if not implied:
        raise UnprovenClaim(
            f"{type(guarantee).__name__} has neither (ε, δ), ρ nor μ of its own; charge an ApproxDP it implies"
        )
    return {"version": 2, "notion": "implied", "guarantees": [to_form(each) for each in implied]}


_WRITERS: dict[type, Callable[[Any], Form]] = {
    PureDP: _pure,
    ApproxDP: _parts,
    Composition: _parts,
    BoundedRange: _range,
    ZCDP: _zcdp,
    GDP: _gdp,
    RenyiDP: _renyi,
}


def _read_parts(form: Mapping[str, Any], relation: Relation) -> Guarantee:
    return compose_parts(
        [Part(stored_fraction(e), stored_fraction(d), times) for e, d, times in form["parts"]], relation
    )


def _read_range(form: Mapping[str, Any], relation: Relation) -> Guarantee:
    ranges = [BoundedRange(stored_fraction(eta), relation).repeat(times) for eta, times in form["ranges"]]
    return ranges[0].compose(*ranges[1:]) if ranges else BoundedRange(0, relation)


def _read_renyi(form: Mapping[str, Any], relation: Relation) -> Guarantee:
    return RenyiDP(
        TableCurve(tuple((stored_fraction(order), stored_fraction(value)) for order, value in form["points"])), relation
    )


# What was stored keeps its meaning: an entry here is never changed, only added to.
_READERS: dict[tuple[Any, Any], Callable[[Mapping[str, Any], Relation], Guarantee]] = {
    (1, "pure"): lambda form, relation: PureDP(stored_fraction(form["epsilon"]), relation),
    (1, "parts"): _read_parts,
    (2, "bounded-range"): _read_range,
    (2, "zcdp"): lambda form, relation: ZCDP(stored_fraction(form["rho"]), relation),
    (2, "gdp"): lambda form, relation: GDP.root(stored_fraction(form["square"]), relation),
    (2, "renyi"): _read_renyi,
    (2, "implied"): lambda form, relation: from_form(form["guarantees"][0]),
}
