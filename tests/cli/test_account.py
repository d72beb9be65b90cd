import json

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import InvalidParameter


def account(*words):
    return CliRunner().invoke(app, ["account", *map(str, words)])


def facts(*words):
    done = account(*words, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.output)


@pytest.mark.parametrize(
    ("words", "epsilon"),
    [
        (["gaussian", "--noise", 1, "--steps", 1, "--delta", "1e-6"], 4.886554),
        (["gaussian", "--noise", 2, "--sensitivity", 2, "--steps", 1, "--delta", "1e-6"], 4.886554),
        (
            ["dpsgd", "--batch", 256, "--population", 60000, "--noise", "1.1", "--steps", 14062, "--delta", "1e-5"],
            2.381597,
        ),
        (["laplace", "--noise", 2, "--steps", 1, "--delta", 0], 0.5),
        (["rr", "--noise", 4, "--steps", 3, "--delta", 0], 0.75),
    ],
)
def test_noise_and_steps_give_an_epsilon_known_elsewhere(words, epsilon):
    found = facts(*words)
    assert found["epsilon_lower"] <= found["epsilon"]
    assert found["epsilon"] == pytest.approx(epsilon, abs=1e-6)
    assert found["epsilon_lower"] == pytest.approx(epsilon, abs=1e-6)


def test_epsilon_and_steps_give_the_noise():
    # ε = 4.886554 at σ = 1, and only σ²/steps counts
    found = facts("gaussian", "--epsilon", "4.8865541", "--steps", 4, "--delta", "1e-6")
    assert found["noise"] == pytest.approx(2, abs=1e-5)
    assert found["noise_lower"] <= found["noise"]
    assert found["epsilon"] <= 4.8865541


def test_epsilon_and_noise_give_the_steps():
    found = facts("gaussian", "--epsilon", "4.8866", "--noise", 3, "--delta", "1e-6")
    assert found["steps"] == 9
    assert found["epsilon"] <= 4.8866
    assert facts("gaussian", "--epsilon", "4.8865", "--noise", 3, "--delta", "1e-6")["steps"] == 8


def test_fixed_batches_are_accounted():
    found = facts("fixed-batches", "--batch", 1, "--population", 1, "--noise", 1, "--steps", 1, "--delta", "1e-6")
    assert found["epsilon"] == pytest.approx(4.886554, abs=1e-5)  # the whole population is no sample
    less = facts("fixed-batches", "--batch", 1, "--population", 10, "--noise", 1, "--steps", 1, "--delta", "1e-6")
    assert less["epsilon"] < found["epsilon"]


def test_words_say_what_was_found_and_what_is_proved():
    done = account("gaussian", "--epsilon", 1, "--steps", 10)
    assert "is enough" in done.output
    assert "-differential privacy" in done.output
    assert "releases are proved" in account("gaussian", "--epsilon", 1, "--noise", 30).output


def test_a_chart_is_a_picture(tmp_path):
    path = tmp_path / "profile.png"
    done = account("gaussian", "--noise", 1, "--steps", 1, "--chart", path)
    assert done.exit_code == 0, done.exception
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gaussian", "--noise", 1], "two of"),
        (["gaussian", "--noise", 1, "--epsilon", 1, "--steps", 1], "two of"),
        (["gaussian", "--noise", 1, "--steps", 0], "steps"),
        (["gaussian", "--epsilon", 1, "--steps", -3], "steps"),
        (["gaussian", "--noise", 0, "--steps", 1], "noise"),
        (["gaussian", "--noise", "much", "--steps", 1], "noise"),
        (["laplace", "--noise", 1, "--steps", 1, "--sensitivity", -1], "sensitivity"),
        (["gaussian", "--noise", 1, "--steps", 1, "--delta", 2], "delta"),
        (["gaussian", "--noise", 1, "--steps", 1, "--delta", "small"], "delta"),
        (["dpsgd", "--batch", 9, "--population", 8, "--noise", 1, "--steps", 1], "batch"),
        (["fixed-batches", "--batch", 9, "--population", 8, "--noise", 1, "--steps", 1], ""),
    ],
)
def test_misuse_is_named(words, said):
    done = account(*words)
    assert isinstance(done.exception, InvalidParameter), done.output
    assert said in str(done.exception)
