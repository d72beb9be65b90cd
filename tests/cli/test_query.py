import json

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.datasets import adult
from dalenius.errors import UnsupportedQuery

QUESTION = "SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex"


def ask(tmp_path, *more, question=QUESTION, keys="sex=Female,Male"):
    terms = [
        "--unit",
        "row",
        "--epsilon",
        "0.1",
        "--budget",
        "1",
        "--ledger",
        str(tmp_path / "x.ledger"),
        "--keys",
        keys,
    ]
    return CliRunner().invoke(app, ["query", str(adult()), question, *terms, *more])


def test_a_table_with_error_cost_and_what_is_left(tmp_path):
    done = ask(tmp_path)
    assert done.exit_code == 0
    assert "Female" in done.output
    assert "0.1-differential privacy" in done.output
    assert "left: ε = 0.9" in done.output


def test_json_and_csv_hold_nothing_else(tmp_path):
    rows = json.loads(ask(tmp_path, "--json").output)["rows"]
    assert [row["sex"] for row in rows] == ["Female", "Male"]
    assert ask(tmp_path, "--csv").output.splitlines()[0] == "sex,n,n_lower,n_upper"


def test_whole_numbers_are_keys_of_a_column_of_numbers(tmp_path):
    done = ask(tmp_path, question="SELECT age, COUNT(*) FROM adult GROUP BY age", keys="age=30,31")
    assert done.exit_code == 0


@pytest.mark.parametrize("keys", ["sex", "=a", "sex="])
def test_keys_written_wrongly_are_misuse(tmp_path, keys):
    assert ask(tmp_path, keys=keys).exit_code == 2


def test_a_refusal_is_passed_on(tmp_path):
    assert isinstance(ask(tmp_path, question="SELECT * FROM adult").exception, UnsupportedQuery)
