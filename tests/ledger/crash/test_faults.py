"""A full disk, a file that may not be written, and a file that is taken away while it is open."""

import os
import shutil
import stat
from fractions import Fraction

import pytest

from dalenius.errors import LedgerCorrupted, LedgerError, LedgerUnavailable, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from tests.ledger.crash.crew import run


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    ledger = Ledger.open(folder / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    reserve(ledger)
    ledger.close()
    yield folder / "x.ledger"
    folder.chmod(stat.S_IRWXU)


def reserve(ledger, **more):
    return ledger.reserve(PureDP("0.001"), dataset="people", unit="row", **more)


def test_a_full_disk_refuses_by_name_and_loses_no_charge(path):
    told = run("full", folder=str(path.parent), times=40)
    assert len(told["refused"]) >= 40
    assert all("x.ledger cannot be used" in refusal for refusal in told["refused"])
    ledger = Ledger.open(path)
    heads = [entry.hash for entry in ledger.entries("people")]
    assert heads[1:] == told["granted"]
    assert ledger.remaining("people").epsilon == 1 - Fraction(len(heads), 1000)
    ledger.verify(head=heads[-1])


@pytest.mark.parametrize("taken", ["file", "folder", "both"])
def test_a_file_or_folder_that_may_not_be_written_refuses_by_name(path, taken):
    before = path.read_bytes()
    if taken in ("file", "both"):
        path.chmod(0o400)
    if taken in ("folder", "both"):
        path.parent.chmod(0o500)
    assert "x.ledger cannot be used" in run("read_only", path=str(path))
    path.parent.chmod(0o700)
    path.chmod(0o600)
    assert path.read_bytes() == before
    reserve(Ledger.open(path))


def remove(path):
    path.unlink()


def remove_all(path):
    for one in path.parent.iterdir():
        one.unlink()


def move(path):
    path.rename(path.with_name("elsewhere"))


def put_back(path):
    path.with_name("old").replace(path)


@pytest.mark.parametrize("taken", [remove, remove_all, move, put_back])
def test_a_ledger_taken_away_while_open_charges_nothing_more(path, taken):
    """What SQLite wrote then would be in a file that no name leads to: an acknowledged charge that is lost."""
    shutil.copy(path, path.with_name("old"))
    ledger = Ledger.open(path)
    reserve(ledger, key="before")
    taken(path)
    for _ in range(2):
        with pytest.raises(LedgerUnavailable, match="while it was open"):
            reserve(ledger, key="after")
    with pytest.raises(LedgerUnavailable, match="while it was open"):
        ledger.remaining("people")
    ledger.close()


def test_a_log_removed_while_open_charges_nothing_more(path):
    ledger = Ledger.open(path)
    reserve(ledger)
    path.with_name("x.ledger-wal").unlink()
    with pytest.raises(LedgerUnavailable, match="while it was open"):
        reserve(ledger)


@pytest.mark.parametrize("by", [os.replace, shutil.copyfile])
@pytest.mark.parametrize("logs", ["kept", "removed"])
def test_the_head_of_a_receipt_finds_an_old_copy_put_back_while_open(path, by, logs):
    """A copy over the file, or in its place; with the log of the lost charges beside it or without."""
    shutil.copy(path, path.with_name("old"))
    ledger = Ledger.open(path)
    receipts = [reserve(ledger) for _ in range(20)]
    by(path.with_name("old"), path)
    if logs == "removed":
        for name in ("x.ledger-wal", "x.ledger-shm"):
            path.with_name(name).unlink()
    try:
        reopened = Ledger.open(path)
        reopened.verify(head=receipts[-1].head)
    except LedgerError:
        return
    assert logs == "kept"
    assert [entry.hash for entry in reopened.entries("people")][1:] == [receipt.head for receipt in receipts]


def test_an_old_copy_put_back_between_two_openings_is_found_by_the_head_of_a_receipt(path):
    shutil.copy(path, path.with_name("old"))
    ledger = Ledger.open(path)
    head = reserve(ledger).head
    ledger.close()
    path.with_name("old").replace(path)
    ledger = Ledger.open(path)
    ledger.verify()
    with pytest.raises(LedgerCorrupted, match="old copy"):
        ledger.verify(head=head)


def test_a_new_file_in_the_place_of_a_removed_one_has_no_budget(path):
    ledger = Ledger.open(path)
    head = reserve(ledger).head
    ledger.close()
    path.unlink()
    fresh = Ledger.open(path)
    with pytest.raises(UnknownName):
        reserve(fresh)
    with pytest.raises(LedgerError):
        fresh.verify(head=head)
