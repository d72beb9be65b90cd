import sqlite3

import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.ledger import Ledger
from dalenius.ledger.follow import RULES
from dalenius.ledger.kinds import FIRST


def test_every_kind_has_a_rule():
    assert set(RULES) >= FIRST


def test_a_ledger_with_entries_of_a_later_version_is_opened_no_more(tmp_path):
    Ledger.open(tmp_path / "x.ledger").create("people", epsilon=1, unit="row")
    connection = sqlite3.connect(tmp_path / "x.ledger")
    connection.execute("INSERT INTO facts VALUES ('people', 'needs', 'retire to Mars', '')")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerUnavailable, match="'retire to Mars', which a later version"):
        Ledger.open(tmp_path / "x.ledger")
