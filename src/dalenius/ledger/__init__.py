"""Durable budgets: charged before data is read, never refunded, one release for each charge."""

from dalenius.ledger.amount import Amount
from dalenius.ledger.blocks import Blocks, Partition
from dalenius.ledger.charge import canonical, from_form, to_form
from dalenius.ledger.cost import Cost
from dalenius.ledger.ledger import Ledger
from dalenius.ledger.receipt import Entry, Receipt
from dalenius.ledger.sqlite import SQLiteStore
from dalenius.ledger.standing import Standing
from dalenius.ledger.store import Store

__all__ = [
    "Amount",
    "Blocks",
    "Cost",
    "Entry",
    "Ledger",
    "Partition",
    "Receipt",
    "SQLiteStore",
    "Standing",
    "Store",
    "canonical",
    "from_form",
    "to_form",
]
