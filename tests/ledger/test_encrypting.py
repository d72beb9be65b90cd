import sqlite3
from dataclasses import dataclass

import pytest

from dalenius.errors import InvalidParameter, LedgerCorrupted, LedgerLocked, LedgerMismatch
from dalenius.guarantees import PureDP
from dalenius.ledger import EncryptionKey, Ledger, encrypt, restore
from dalenius.ledger.care import backup

ONE, OTHER = EncryptionKey(b"1" * 32), EncryptionKey(b"2" * 32)
SECRET = "a-text-that-only-an-answer-holds"


@dataclass
class Stored:
    value: object

    def to_dict(self):
        return {"value": self.value}


def ask(ledger, question="f", **more):
    terms = {"dataset": "people", "unit": "row", "fingerprint": question}
    return ledger.reserve(PureDP("0.1"), **terms, **more)


def answered(ledger, question="f", **more):
    receipt = ask(ledger, question, **more)
    if receipt.release is None:
        ledger.commit(receipt, Stored(SECRET))
    return receipt


@pytest.fixture
def path(tmp_path):
    """A ledger with two data sets, and a plain answer."""
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.create("others", epsilon=1, unit="row")
    answered(ledger)
    ledger.close()
    return tmp_path / "x.ledger"


def raw(path):
    return b"".join(part.read_bytes() for part in path.parent.glob(f"{path.name}*"))


def test_plain_answers_are_encrypted_and_stay_free(path):
    assert SECRET.encode() in raw(path)
    before = Ledger.open(path)
    _, head = before.verify()
    before.close()
    assert encrypt(path, ONE) == 1
    assert SECRET.encode() not in raw(path)
    assert encrypt(path, ONE) == 0
    ledger = Ledger.open(path, ONE)
    assert ledger.verify(head)[0] == 6  # an entry for each data set
    assert ask(ledger).release == {"value": SECRET}
    receipt = answered(ledger, "g")
    assert ledger.release_of(receipt) == {"value": SECRET}
    assert ledger.remaining("people").epsilon * 10 == 8
    ledger.close()
    assert SECRET.encode() not in raw(path)


def test_budgets_need_no_key_and_what_needs_one_is_refused_before_a_charge(path, tmp_path):
    encrypt(path, ONE)
    for key, error in ((None, "no key was given"), (OTHER, "another key")):
        ledger = Ledger.open(path, key)
        length, _ = ledger.verify()
        assert ledger.locked_answers() == 1
        for question in ("f", "new"):
            with pytest.raises(LedgerLocked, match=error):
                ask(ledger, question)
        with pytest.raises(LedgerLocked, match="was not given"):
            ledger.earlier(PureDP("0.1"), dataset="people", unit="row", fingerprint="f")
        ledger.share("people", "ana", "0.5")
        assert ledger.remaining("people").epsilon * 10 == 9
        assert ledger.verify()[0] == length + (key is None)
    _, head = backup(path, tmp_path / "copy")
    assert restore(tmp_path / "copy", tmp_path / "back.ledger", head)
    assert ask(Ledger.open(tmp_path / "back.ledger", ONE)).release == {"value": SECRET}


def test_a_key_for_a_ledger_that_is_not_encrypted_is_refused_until_it_is(path):
    ledger = Ledger.open(path, ONE)
    with pytest.raises(LedgerMismatch, match=r"ledger\.encrypt"):
        ask(ledger)
    ledger.encrypt()
    assert ask(ledger).release == {"value": SECRET}
    with pytest.raises(InvalidParameter, match="open the ledger with a key"):
        Ledger.open(path).encrypt()


def test_a_new_ledger_is_encrypted_from_the_first_answer_and_so_is_each_new_data_set(tmp_path):
    ledger = Ledger.open(tmp_path / "new.ledger", ONE)
    ledger.create("people", epsilon=1, unit="row")
    answered(ledger)
    assert SECRET.encode() not in raw(tmp_path / "new.ledger")
    Ledger.open(tmp_path / "new.ledger").create("more", epsilon=1, unit="row")  # by who has no key
    with pytest.raises(LedgerLocked):
        Ledger.open(tmp_path / "new.ledger").reserve(PureDP(1), dataset="more", unit="row")
    ledger.reserve(PureDP(1), dataset="more", unit="row")
    ledger.verify()


def test_a_changed_key_opens_every_answer_and_the_old_one_none(path):
    encrypt(path, ONE)
    answered(Ledger.open(path, ONE), "g")
    with pytest.raises(LedgerLocked, match=ONE.id):
        encrypt(path, OTHER)
    assert encrypt(path, [OTHER, ONE]) == 2
    ledger = Ledger.open(path, OTHER)
    assert [ask(ledger, question).release for question in "fg"] == [{"value": SECRET}] * 2
    assert ledger.locked_answers() == 0
    ledger.verify()
    with pytest.raises(LedgerLocked):
        ask(Ledger.open(path, ONE))


def test_an_answer_paid_for_under_the_old_key_is_not_lost_by_a_change_of_keys(path):
    encrypt(path, ONE)
    slow = Ledger.open(path, ONE)
    receipt = ask(slow, "g", key="retry")
    encrypt(path, [OTHER, ONE])
    with pytest.raises(LedgerLocked):
        slow.commit(receipt, Stored(SECRET))
    ledger = Ledger.open(path, OTHER)
    assert answered(ledger, "g", key="retry").head == receipt.head  # paid once
    assert ledger.remaining("people").epsilon * 10 == 8
    ledger.verify()


def test_a_lost_key_loses_answers_and_gives_no_budget_back(path):
    encrypt(path, ONE)
    old = Ledger.open(path, ONE)
    receipt = answered(old)
    assert encrypt(path, OTHER, lost=True) == 0
    ledger = Ledger.open(path, OTHER)
    assert ledger.remaining("people").epsilon * 10 == 9
    assert ask(ledger).release is None  # a new question now, and paid again
    answered(ledger)
    assert ask(ledger).release == {"value": SECRET}
    assert ledger.remaining("people").epsilon * 10 == 7
    ledger.verify()
    with pytest.raises(LedgerLocked, match="lost, draw and pay again"):
        ledger.release_of(receipt)
    found = Ledger.open(path, [OTHER, ONE])  # if it turns up again, nothing was thrown away
    assert found.release_of(receipt) == {"value": SECRET}
    assert found.encrypt() == 1
    assert Ledger.open(path, OTHER).release_of(receipt) == {"value": SECRET}
    found.verify()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE releases SET payload = CAST('{\"value\":1}' AS BLOB)",
        "UPDATE releases SET payload = substr(payload, 1, length(payload) - 1)",
        "UPDATE releases SET payload = (SELECT payload FROM releases LIMIT 1)",
        "UPDATE facts SET value = '0000000000000000' WHERE kind = 'encrypted'",
        "DELETE FROM facts WHERE kind = 'encrypted'",
    ],
)
def test_a_change_by_hand_is_found_with_the_key(path, change):
    encrypt(path, ONE)
    answered(Ledger.open(path, ONE), "g")
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(LedgerCorrupted):
        Ledger.open(path, ONE).verify()


def test_an_earlier_version_opens_an_encrypted_ledger_no_more(path):
    """It would store plain answers beside the others."""
    encrypt(path, ONE)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT DISTINCT name FROM facts WHERE kind = 'needs'").fetchall() == [("encrypt",)]
