"""Receipts as JSON holds them."""

from collections.abc import Mapping
from typing import Any

from dalenius.ledger import Receipt, from_form, to_form
from dalenius.neighbors import Unit


def receipt_to_dict(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON holds it: the same for all who get the answer, whether they paid now or before."""
    return {
        "dataset": receipt.dataset,
        "guarantee": to_form(receipt.guarantee),
        "unit": receipt.unit.column,
        "head": receipt.head,
        "length": receipt.length,
    }


def receipt_from_dict(kept: Mapping[str, Any]) -> Receipt:
    """A receipt that was written down."""
    guarantee = from_form(kept["guarantee"])
    unit = Unit.stored(kept["unit"], guarantee.relation)
    return Receipt(kept["dataset"], guarantee, unit, kept["head"], kept["length"])
