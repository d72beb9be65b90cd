"""Odd tables, from a first policy to an answer: a right answer or a clear refusal, and no row is shown."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import DaleniusError

SECRET = "Xanadu8642"
HOSTILE = "us\"er's\tid\n<b onload=x>\u202e{%s}; DROP TABLE t --"
LONG = "user_id" + "x" * 10_000
TABLES = {
    "hostile names": {
        HOSTILE: [place % 10 for place in range(60)],
        f"text of {HOSTILE}": [f"{SECRET}{place}" for place in range(60)],
        "amount": [float(place) for place in range(60)],
    },
    "long names": {LONG: [place % 10 for place in range(60)], "amount": [float(place) for place in range(60)]},
    "no rows": {"user_id": pa.array([], pa.int64()), "amount": pa.array([], pa.float64())},
    "one row": {"user_id": [7], "amount": [0.5]},
    "nobody": {"user_id": pa.array([None] * 20, pa.int64()), "amount": [0.5] * 20},
}


def invoked(*arguments):
    """The exit code of a command; whatever goes wrong is an error of ours, and nothing printed is a row or a mark."""
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit | DaleniusError), done.exception
    printed = f"{done.output} {done.exception!s}"
    assert SECRET not in printed
    assert not [mark for mark in "\u202e\x1b\x00" if mark in printed]
    return done.exit_code


@pytest.mark.parametrize("name", TABLES)
def test_an_odd_table_is_served_or_refused_and_no_row_is_shown(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    table = TABLES[name]
    pq.write_table(pa.table(table), "t.parquet")
    assert invoked("policy", "init", "t.parquet", "--unit", next(iter(table))) == 0
    invoked("policy", "check", "policy.toml")
    assert invoked("policy", "confirm", "policy.toml") == 0
    assert invoked("policy", "check", "policy.toml") == 0
    assert invoked("describe", "policy.toml", "t") == 0
    asked = ("--policy", "policy.toml", "SELECT COUNT(*) FROM t", "--epsilon", "0.5")
    assert invoked("explain", *asked) == 0
    assert invoked("query", *asked, "--profile", "0.1") == 0
    assert invoked("query", "--policy", "policy.toml", "SELECT SUM(zz) FROM t", "--epsilon", "0.1") == 1
