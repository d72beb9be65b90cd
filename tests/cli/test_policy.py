import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import InvalidParameter
from dalenius.sql import Policy
from dalenius.sql.engine.duckdb.csv_lines import REFUSED
from tests.cli.test_query import CSV, QUESTION, ROWS


def run(*words):
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table(ROWS), tmp_path / "data" / "purchases.parquet")
    (tmp_path / "data" / "purchases.csv").write_text(CSV.replace("odd", "2.5"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["purchases.parquet", "purchases.csv"])
def test_what_is_written_is_printed_warned_of_and_ready_to_be_asked(folder, name):
    done = run("policy", "init", folder / "data" / name)
    assert done.exit_code == 0, done.exception
    written = (folder / "policy.toml").read_text(encoding="utf-8")
    assert done.stdout == written
    assert "for its owner alone" in done.stderr
    policy = Policy.load(folder / "policy.toml")
    assert (policy.source, policy.unit.column) == (f"data/{name}", "user_id")
    asked = run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION)
    assert asked.exit_code == 0, asked.exception
    assert "left: ε = 0.9" in asked.output


def test_a_policy_is_never_overwritten(folder):
    (folder / "policy.toml").write_text("kept", encoding="utf-8")
    done = run("policy", "init", "data/purchases.parquet")
    assert isinstance(done.exception, InvalidParameter)
    assert (folder / "policy.toml").read_text(encoding="utf-8") == "kept"
    assert run("policy", "init", "data/purchases.parquet", "--out", "other.toml").exit_code == 0


@pytest.mark.parametrize(
    "words", [["nowhere.csv"], ["nowhere.parquet"], ["data/purchases.csv", "--out", "no/where.toml"]]
)
def test_what_cannot_be_read_or_written_is_said(folder, words):
    assert isinstance(run("policy", "init", *words).exception, InvalidParameter)


def test_declared_types_are_not_guessed(folder):
    types = ["--column", "user_id=BIGINT", "--column", "zip=VARCHAR"]
    assert run("policy", "init", "data/purchases.csv", *types).exit_code == 0
    assert Policy.load("policy.toml").columns == {"user_id": "BIGINT", "zip": "VARCHAR"}


def test_an_owner_checks_a_csv_again_after_a_change(folder):
    assert run("policy", "init", "data/purchases.csv").exit_code == 0
    assert run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION).exit_code == 0
    assert "declared columns" in run("policy", "check", "policy.toml").output
    with (folder / "data" / "purchases.csv").open("a", encoding="utf-8") as file:
        file.write('9,"open,1,2\n')
    refused = run("policy", "check", "policy.toml")
    assert isinstance(refused.exception, InvalidParameter)
    assert str(refused.exception) == REFUSED
    # whoever asks learns nothing of it
    assert run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION).exit_code == 0


def test_a_policy_is_checked_against_the_columns_of_another_file(folder):
    assert run("policy", "init", "data/purchases.parquet").exit_code == 0
    assert run("policy", "check", "policy.toml", "data/purchases.parquet").exit_code == 0
    pq.write_table(pa.table({"user_id": [1]}), folder / "other.parquet")
    refused = run("policy", "check", "policy.toml", "other.parquet")
    assert isinstance(refused.exception, InvalidParameter)
