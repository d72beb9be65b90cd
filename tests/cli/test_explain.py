import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import UnboundedQuery
from tests.cli.test_query import POLICY, QUESTION, ROWS, TERMS


@pytest.fixture
def folder(tmp_path):
    pq.write_table(pa.table(ROWS), tmp_path / "purchases.parquet")
    return tmp_path


def explain(*words):
    return CliRunner().invoke(app, ["explain", *map(str, words), "--epsilon", "0.1"])


def test_cost_and_error_are_told_and_nothing_is_written(folder):
    done = explain(folder / "purchases.parquet", *TERMS, QUESTION)
    assert done.exit_code == 0, done.exception
    assert "0.1-differential privacy" in done.output
    assert "error        n ± " in done.output
    assert "error        mean told with the answer" in done.output
    assert [file.name for file in folder.iterdir()] == ["purchases.parquet"]


def test_a_policy_is_enough_and_the_table_is_not_opened(tmp_path):
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    told = json.loads(explain("--policy", tmp_path / "policy.toml", QUESTION, "--json").stdout)
    assert told["epsilon"] == "1/10"
    assert told["answer"] == ["category", "n", "mean"]
    assert told["errors"]["mean"] is None
    assert told["errors"]["n"] > 100  # ε = 0.1 and five rows a person: a Laplace law of scale 50 has radius 149.8


def test_a_refusal_is_passed_on(folder):
    done = explain(folder / "purchases.parquet", "--unit", "row", "SELECT SUM(amount) FROM purchases")
    assert isinstance(done.exception, UnboundedQuery)


def test_what_is_to_be_found_first_is_told(folder):
    terms = [word for word in TERMS if word not in ("--contributions", "5")]
    done = explain(folder / "purchases.parquet", *terms, QUESTION)
    assert "how many rows each user_id has, for 2 % of the budget, paid once and kept" in done.output
    assert "nothing if a profile was bought" in done.output


def test_unknown_keys_and_choices_are_explained(folder):
    file = folder / "purchases.parquet"
    found = explain(file, *TERMS[:6], "--delta", "1e-6", "--groups", "2", QUESTION)
    assert "which category may be named, 2 of each unit at most" in found.output
    assert isinstance(explain(file, *TERMS[:6], QUESTION).exception, UnboundedQuery)
    best = "SELECT category FROM purchases GROUP BY category ORDER BY COUNT(DISTINCT user_id) DESC LIMIT 1"
    assert "planned    report noisy max in 1 round" in explain(file, *TERMS, best).output


def test_a_policys_delta_is_enough(tmp_path):
    written = POLICY.replace("epsilon = 1\n", "epsilon = 1\ndelta = 1e-4\n")
    text = written.split("[keys]")[0] + "[bounds]" + written.split("[bounds]")[1]
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    assert "δ = 1e-06" in explain("--policy", tmp_path / "policy.toml", QUESTION).output


def test_a_join_that_query_answers_is_explained(tmp_path):
    pq.write_table(pa.table(ROWS), tmp_path / "purchases.parquet")
    pq.write_table(pa.table({"category": ["food", "toys"], "zone": [1, 2]}), tmp_path / "zones.parquet")
    written = POLICY if "source" in POLICY else POLICY.replace("\nunit", '\nsource = "purchases.parquet"\nunit', 1)
    (tmp_path / "policy.toml").write_text(written + '\n[public]\nzones = "zones.parquet"\n', encoding="utf-8")
    asked = "SELECT zone, COUNT(*) AS n FROM purchases JOIN zones ON purchases.category = zones.category GROUP BY zone"
    told = explain("--policy", tmp_path / "policy.toml", asked)
    assert told.exit_code == 0, told.exception
    assert "error        n ± " in told.output
