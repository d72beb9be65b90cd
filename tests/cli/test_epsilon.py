import json
import math

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import InvalidParameter
from tests.cli.test_query import POLICY, QUESTION


def ask(*words):
    return CliRunner().invoke(app, ["epsilon", *map(str, words)])


def test_odds_and_chances_are_told_for_each_epsilon():
    done = ask("--epsilon", "0.1,1", "--epsilon", "3")
    assert done.exit_code == 0, done.exception
    rows = [line.split() for line in done.output.splitlines()[3:]]
    assert [row[0] for row in rows] == ["0.1", "1", "3"]
    for row in rows:
        e = math.exp(float(row[0]))
        assert float(row[1]) == pytest.approx(e, rel=1e-3)
        assert float(row[2]) == pytest.approx(100 * e / (1 + e), rel=1e-4)


def test_with_a_delta_gaussian_noise_is_told_beside():
    told = json.loads(ask("--epsilon", "1", "--delta", "1e-6", "--prior", "0.1", "--json").stdout)["people"][0]
    assert told["odds_factor"] is None
    assert told["prior"] == 0.1
    assert 0.9 <= told["gaussian"]["chance"] <= told["chance"] < 0.91


def test_the_errors_of_questions_fall_with_epsilon_and_no_file_is_written(tmp_path):
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    words = ("--policy", tmp_path / "policy.toml", QUESTION, "--epsilon", "0.1,1", "--size", "5000")
    line = json.loads(ask(*words, "--json").stdout)["questions"]["errors"][0]
    assert line["errors"][0] > 9 * line["errors"][1]
    assert line["relative"] == [error / 5000 for error in line["errors"]]
    assert "of 5000" in ask(*words).output
    assert [file.name for file in tmp_path.iterdir()] == ["policy.toml"]


@pytest.mark.parametrize("words", [(QUESTION,), ("--size", "5"), ("--policy", "p.toml"), ("--epsilon", "0,")])
def test_slips_are_named(words):
    assert isinstance(ask(*words).exception, InvalidParameter)
