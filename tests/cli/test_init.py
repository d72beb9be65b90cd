import subprocess
import sys
import types
import warnings

import pytest

from dalenius.cli import main
from dalenius.datasets import adult
from dalenius.ledger import Ledger


def run(*words):
    return subprocess.run([sys.executable, "-m", "dalenius", *words], capture_output=True, text=True)


def test_a_refusal_is_one_plain_line_on_stderr_and_exit_code_1(tmp_path):
    terms = ["--unit", "row", "--epsilon", "2", "--budget", "1", "--ledger", str(tmp_path / "x.ledger")]
    done = run("query", str(adult()), "SELECT COUNT(*) FROM adult", *terms)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "'adult' was asked for ε = 2; what is left is ε = 1\n"


def test_misuse_exits_with_2():
    assert run("query").returncode == 2
    assert run("no-such-command").returncode == 2


def test_python_dash_m_is_the_command_line():
    assert run("--version").stdout.startswith("dalenius 0.")


def test_a_failure_of_ours_tells_its_type_and_neither_words_nor_a_traceback(monkeypatch, capsys):
    def fail(**_):
        raise ValueError("41 rows of Ann")

    monkeypatch.setattr("dalenius.cli.app.app", fail)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    told = capsys.readouterr().err
    assert "ValueError" in told
    assert "Ann" not in told
    assert "Traceback" not in told


def test_development_mode_shows_where_a_failure_was(monkeypatch):
    def fail(**_):
        raise ZeroDivisionError

    monkeypatch.setattr("dalenius.cli.app.app", fail)
    monkeypatch.setattr(sys, "flags", types.SimpleNamespace(dev_mode=True))
    with pytest.raises(ZeroDivisionError):
        main()


def test_a_warning_is_one_plain_line(tmp_path, monkeypatch, capsys):
    Ledger.open(tmp_path / "x.ledger").create("visits", epsilon=1, unit="person")
    words = ["budget", "create", str(tmp_path / "x.ledger"), "orders", "--epsilon", "1", "--unit", "person"]
    monkeypatch.setattr(sys, "argv", ["dalenius", *words])
    warnings.simplefilter("always")
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().err
    assert told.startswith("warning: 'visits' and 'orders' of this ledger both protect each person")
    assert len(told.splitlines()) == 1
