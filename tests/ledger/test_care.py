import shutil
import stat

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerCorrupted, LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
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
