import csv
import io
import json

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import Ledger

FORMULA = "=HYPERLINK(1)"


@pytest.fixture
def file(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="id")
    ledger.share("people", FORMULA, "0.5", until="2999-01-01")
    asked = {"analyst": FORMULA, "label": "@ages", "purpose": "+1\x1b[2J", "text": "-- SELECT 1", "key": "=k"}
    ledger.reserve(PureDP("0.25"), dataset="people", unit="id", **asked)
    ledger.create("more", epsilon=1, delta=1e-6, unit="row")
    ledger.reserve(GDP("0.01"), dataset="more", unit="row")
    return tmp_path / "x.ledger"


def run(*words):
    return CliRunner().invoke(app, ["budget", *map(str, words)])


def rows(*words):
    return list(csv.DictReader(io.StringIO(run("export", *words).output)))


def test_the_whole_log_is_exported_charges_and_decisions_alike(file):
    told = rows(file)
    assert [(row["dataset"], row["kind"]) for row in told] == [
        ("more", "create"),
        ("more", "reserve"),
        ("people", "create"),
        ("people", "share"),
        ("people", "reserve"),
    ]
    share, charge = told[3:]
    assert (charge["epsilon"], charge["delta"], charge["guarantee"]) == ("0.25", "0", "PureDP(1/4)")
    assert (share["epsilon"], share["until"]) == ("0.5", "2999-01-01T00:00:00+00:00")
    assert told[1]["rho"] == "0.00005"
    assert 0.04 < float(told[1]["epsilon"]) < 0.05  # a point of its curve, for plain sums
    assert json.loads(told[2]["more"])["unit"] == "id"
    assert charge["hash"] == Ledger.open(file).entries("people")[0].hash


def test_no_cell_is_a_formula_and_none_moves_a_terminal(file):
    output = run("export", file).output
    assert "\x1b" not in output
    for row in csv.reader(io.StringIO(output)):
        assert not [cell for cell in row if cell[:1] in ("=", "+", "-", "@", "\t")]
    assert rows(file, "people")[1]["analyst"] == f"'{FORMULA}"


def test_json_has_exact_decimals_and_no_units(file):
    output = run("export", file, "--json").output
    assert "_units" not in output
    told = json.loads(output)
    assert told[4]["cost"] == {"sum": {"epsilon": "0.25", "delta": "0"}}
    assert told[0]["branches"][0]["caps"] == {"epsilon": "1", "delta": "0.0000005"}
    assert told[1]["cost"]["concentrated"]["rho"] == "0.00005"
    assert json.loads(run("log", file, "people", "--json").output) == told[2:]
    assert json.loads(run("show", file, "people", "--json").output)["entries"][0]["charged"] == told[4]["cost"]


def test_log_and_export_filter_by_kind_analyst_time_and_words(file):
    assert [row["kind"] for row in rows(file, "people", "--analyst", FORMULA)] == ["share", "reserve"]
    assert [row["kind"] for row in rows(file, "--kind", "create")] == ["create", "create"]
    assert rows(file, "--until", "2020-01-01") == []
    assert len(rows(file, "--since", "2020-01-01", "--containing", "select")) == 1
    assert len(run("log", file, "people", "--kind", "reserve").output.splitlines()) == 1
    assert isinstance(run("export", file, "--since", "soon").exception, InvalidParameter)
