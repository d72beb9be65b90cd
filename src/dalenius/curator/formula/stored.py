"""Formulas as a stored release keeps them."""

from collections.abc import Mapping
from typing import Any

from dalenius.curator.formula.arithmetic import (
    Absent,
    Cell,
    Held,
    IfPositive,
    Minus,
    Number,
    Over,
    Plus,
    Ratio,
    Root,
    Times,
)
from dalenius.curator.formula.base import Formula
from dalenius.curator.formula.condition import Case, Compare, Every, IsAbsent, Opposite, Some
from dalenius.errors import UnknownName
from dalenius.numerics import stored_fraction

NODES: dict[str, type[Formula]] = {
    node.op: node
    for node in (
        *(Cell, Number, Absent, Plus, Minus, Times, Over, Ratio, Root, Held),
        *(IfPositive, Compare, Every, Some, Opposite, IsAbsent, Case),
    )
}


def formula_of(stored: Mapping[str, Any]) -> Formula:
    """The formula that `to_dict` wrote down."""
    if stored.get("op") not in NODES:
        raise UnknownName(f"no operation is called {stored.get('op')!r} in this version")
    return NODES[stored["op"]](**{name: _read(part) for name, part in stored.items() if name != "op"})


def _read(part: Any) -> Any:
    if isinstance(part, list):
        return tuple(map(_read, part))
    if isinstance(part, dict):
        return stored_fraction(part["fraction"]) if "fraction" in part else formula_of(part)
    return part
