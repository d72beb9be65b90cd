import contextlib
import json
import os
import pty
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.cli.audit import callable_of, claim_of
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP

MODULE = """
import numpy as np

rng = np.random.default_rng(0)

def exact(data):
    return sum(data)

def noisy(data):
    return float(np.round(sum(data) + rng.laplace(0, 4)))
"""


@pytest.fixture
def audit(tmp_path, monkeypatch):
    (tmp_path / "someones.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)

    def run(*words):
        return CliRunner().invoke(app, ["audit", *words])

    return run


def test_a_broken_mechanism_exits_with_1_and_says_why(audit):
    done = audit("someones:exact", "--claim", "epsilon=1", "--x", "[1, 1]", "--x2", "[1]", "--draws", "500")
    assert done.exit_code == 1
    assert "REJECTED" in done.output


def test_a_sound_one_exits_with_0_and_json_holds_all(audit):
    words = ["--claim", "epsilon=1", "--x", "[1, 1]", "--x2", "[1]", "--draws", "2000", "--json", "--alpha", "1e-4"]
    done = audit("someones:noisy", *words, "--relation", "add-remove")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["rejects"] is False
    assert told["epsilon"] < 0.5


def test_claims_are_read():
    assert claim_of("epsilon=1") == PureDP(1)
    assert claim_of("epsilon=1, delta=1e-6") == ApproxDP(1, "1e-6")
    assert claim_of("mu=0.5") == GDP("0.5")
    assert claim_of("rho=0.5") == ZCDP("0.5")
    for wrong in ("", "eps=1", "epsilon=1, mu=2", "epsilon"):
        with pytest.raises(InvalidParameter):
            claim_of(wrong)


def test_bad_input_is_named(audit):
    with pytest.raises(UnknownName):
        callable_of("no_such_module:f")
    with pytest.raises(InvalidParameter):
        callable_of("json")
    done = audit("someones:exact", "--claim", "epsilon=1", "--x", "[1", "--x2", "[1]")
    assert isinstance(done.exception, InvalidParameter)


def test_the_bar_is_on_stderr_and_leaves_the_terminal_as_it_was(tmp_path):
    (tmp_path / "someones.py").write_text(MODULE)
    keeper, screen = pty.openpty()
    words = ["audit", "someones:noisy", "--claim", "epsilon=1", "--x", "[1, 1]", "--x2", "[1]", "--draws", "2000"]
    child = subprocess.Popen(
        [sys.executable, "-m", "dalenius", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=screen,
        env=os.environ | {"TERM": "xterm"},
    )
    os.close(screen)
    written = b""
    with contextlib.suppress(OSError):  # the child has ended
        while part := os.read(keeper, 4096):
            written += part
    os.close(keeper)
    said = child.communicate(timeout=60)[0]
    assert b"not refuted" in said
    assert b"drawing" not in said
    assert b"drawing" in written
    assert written.rindex(b"\x1b[?25h") > written.rindex(b"\x1b[?25l")  # the cursor is there again
