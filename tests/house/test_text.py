"""Text that must not stand anywhere, and text that must not stand in src."""

import re

import pytest

from tests.house.tree import ROOT, SRC, tracked_files

# written so that this file does not hold what it looks for
MACHINE = re.compile(
    "|".join(
        [
            "/" + "work/",
            r"\.\./" + "shared",
            "/" + "home/",
            "/" + "root/",
            r"pypi\." + "org",
            r"pythonhosted\." + "org",
            "index" + "-url",
        ]
    )
)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
INSECURE = re.compile(r"^\s*(import random\b|from random\b|from numpy import .*\brandom\b)|\b(np|numpy)\.random\b")


def lines_with(pattern: re.Pattern[str], text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if pattern.search(line)]


def test_no_file_names_a_machine_or_a_registry():
    found = {}
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if lines := lines_with(MACHINE, text):
            found[path.relative_to(ROOT).as_posix()] = lines
    assert found == {}


@pytest.mark.parametrize("pattern", [UNFINISHED, INSECURE], ids=["unfinished", "insecure randomness"])
def test_src_is_finished_and_draws_from_bits_only(pattern):
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in SRC.rglob("*.py")
        if (lines := lines_with(pattern, path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE, "see /" + "work/main/README.md"),
        (MACHINE, "see ../" + "shared/DESIGN.md"),
        (MACHINE, "pip install --index" + "-url https://example.com"),
        (UNFINISHED, "    raise NotImplemented" + "Error"),
        (UNFINISHED, "# TO" + "DO: later"),
        (INSECURE, "import random"),
        (INSECURE, "from random import gauss"),
        (INSECURE, "x = np.random.laplace()"),
        (INSECURE, "from numpy import random"),
    ],
)
def test_a_banned_line_is_seen(pattern, line):
    assert lines_with(pattern, f"first\n{line}\nlast") == [line.strip()]


@pytest.mark.parametrize("line", ["return NotImplemented", "import randomness", "workload /works", "a simple one"])
def test_an_innocent_line_is_not(line):
    assert not any(lines_with(pattern, line) for pattern in (MACHINE, UNFINISHED, INSECURE))
