import io
import os
import pty
import subprocess
import sys
import threading

import pytest

from dalenius import progress

SCAN = """
import sys
import pyarrow as pa
import dalenius
from dalenius import progress

progress.DELAY = 0  # the table is small: show it at once
rows = pa.table({"who": [f"p{number}" for number in range(50)]})
db = dalenius.connect(rows, table="visits", unit="who", contributions=1, budget={"epsilon": 1}, ledger="a.ledger")
print("answered", db.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1).value > -1e9)
try:
    db.sql("SELECT COUNT(*) AS n FROM visits WHERE who = 'p1'", epsilon=1)
except dalenius.errors.BudgetExceeded:
    print("refused", file=sys.stderr)
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch):
    """A screen in the place of stderr, on which signs come at once."""
    stderr = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(progress, "DELAY", 0)
    return stderr


def run(folder, stderr):
    return subprocess.Popen(
        [sys.executable, "-c", SCAN],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=os.environ | {"TERM": "xterm"},
    )


def test_a_scan_at_a_terminal_shows_its_table_and_a_clock_and_no_number_of_rows(tmp_path):
    keeper, screen = pty.openpty()
    child = run(tmp_path, screen)
    os.close(screen)
    written = b""
    while True:
        try:
            part = os.read(keeper, 4096)
        except OSError:  # the child has ended
            break
        if not part:
            break
        written += part
    os.close(keeper)
    assert child.communicate(timeout=60)[0] == b"answered True\n"
    text = written.decode()
    assert "reading visits" in text
    assert "0:00:00" in text
    assert "50" not in text.replace("\x1b[50", "")
    assert "reading" not in text[text.index("refused") - 40 :]  # what is refused before its charge shows nothing


def test_a_scan_without_a_terminal_writes_nothing(tmp_path):
    done = run(tmp_path, subprocess.PIPE).communicate(timeout=60)
    assert done == (b"answered True\n", b"refused\n")


def test_words_are_shown_as_they_are_and_no_code_of_theirs_is_run(monkeypatch):
    screen = terminal(monkeypatch)
    with progress.working("reading [/b]pur\x1b[2Jchases"):
        pass
    assert "reading [/b]pur\\x1b[2Jchases" in screen.getvalue()


def test_work_inside_of_work_and_in_other_threads_is_silent(monkeypatch):
    screen = terminal(monkeypatch)

    def work():
        with progress.working("apart"):
            pass

    other = threading.Thread(target=work)
    other.start()
    other.join()
    with progress.working("outer"), progress.working("inner"):
        pass
    assert "outer" in screen.getvalue()
    assert "inner" not in screen.getvalue()
    assert "apart" not in screen.getvalue()


def test_what_is_done_soon_needs_no_sign_and_a_failure_takes_it_away(monkeypatch):
    screen = terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), progress.working("first"):
        raise KeyboardInterrupt
    assert screen.getvalue().rindex("\x1b[?25h") > screen.getvalue().rindex("\x1b[?25l")  # the cursor is there again
    before = len(screen.getvalue())
    monkeypatch.setattr(progress, "DELAY", 60)
    with progress.working("second"):
        pass
    assert len(screen.getvalue()) == before
    assert not progress._shown.locked()


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_no_terminal_is_no_failure(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    if stream is not None:
        stream.close()
    with progress.working("reading"):
        pass


def test_no_sign_comes_while_something_else_is_shown(monkeypatch):
    screen = terminal(monkeypatch)
    with progress.alone(), progress.alone(), progress.working("inner"):
        pass
    assert screen.getvalue() == ""
    with progress.working("later"):
        pass
    assert "later" in screen.getvalue()
