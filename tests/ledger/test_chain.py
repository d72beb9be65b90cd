import hashlib
import json
import shutil
import sqlite3

import pytest

from dalenius.errors import LedgerCorrupted
from dalenius.guarantees import PureDP
from dalenius.ledger import Blocks, Ledger, canonical


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
    ledger.partition("people", "half", ["left", "right"], kind="hash")
    ledger.share("people", "ana", 0.6)
    for number in range(4):
        parts = Blocks("half", ("left",)) if number == 3 else None
        terms = {"analyst": "ana", "fingerprint": str(number), "blocks": parts}
        ledger.commit(ledger.reserve(PureDP(0.1), dataset="people", unit="row", **terms), Stored(number))
    ledger.close()
    return file


def change(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_untouched_chain_verifies(path):
    length, head = Ledger.open(path).verify()
    assert length == 11
    assert Ledger.open(path).verify(head=head) == (length, head)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chain SET body = CAST(replace(CAST(body AS TEXT), '100000000000', '1') AS BLOB) WHERE number = 4",
        "UPDATE chain SET body = CAST('{}' AS BLOB) WHERE number = 4",
        "UPDATE chain SET body = x'ff' WHERE number = 4",
        "UPDATE chain SET hash = 'x' WHERE number = 11",
        "DELETE FROM chain WHERE number = 5",
        "UPDATE chain SET dataset = 'others' WHERE number = 4",
        "UPDATE facts SET value = replace(value, '300000000000', '0') WHERE kind = 'everyone'",
        "UPDATE facts SET value = replace(value, '1000000000000', '9000000000000') WHERE kind = 'terms'",
        "UPDATE facts SET value = replace(value, 'add-remove', 'change-one') WHERE kind = 'terms'",
        "DELETE FROM facts WHERE kind = 'terms'",
        "DELETE FROM facts",
        "INSERT INTO facts VALUES ('people', 'share', 'eve', '{}')",
        "UPDATE facts SET value = replace(value, '400000000000', '0') WHERE kind = 'analyst'",
        "UPDATE facts SET value = replace(value, '600000000000', '0') WHERE kind = 'share'",
        "DELETE FROM facts WHERE kind = 'share'",
        "UPDATE facts SET value = replace(value, '100000000000', '0') WHERE kind = 'block'",
        "UPDATE facts SET value = replace(value, '\"per_unit\":1', '\"per_unit\":2') WHERE kind = 'partition'",
        "UPDATE facts SET value = 'x' WHERE kind = 'answer'",
        "DELETE FROM facts WHERE kind = 'seen'",
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
    change(path, f"UPDATE chain SET body = x'{words.hex()}', hash = '{digest}' WHERE number = 11")
    with pytest.raises(LedgerCorrupted):
        Ledger.open(path).verify()


def test_an_old_copy_put_back_lacks_the_head_of_a_later_receipt(path, tmp_path):
    shutil.copy(path, tmp_path / "old")
    ledger = Ledger.open(path)
    head = ledger.reserve(PureDP(0.1), dataset="people", unit="row", analyst="ana").head
    ledger.verify(head=head)
    old = Ledger.open(tmp_path / "old")
    old.verify()
    with pytest.raises(LedgerCorrupted, match="old copy"):
        old.verify(head=head)


def forged(path, kind, **words):
    """Append a link with the right hashes, by hand, with the facts that its rule would write if it did not look."""
    connection = sqlite3.connect(path)
    number, previous = connection.execute("SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1").fetchone()
    body = {"chain": "people", "number": number + 1, "previous": previous, "kind": kind, "dataset": "people"}
    told = canonical(body | {"key": None, "version": 3, "time": "9999-01-01T00:00:00+00:00"} | words)
    link = ("people", number + 1, kind, "people", None, told, hashlib.sha256(told).hexdigest())
    connection.execute("INSERT INTO chain VALUES (?, ?, ?, ?, ?, ?, ?)", link)
    connection.execute("UPDATE facts SET value = '9999-01-01T00:00:00+00:00' WHERE kind = 'time'")
    connection.commit()
    return connection


def test_a_second_budget_appended_with_right_hashes_is_found(path):
    ledger = Ledger.open(path)
    _, head = ledger.verify()
    ledger.close()
    (words,) = sqlite3.connect(path).execute("SELECT value FROM facts WHERE kind = 'terms'").fetchone()
    larger = words.replace('"1000000000000"', '"9000000000000"')
    connection = forged(path, "create", **json.loads(larger))
    connection.execute("UPDATE facts SET value = ? WHERE kind = 'terms'", (larger,))
    connection.commit()
    with pytest.raises(LedgerCorrupted, match="could not have been admitted"):
        Ledger.open(path).verify(head)


def test_a_second_partition_appended_with_right_hashes_is_found(path):
    forged(path, "partition", partition="third", labels=["a"], kind_of_blocks="hash", per_unit=1)
    with pytest.raises(LedgerCorrupted, match="could not have been admitted"):
        Ledger.open(path).verify()


def test_another_answer_appended_with_right_hashes_is_found(path):
    receipt = Ledger.open(path).entries("people")[0].hash
    words = {"receipt": receipt, "release": hashlib.sha256(b"{}").hexdigest(), "question": None}
    connection = forged(path, "commit", **words)
    connection.execute("UPDATE releases SET payload = CAST('{}' AS BLOB) WHERE receipt = ?", (receipt,))
    connection.commit()
    with pytest.raises(LedgerCorrupted, match="a second time"):
        Ledger.open(path).verify()
