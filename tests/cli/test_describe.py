import json

from typer.testing import CliRunner

from dalenius.cli.app import app
from tests.cli.test_query import POLICY


def test_a_policy_is_described_as_text_and_as_json(tmp_path):
    (tmp_path / "p.toml").write_text(POLICY, encoding="utf-8")
    done = CliRunner().invoke(app, ["describe", str(tmp_path / "p.toml")])
    assert done.exit_code == 0, done.exception
    assert "purchases  each user_id" in done.output
    told = CliRunner().invoke(app, ["describe", str(tmp_path / "p.toml"), "purchases", "--json"])
    assert {row["column"] for row in json.loads(told.output)} >= {"user_id"}
