"""Entries in decimals: what the chain keeps in whole units, as people and other programs read it."""

from collections.abc import Mapping
from typing import Any

from dalenius.ledger.amount import EPSILON_UNIT, decimal
from dalenius.ledger.charge import from_form
from dalenius.ledger.cost import KINDS

_NAMES = {"ε": "epsilon", "δ": "delta", "ρ": "rho", "D": "divergence", "μ²": "mu_squared"}


def in_decimals(words: Mapping[str, Any]) -> dict[str, Any]:
    """The words of an entry, each number of units in them an exact decimal, and a guarantee as Python writes it.

    >>> in_decimals({"epsilon_units": "250000000000", "analyst": "ana"})
    {'epsilon': '0.25', 'analyst': 'ana'}
    """
    return dict(_field_in_decimals(word, value) for word, value in words.items())


def metered(kind: str, units: Any) -> dict[str, str] | None:
    """The meters of one branch by their names; None where an entry has no such form."""
    if units is None:
        return None
    meters = KINDS[kind].meters
    return {_NAMES[meter.symbol]: decimal(meter.value(int(n))) for meter, n in zip(meters, units, strict=True)}


def _field_in_decimals(word: str, value: Any) -> tuple[str, Any]:
    if value is None:
        return word, None
    if word == "epsilon_units":
        return "epsilon", decimal(int(value) * EPSILON_UNIT)
    if word == "delta_units":
        return "delta", metered("sum", (0, value))["delta"]  # type: ignore[index]
    if word == "cost":
        return word, {kind: metered(kind, units) for kind, units in value.items()}
    if word == "branches":
        return word, [one | {"caps": metered(one["kind"], one["caps"])} for one in value]
    if word == "guarantee":
        return word, repr(from_form(value))
    return word, in_decimals(value) if word == "question" and isinstance(value, dict) else value
