import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import DaleniusError, InvalidParameter, UnsupportedQuery
from dalenius.ledger import Ledger

TERMS = ["--unit", "who", "--contributions", "2", "--bounds", "age=0:100", "--keys", "sex=F,M"]
PRICE = ["--epsilon", "2", "--delta", "1e-6", "--budget", "3", "--budget-delta", "1e-5"]
MAKE = "CREATE SYNTHETIC TABLE s AS SELECT sex, age FROM people"


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"who": np.arange(800), "sex": rng.choice(["F", "M"], 800), "age": rng.integers(0, 100, 800)})
    pq.write_table(table, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def run(*words, command="synthesize"):
    return CliRunner().invoke(app, [command, *map(str, words)])


def test_rows_are_written_with_their_label_and_asked_for_nothing(file):
    out = file.parent / "rows.parquet"
    question = "SELECT sex, COUNT(*) AS n FROM s GROUP BY sex"
    done = run(file, *TERMS, *PRICE, MAKE, "--out", out, "--ask", question)
    assert done.exit_code == 0, done.output
    assert pq.read_schema(out).metadata[b"dalenius"] == b"synthetic"
    assert "n_lower" in done.output
    assert "nobody is" in done.output
    assert "not measured" in done.output
    left = Ledger.open(file.parent / "people.ledger").remaining("people")
    again = run(file, *TERMS, *PRICE, MAKE, "--json", "--ask", question, "--out", file.parent / "synthetic.csv")
    told = json.loads(again.stdout)
    assert told["synthetic"] is True
    assert told["answers"][0]["synthetic"] is True
    assert (file.parent / "synthetic.csv").read_text().startswith("who,sex,age\n")
    assert Ledger.open(file.parent / "people.ledger").remaining("people") == left


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (UnsupportedQuery, ["SELECT COUNT(*) FROM people"]),
        (InvalidParameter, [MAKE, "--out", "rows.xlsx"]),
        (InvalidParameter, [MAKE, "--out", "rows.csv"]),
        (InvalidParameter, [MAKE, "--out", "no/such/folder/rows.parquet"]),
        (InvalidParameter, [MAKE, "--out", "a.parquet", "--out", "b.parquet"]),
        (DaleniusError, ["CREATE SYNTHETIC TABLE s AS SELECT who FROM people"]),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_charged(file, error, words):
    done = run(file, *TERMS, *PRICE, *words)
    assert isinstance(done.exception, error)
    assert Ledger.open(file.parent / "people.ledger").remaining("people").epsilon == 3


def test_a_private_table_is_not_asked_and_query_points_here(file):
    done = run(file, *TERMS, *PRICE, MAKE, "--ask", "SELECT COUNT(*) FROM people")
    assert isinstance(done.exception, UnsupportedQuery)
    other = run(file, *TERMS, *PRICE[:2], MAKE, command="query")
    assert isinstance(other.exception, InvalidParameter)
    assert "synthesize" in str(other.exception)


def test_the_copy_is_drawn_against_the_released_tables(file):
    done = run(file, *TERMS, *PRICE, MAKE, "--chart", file.parent / "quality.svg")
    assert done.exit_code == 0, done.output
    assert "<svg" in (file.parent / "quality.svg").read_text()
