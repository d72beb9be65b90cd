import sqlite3

import pytest

from dalenius.errors import LedgerCorrupted
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, heads


@pytest.fixture
def path(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    for name in ("people", "others"):
        ledger.create(name, epsilon=1, unit=name)
        ledger.reserve(PureDP("0.1"), dataset=name, unit=name)
    ledger.close()
    return tmp_path / "x.ledger"


def chain_of_heads(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT number, body FROM heads ORDER BY number").fetchall()
    connection.close()
    return found


def change(path, statement):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_checkpoints_are_written_when_a_ledger_is_opened_closed_and_verified_and_only_if_a_chain_moved(path):
    assert len(chain_of_heads(path)) == 1  # at the close
    ledger = Ledger.open(path)
    assert len(chain_of_heads(path)) == 1
    ledger.reserve(PureDP("0.1"), dataset="people", unit="people")
    assert len(chain_of_heads(path)) == 1  # never in a reserve
    Ledger.open(path)
    assert len(chain_of_heads(path)) == 2
    ledger.reserve(PureDP("0.1"), dataset="people", unit="people")
    ledger.verify()
    ledger.verify()
    ledger.close()
    assert len(chain_of_heads(path)) == 3


def test_a_checkpoint_follows_every_so_many_entries(path, monkeypatch):
    monkeypatch.setattr("dalenius.ledger.books.EVERY", 5)
    ledger = Ledger.open(path)
    for _ in range(9):
        ledger.reserve(PureDP("0.01"), dataset="people", unit="people")
    assert len(chain_of_heads(path)) == 3
    assert heads.EVERY == 1000


def test_one_head_speaks_for_all_chains(path, tmp_path):
    ledger = Ledger.open(path)
    length, head = ledger.verify()
    assert length == 4
    ledger.close()
    change(path, "DELETE FROM chain WHERE chain = 'people'")
    change(path, "DELETE FROM facts WHERE dataset = 'people'")
    with pytest.raises(LedgerCorrupted, match="'people' lacks an entry that checkpoint 1 names"):
        Ledger.open(path).verify()
    change(path, "DELETE FROM heads")
    Ledger.open(path).verify()  # consistent again
    with pytest.raises(LedgerCorrupted, match="lacks the given head"):
        Ledger.open(path).verify(head=head)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE heads SET body = CAST('{}' AS BLOB) WHERE number = 1",
        "UPDATE heads SET hash = 'x' WHERE number = 1",
        "DELETE FROM heads WHERE number = 1",
        "UPDATE heads SET number = 9 WHERE number = 2",
    ],
)
def test_a_changed_chain_of_heads_is_found(path, statement):
    ledger = Ledger.open(path)
    ledger.reserve(PureDP("0.1"), dataset="people", unit="people")
    ledger.close()
    change(path, statement)
    with pytest.raises(LedgerCorrupted):
        Ledger.open(path).verify()


def test_a_charge_touches_the_chain_of_its_own_data_set_alone(path):
    ledger = Ledger.open(path)
    before = {name: ledger.entries(name)[-1].number for name in ("people", "others")}
    ledger.reserve(PureDP("0.1"), dataset="people", unit="people")
    after = {name: ledger.entries(name)[-1].number for name in ("people", "others")}
    assert after == before | {"people": before["people"] + 1}
