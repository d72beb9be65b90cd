"""Every example runs, in a process of its own."""

import subprocess
import sys

import pytest

from tests.house.tree import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs_and_prints_a_guarantee(example, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cost ε" in done.stdout or "differential privacy" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_there_are_examples():
    assert len(EXAMPLES) >= 2
