import hashlib
import shutil
import sqlite3

import pytest

from dalenius.errors import LedgerCorrupted
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger


class Stored:
    def __init__(self, value):
        self.value = value

    def to_dict(self):
        return {"value": self.value}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.ledger"
    ledger = Ledger.open(file)
    ledger.create("people", epsilon=1, unit="row")
    for number in range(4):
        ledger.commit(ledger.reserve(PureDP(0.1), dataset="people", unit="row"), Stored(number))
    ledger.close()
    return file


def change(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_untouched_chain_verifies(path):
    length, head = Ledger.open(path).verify()
    assert length == 9
    assert Ledger.open(path).verify(head=head) == (length, head)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chain SET body = CAST(replace(CAST(body AS TEXT), '100000000000', '1') AS BLOB) WHERE number = 2",
        "UPDATE chain SET body = CAST('{}' AS BLOB) WHERE number = 2",
        "UPDATE chain SET body = x'ff' WHERE number = 2",
        "UPDATE chain SET hash = 'x' WHERE number = 9",
        "DELETE FROM chain WHERE number = 5",
        "UPDATE chain SET dataset = 'others' WHERE number = 2",
        "UPDATE datasets SET epsilon_spent = '0'",
        "UPDATE datasets SET epsilon_limit = '9000000000000'",
        "UPDATE datasets SET relation = 'change-one'",
        "DELETE FROM datasets",
        "UPDATE releases SET payload = CAST('{}' AS BLOB)",
        "DELETE FROM releases",
    ],
)
def test_every_change_by_hand_is_found(path, statement):
    change(path, statement)
    with pytest.raises(LedgerCorrupted):
        Ledger.open(path).verify()


def test_a_last_entry_forged_with_its_hash_is_found(path):
    words = b"{}"
    digest = hashlib.sha256(words).hexdigest()
    change(path, f"UPDATE chain SET body = x'{words.hex()}', hash = '{digest}' WHERE number = 9")
    with pytest.raises(LedgerCorrupted):
        Ledger.open(path).verify()


def test_an_old_copy_put_back_lacks_the_head_of_a_later_receipt(path, tmp_path):
    shutil.copy(path, tmp_path / "old")
    ledger = Ledger.open(path)
    head = ledger.reserve(PureDP(0.1), dataset="people", unit="row").head
    ledger.verify(head=head)
    old = Ledger.open(tmp_path / "old")
    old.verify()
    with pytest.raises(LedgerCorrupted, match="old copy"):
        old.verify(head=head)
