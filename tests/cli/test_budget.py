import json

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger


@pytest.fixture
def file(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="id")
    ledger.reserve(PureDP(0.25), dataset="people", unit="id", analyst="[/ana]")
    return tmp_path / "x.ledger"


def test_show_tells_what_was_granted_charged_and_left(file):
    output = CliRunner().invoke(app, ["budget", "show", str(file), "people"]).output
    assert "people protects each id (add-remove); granted ε = 1, left ε = 0.75" in output
    assert "[/ana]" in output


def test_show_as_json(file):
    told = json.loads(CliRunner().invoke(app, ["budget", "show", str(file), "people", "--json"]).output)
    assert told["left"] == {"epsilon": "3/4", "delta": "0"}
    assert told["entries"][0]["epsilon"] == "1/4"


def test_a_ledger_that_is_not_there_is_not_made(tmp_path):
    done = CliRunner().invoke(app, ["budget", "show", str(tmp_path / "no.ledger"), "people"])
    assert isinstance(done.exception, UnknownName)
    assert not (tmp_path / "no.ledger").exists()
