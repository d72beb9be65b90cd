import json
import sys

import pytest
from typer.testing import CliRunner

from dalenius.cli import main
from dalenius.cli.app import app
from dalenius.errors import LedgerCorrupted, LedgerMismatch, UnknownName
from dalenius.guarantees import PureDP
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
    assert told["left"] == {"epsilon": "0.75", "delta": "0"}
    assert told["granted"] == {"epsilon": "1", "delta": "0"}
    assert (told["filter"], told["shares"]) == ("auto", {})
    assert told["entries"][0]["epsilon"] == "0.25"


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


def test_shares_are_given_ended_pooled_and_logged(file):
    assert "may draw ε = 0.5 of people" in run("share", file, "people", "bo", "--epsilon", "0.5").output
    run("share", file, "people", "lab", "--epsilon", "0.5", "--until", "2999-01-01")
    assert "lab: bo" in run("team", file, "people", "lab", "bo").output
    run("revoke", file, "people", "lab")
    kinds = [entry["kind"] for entry in json.loads(run("log", file, "people", "--json").output)]
    assert kinds[-4:] == ["share", "share", "team", "revoke"]
    assert "command line" in run("log", file, "people", "--kind", "revoke").output
    assert "people: granted" in run("list", file).output
    assert json.loads(run("list", file, "--json").output)[0]["dataset"] == "people"
    assert "required" in run("purpose", file, "people").output


def test_requests_are_listed_and_answered(file):
    Ledger.open(file).request_budget("people", "bo", "0.1", purpose="a\x1b[31m trick")
    one, two = (Ledger.open(file).request_budget("people", who, "0.1") for who in ("cy", "di"))
    told = run("requests", file, "people").output
    assert "\x1b" not in told
    assert "open" in told
    assert "approved" in run("approve", file, "people", one[:12]).output
    assert "declined" in run("decline", file, "people", two, "--reason", "later").output
    states = {each["analyst"]: each["state"] for each in json.loads(run("requests", file, "people", "--json").output)}
    assert states == {"bo": "open", "cy": "approved", "di": "declined"}


def test_data_sets_are_joined(file):
    ledger = Ledger.open(file)
    for name in ("visits", "orders"):
        ledger.create(name, epsilon=1, unit=name)
    assert "together" in run("join", file, "visits", "orders").output
    assert ledger.population("visits") == ["orders", "visits"]


def test_show_without_a_name_takes_the_only_data_set_and_lists_several(file, tmp_path):
    assert run("show", file).output == run("show", file, "people").output
    assert json.loads(run("show", file, "--json").output)["entries"][0]["label"] == "[b]ages"
    Ledger.open(file).create("planets", epsilon=2, unit="planet")
    assert run("show", file).output == run("list", file).output
    assert [one["dataset"] for one in json.loads(run("show", file, "--json").output)] == ["people", "planets"]
    Ledger.open(tmp_path / "empty.ledger").close()
    assert "budget create" in run("show", tmp_path / "empty.ledger").output
