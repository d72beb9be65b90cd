import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.ledger import Ledger


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
    assert "counts as spent" in run("restore", tmp_path / "copy", tmp_path / "b.ledger").output
