"""Durable budgets: charged before data is read, never refunded, one release for each charge."""

from dalenius.ledger.alerts import Alert
from dalenius.ledger.amount import Amount, decimal
from dalenius.ledger.blocks import Blocks, Partition
from dalenius.ledger.care import backup, check, compact, encrypt, restore
from dalenius.ledger.charge import canonical, from_form, to_form
from dalenius.ledger.cost import Cost
from dalenius.ledger.decimals import in_decimals
from dalenius.ledger.encryption_keys import EncryptionKey, new_encryption_key
from dalenius.ledger.governing import PROFILE
from dalenius.ledger.keyring import AS_BEFORE
from dalenius.ledger.keys import EVERYBODY, Key, Role
from dalenius.ledger.ledger import Ledger, SamePeople
from dalenius.ledger.publications import Publication, Tile
from dalenius.ledger.receipt import Entry, LogEntry, Receipt
from dalenius.ledger.requests import BudgetRequest
from dalenius.ledger.secret_sample import SecretSample
from dalenius.ledger.sqlite import SQLiteStore
from dalenius.ledger.standing import Standing
from dalenius.ledger.store import Store
from dalenius.ledger.tables import TableIdentity

__all__ = [
    "AS_BEFORE",
    "EVERYBODY",
    "PROFILE",
    "Alert",
    "Amount",
    "Blocks",
    "BudgetRequest",
    "Cost",
    "EncryptionKey",
    "Entry",
    "Key",
    "Ledger",
    "LogEntry",
    "Partition",
    "Publication",
    "Receipt",
    "Role",
    "SQLiteStore",
    "SamePeople",
    "SecretSample",
    "Standing",
    "Store",
    "TableIdentity",
    "Tile",
    "backup",
    "canonical",
    "check",
    "compact",
    "decimal",
    "encrypt",
    "from_form",
    "in_decimals",
    "new_encryption_key",
    "restore",
    "to_form",
]
