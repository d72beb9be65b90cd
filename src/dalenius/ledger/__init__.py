"""Durable budgets: charged before data is read, never refunded, one release for each charge."""

from dalenius.ledger.amount import Amount
from dalenius.ledger.charge import canonical, from_form, to_form
from dalenius.ledger.ledger import Ledger
from dalenius.ledger.receipt import Entry, Receipt

__all__ = ["Amount", "Entry", "Ledger", "Receipt", "canonical", "from_form", "to_form"]
