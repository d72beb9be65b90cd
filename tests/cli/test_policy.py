import sys

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
def test_a_policy_is_written_with_proposed_terms_and_ready_to_be_asked(folder, name):
    done = run("policy", "init", folder / "data" / name)
    assert done.exit_code == 0, done.exception
    assert "protects each user_id, who may own many rows" in done.stdout
    policy = Policy.load(folder / "policy.toml")
    assert (policy.source, policy.unit.column, policy.contributions) == (f"data/{name}", "user_id", None)
    assert "unit" in policy.proposed
    told = run("policy", "profile", "policy.toml", "--epsilon", "0.02")
    assert told.exit_code == 0, told.exception
    assert "left: ε = 0.98" in told.output
    asked = run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION)
    assert asked.exit_code == 0, asked.exception
    assert "left: ε = 0.88" in asked.output
    assert "nobody has confirmed them" in asked.stderr
    assert "nothing is only proposed" in run("policy", "confirm", "policy.toml").output
    assert "nobody has confirmed" not in run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION).stderr


def test_what_was_seen_is_for_its_owner_alone_and_nothing_opens_it(folder):
    assert run("policy", "init", "data/purchases.parquet").exit_code == 0
    seen = folder / "policy.survey.toml"
    assert seen.stat().st_mode & 0o777 == 0o600
    opened = []
    sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
    for words in (
        ["query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION],
        ["explain", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION],
        ["policy", "check", "policy.toml"],
        ["describe", "policy.toml"],
        ["policy", "confirm", "policy.toml"],
    ):
        run(*words)
    assert any("policy.toml" in path for path in opened)
    assert not any("survey" in path for path in opened)


def test_several_files_are_one_policy(folder):
    pq.write_table(pa.table({"user_id": [1, 2, 3], "sex": ["f", "m", "f"]}), folder / "data" / "users.parquet")
    done = run("policy", "init", "data/purchases.parquet", "data/users.parquet")
    assert done.exit_code == 0, done.exception
    assert Policy.load("policy.toml").beside.tables == {"users": "data/users.parquet"}


def test_who_is_protected_is_asked_or_left_open(folder, monkeypatch):
    (folder / "odd.csv").write_text("id,code,x\n" + "\n".join(f"{p},{p % 20},1" for p in range(60)), encoding="utf-8")
    done = run("policy", "init", "odd.csv")
    assert "could not be told" in done.stdout
    assert "remove policy.toml and policy.survey.toml and run again with --unit code" in done.stdout
    again = str(run("policy", "init", "odd.csv", "--unit", "code").exception)
    assert "'policy.toml' and 'policy.survey.toml'" in again
    (folder / "more.csv").write_text("code,y\n1,1\n", encoding="utf-8")
    several = run("policy", "init", "odd.csv", "more.csv", "--out", "several.toml")
    assert "Of 2 tables the policy has one, and nothing is served by it" in several.stdout
    assert 'unit = "?"' in (folder / "policy.toml").read_text(encoding="utf-8")
    refused = run("query", "--policy", "policy.toml", "--epsilon", "0.1", "SELECT COUNT(*) FROM odd")
    assert "it may be code, id" in str(refused.exception)
    monkeypatch.setattr("dalenius.cli.policy.at_terminal", lambda: True)
    asked = CliRunner().invoke(app, ["policy", "init", "odd.csv", "--out", "asked.toml"], input="1\n")
    assert asked.exit_code == 0, asked.exception
    policy = Policy.load("asked.toml")
    assert policy.unit.column == "code"
    assert "unit" not in policy.proposed
    assert run("policy", "init", "odd.csv", "--out", "said.toml", "--unit", "code").exit_code == 0
    assert Policy.load("said.toml").unit.column == "code"


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
    assert run("query", "--policy", "policy.toml", "--epsilon", "0.1", "--profile", "0.1", QUESTION).exit_code == 0
    assert "the table has the declared columns" in run("policy", "check", "policy.toml").output
    with (folder / "data" / "purchases.csv").open("a", encoding="utf-8") as file:
        file.write('9,"open,1,2\n')
    refused = run("policy", "check", "policy.toml")
    assert isinstance(refused.exception, InvalidParameter)
    assert str(refused.exception) == REFUSED
    # whoever asks learns nothing of it
    assert run("query", "--policy", "policy.toml", "--epsilon", "0.1", QUESTION).exit_code == 0


def test_a_policy_is_checked_against_the_columns_of_another_file(folder):
    assert run("policy", "init", "data/purchases.parquet").exit_code == 0
    assert run("policy", "check", "policy.toml", "data/purchases.parquet").exit_code == 1  # only proposed
    assert run("policy", "confirm", "policy.toml", "bounds").exit_code == 0
    assert run("policy", "confirm", "policy.toml").exit_code == 0
    assert run("policy", "check", "policy.toml", "data/purchases.parquet").exit_code == 0
    pq.write_table(pa.table({"user_id": [1]}), folder / "other.parquet")
    refused = run("policy", "check", "policy.toml", "other.parquet")
    assert isinstance(refused.exception, InvalidParameter)


def test_a_policy_is_read_from_smartnoise_metadata(folder):
    column = "user_id: {type: int, private_id: True}, amount: {type: float, lower: 0, upper: 200}"
    (folder / "metadata.yaml").write_text(
        f"shop: {{public: {{purchases: {{max_ids: 5, {column}}}}}}}", encoding="utf-8"
    )
    done = run("policy", "import", "metadata.yaml", "--source", "purchases=data/purchases.parquet")
    assert done.exit_code == 0, done.exception
    assert "There is no budget in metadata" in done.output
    policy = Policy.load(folder / "policy.toml")
    assert (policy.source, policy.unit.column, policy.contributions) == ("data/purchases.parquet", "user_id", 5)
    assert policy.proposed == ()
    assert isinstance(run("policy", "import", "metadata.yaml").exception, InvalidParameter)  # it is there already
    other = run("policy", "import", "metadata.yaml", "--table", "none", "--out", "other.toml")
    assert "no table 'none'" in str(other.exception)
    assert not (folder / "other.toml").exists()
