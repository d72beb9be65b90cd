import csv
import io
import json
import sys

import pytest
from typer.testing import CliRunner

from dalenius.cli import main
from dalenius.cli.app import app
from dalenius.errors import LedgerCorrupted, LedgerMismatch, UnknownName
from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import Ledger


@pytest.fixture
def file(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="id")
    ledger.reserve(PureDP(0.25), dataset="people", unit="id", analyst="[/ana]", label="[b]ages")
    return tmp_path / "x.ledger"


def run(*words):
    return CliRunner().invoke(app, ["budget", *map(str, words)])


def test_show_tells_what_was_granted_charged_and_left(file):
    output = run("show", file, "people").output
    assert "people protects each id (add-remove); granted ε = 1, left ε = 0.75" in output
    assert "[/ana]" in output
    assert "25% spent" in output
    assert "━" in output


def test_show_has_a_bar_for_each_share(file):
    Ledger.open(file).share("people", "[/ana]", 0.5)
    output = run("show", file, "people").output
    assert "share of [/ana]" in output
    assert "50% spent" in output


def test_show_as_json(file):
    told = json.loads(run("show", file, "people", "--json").output)
    assert told["left"] == {"epsilon": "3/4", "delta": "0"}
    assert told["granted"] == {"epsilon": "1", "delta": "0"}
    assert (told["filter"], told["shares"]) == ("auto", {})
    assert told["entries"][0]["epsilon"] == "1/4"


def test_create_makes_a_ledger_and_is_refused_with_other_terms(tmp_path):
    words = ("create", tmp_path / "new.ledger", "people", "--epsilon", "1", "--delta", "1e-6", "--unit", "id")
    assert run(*words).output == "people protects each id (add-remove); granted ε = 1, δ = 1e-06\n"
    told = json.loads(run(*words, "--json").output)
    assert [branch["name"] for branch in told["branches"]] == ["sum", "concentrated"]
    assert isinstance(run(*words, "--filter", "gaussian").exception, LedgerMismatch)


def test_verify_tells_length_and_head_and_finds_what_is_missing(file):
    length, head = Ledger.open(file).verify()
    assert run("verify", file).output == f"whole: {length} entries, head {head}\n"
    assert json.loads(run("verify", file, "--head", head, "--json").output) == {"entries": length, "head": head}
    assert isinstance(run("verify", file, "--head", "0" * 64).exception, LedgerCorrupted)


def test_export_gives_every_charge_as_csv_or_json(file):
    ledger = Ledger.open(file)
    ledger.create("more", epsilon=1, delta=1e-6, unit="row")
    ledger.reserve(GDP("0.01"), dataset="more", unit="row")
    (row,) = csv.DictReader(io.StringIO(run("export", file, "people").output))
    assert (row["analyst"], row["label"], row["epsilon"]) == ("[/ana]", "[b]ages", "1/4")
    (told,) = json.loads(run("export", file, "more", "--json").output)
    assert (told["epsilon"], told["rho"], told["guarantee"]) == (None, "1/20000", "GDP(1/100)")


@pytest.mark.parametrize("words", [("show", "people"), ("export", "people"), ("verify",)])
def test_a_ledger_that_is_not_there_is_not_made(tmp_path, words):
    done = run(words[0], tmp_path / "no.ledger", *words[1:])
    assert isinstance(done.exception, UnknownName)
    assert not (tmp_path / "no.ledger").exists()


def test_a_refusal_is_one_plain_line_and_exit_code_1(file, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dalenius", "budget", "show", str(file), "planets"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert "no data set 'planets'" in capsys.readouterr().err
