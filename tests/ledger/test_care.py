import shutil
import stat
from pathlib import Path

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerCorrupted, LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, care
from dalenius.ledger.care import backup, check, compact, restore


@pytest.fixture
def path(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.reserve(PureDP("0.1"), dataset="people", unit="row")
    ledger.close()
    return tmp_path / "x.ledger"


def charge(path):
    ledger = Ledger.open(path)
    try:
        return ledger.reserve(PureDP("0.1"), dataset="people", unit="row").head
    finally:
        ledger.close()


def test_a_copy_of_a_ledger_in_use_is_whole_and_its_owners_alone(path, tmp_path):
    opened = Ledger.open(path)
    length, head = backup(path, tmp_path / "copy")
    assert (length, head) == opened.verify()
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    with pytest.raises(InvalidParameter, match="already"):
        backup(path, tmp_path / "copy")
    with pytest.raises(LedgerUnavailable, match="cannot be written"):
        backup(path, tmp_path / "nowhere" / "copy")


def test_the_latest_copy_goes_on_and_an_older_one_counts_as_spent(path, tmp_path):
    _, head = backup(path, tmp_path / "copy")
    assert restore(tmp_path / "copy", tmp_path / "back.ledger", head) is True
    assert charge(tmp_path / "back.ledger")
    later = charge(path)
    assert restore(tmp_path / "copy", tmp_path / "old.ledger", later) is False
    with pytest.raises(BudgetExceeded, match="copy that may lack charges"):
        charge(tmp_path / "old.ledger")
    assert restore(tmp_path / "copy", tmp_path / "unknown.ledger") is False
    with pytest.raises(InvalidParameter, match="move it away"):
        restore(tmp_path / "copy", path, later)


def test_a_ledger_put_back_by_hand_is_found_by_its_head(path, tmp_path):
    shutil.copy(path, tmp_path / "old")
    head = charge(path)
    shutil.copy(tmp_path / "old", path)
    with pytest.raises(LedgerCorrupted, match="old copy"):
        check(path, head)
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        check(tmp_path / "nothing")


def test_compacting_removes_no_entry(path):
    before = check(path)
    sizes = compact(path)
    assert sizes[1] <= sizes[0]
    assert check(path) == before


def test_a_log_that_was_left_beside_the_name_is_not_played_into_a_copy(path, tmp_path):
    backup(path, tmp_path / "copy")
    opened = Ledger.open(path)
    opened.reserve(PureDP("0.1"), dataset="people", unit="row")
    log = Path(f"{path}-wal").read_bytes()
    opened.close()
    place = tmp_path / "back.ledger"
    for left in (Path(f"{place}-wal"), tmp_path / "back.ledger.restoring"):
        left.write_bytes(log)
        with pytest.raises(InvalidParameter, match="move it away"):
            restore(tmp_path / "copy", place)
        left.unlink()
    assert restore(tmp_path / "copy", place) is False
    check(place)


def test_the_head_of_a_receipt_speaks_for_its_own_data_set_alone(path, tmp_path):
    book = Ledger.open(path)
    book.create("others", epsilon=1, unit="row")
    receipt = book.reserve(PureDP("0.1"), dataset="people", unit="row")
    _, head = backup(path, tmp_path / "copy")
    book.reserve(PureDP("0.9"), dataset="others", unit="row")  # the copy does not know
    assert restore(tmp_path / "copy", tmp_path / "one.ledger", receipt.head) is False
    one = Ledger.open(tmp_path / "one.ledger")
    assert [one.remaining(name).epsilon * 10 for name in ("others", "people")] == [0, 8]
    assert restore(tmp_path / "copy", tmp_path / "all.ledger", head) is True
    assert book.bound_by(head) == ["others", "people"]
    assert book.bound_by("nothing") == []


def test_the_head_of_a_copy_is_one_that_the_ledger_holds_whatever_is_charged_meanwhile(path, tmp_path, monkeypatch):
    book = Ledger.open(path)
    book.create("others", epsilon=1, unit="row")
    copied = care._copied

    def charged_first(*places):
        book.reserve(PureDP("0.1"), dataset="others", unit="row")
        copied(*places)

    monkeypatch.setattr(care, "_copied", charged_first)
    _, head = backup(path, tmp_path / "copy")
    check(tmp_path / "copy", head)
    book.verify(head)
