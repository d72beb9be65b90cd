import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import LedgerLocked
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger


class Stored:
    def to_dict(self):
        return {"value": 7}


@pytest.fixture
def file(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.close()
    return tmp_path / "x.ledger"


def run(*words):
    return CliRunner().invoke(app, ["ledger", *map(str, words)])


def test_a_ledger_is_copied_checked_compacted_and_put_back(file, tmp_path):
    told = run("backup", file, tmp_path / "copy").output
    assert "copied 1 entries" in told
    head = told.split()[-1]
    assert head in run("check", file, "--head", head).output
    assert "bytes before" in run("compact", file).output
    assert "go on" in run("restore", tmp_path / "copy", tmp_path / "a.ledger", "--head", head).output
    told = run("restore", tmp_path / "copy", tmp_path / "b.ledger").output
    assert told == "put back; what counts as spent: the budget of people\n"


def test_a_lost_ledger_counts_as_spent(file):
    assert "counts as spent" in run("write-off", file, "people", "--reason", "lost in a move").output
    book = Ledger.open(file)
    assert (book.remaining("people").epsilon, book.written_off("people")) == (0, "lost in a move")


def test_answers_are_encrypted_and_keys_change(file, tmp_path, monkeypatch):
    one, two = tmp_path / "one.key", tmp_path / "two.key"
    id_ = run("new-key", one).output.split()[1]
    run("new-key", two)
    assert "0 answers" in run("encrypt", file, "--key-file", one).output
    book = Ledger.open(file, one)
    receipt = book.reserve(PureDP(1), dataset="people", unit="row", fingerprint="f")
    book.commit(receipt, Stored())
    assert "1 encrypted answers were not opened" in run("check", file).output
    monkeypatch.setenv("DALENIUS_KEY_FILE", str(one))
    assert "not opened" not in run("check", file).output
    refused = run("encrypt", file, "--key-file", two).exception
    assert isinstance(refused, LedgerLocked)
    assert id_ in str(refused)
    assert "1 answers" in run("encrypt", file, "--key-file", two, "--old-key-file", one).output
    assert Ledger.open(file, two).release_of(receipt) == {"value": 7}
