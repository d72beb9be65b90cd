import os
import shutil
import subprocess
import sys

import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, one_name
from dalenius.ledger.sqlite import SQLiteStore


def test_a_ledger_with_a_hard_link_is_refused_by_either_name(tmp_path):
    Ledger.open(tmp_path / "a.ledger").close()
    os.link(tmp_path / "a.ledger", tmp_path / "b.ledger")
    for name in "ab":
        with pytest.raises(LedgerUnavailable, match="hard link"):
            Ledger.open(tmp_path / f"{name}.ledger")
    (tmp_path / "b.ledger").unlink()
    Ledger.open(tmp_path / "a.ledger")


@pytest.mark.parametrize("what", ["a.ledger", "a.ledger-wal"])
def test_a_link_made_while_the_ledger_is_open_stops_the_next_charge(tmp_path, what):
    book = Ledger.open(tmp_path / "a.ledger")
    book.create("people", 1, unit="row")
    os.link(tmp_path / what, tmp_path / "another")
    with pytest.raises(LedgerUnavailable, match="hard link"):
        book.reserve(PureDP(1), dataset="people", unit="row")
    (tmp_path / "another").unlink()
    assert book.entries("people") == []


ASK = """
import sys
from dalenius.errors import BudgetExceeded, LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
charged = 0
try:
    book = Ledger.open(sys.argv[1])
    print("open", flush=True)
    sys.stdin.readline()
    for _ in range(20):
        book.reserve(PureDP("0.1"), dataset="people", unit="row")
        charged += 1
except (BudgetExceeded, LedgerUnavailable):
    pass
print(charged)
"""


def test_two_processes_by_two_names_do_not_pass_the_budget(tmp_path):
    """Each held a log of its own: ten charges of 0.1 by each name, two budgets of one."""
    book = Ledger.open(tmp_path / "a.ledger")
    book.create("people", 1, unit="row")
    book.close()
    os.link(tmp_path / "a.ledger", tmp_path / "b.ledger")
    both = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, tmp_path / f"{name}.ledger"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    first = [process.stdout.readline() for process in both]  # both are open, or have been refused, from here on
    rest = [process.communicate("go\n", timeout=60)[0] for process in both]
    assert sum(int((one + more).split()[-1]) for one, more in zip(first, rest, strict=True)) <= 10


def test_a_symbolic_link_is_the_same_ledger(tmp_path):
    """SQLite follows it, so there is one log, and that log is the one that is watched."""
    (tmp_path / "deep").mkdir()
    book = Ledger.open(tmp_path / "deep" / "a.ledger")
    (tmp_path / "b.ledger").symlink_to(tmp_path / "deep" / "a.ledger")
    other = Ledger.open(tmp_path / "b.ledger")
    book.create("people", 1, unit="row")
    assert other.datasets() == ["people"]
    os.link(tmp_path / "deep" / "a.ledger-wal", tmp_path / "another")
    with pytest.raises(LedgerUnavailable, match="hard link"):
        other.reserve(PureDP(1), dataset="people", unit="row")


def test_a_file_that_is_a_mount_point_is_refused_when_it_is_opened(tmp_path, monkeypatch):
    file = tmp_path / "a b.ledger"
    SQLiteStore(file).close()
    for name, refused in (("a\\040b.ledger", True), ("a\\040b.ledger-wal", True), ("other", False)):
        table = tmp_path / "mountinfo"
        table.write_text(
            f"36 35 98:0 /mnt {str(tmp_path.resolve()).replace(' ', chr(92) + '040')}/{name} rw - ext3 x rw\n"
        )
        monkeypatch.setattr(one_name, "_MOUNTS", table)
        if refused:
            with pytest.raises(LedgerUnavailable, match="mount its folder"):
                SQLiteStore(file)
        else:
            SQLiteStore(file).close()


def test_a_file_on_another_device_than_its_folder_is_a_mount(tmp_path, monkeypatch):
    file = tmp_path / "a.ledger"
    SQLiteStore(file).close()
    stat = one_name.Path.stat

    def elsewhere(path, **options):
        found = list(stat(path, **options))
        found[2] += path.suffix == ".ledger"  # st_dev
        return os.stat_result(found)

    monkeypatch.setattr(one_name.Path, "stat", elsewhere)
    with pytest.raises(LedgerUnavailable, match="mount its folder"):
        one_name.OpenedNames(file, file)


NO_MOUNTS = "a ledger mounted as a single file is tried with a made-up device only: this machine lets nobody mount"
MOUNTED = """
set -e
mount --bind "$1/a.ledger" "$1/inside/b.ledger"
exec "$2" -c 'import sys; from dalenius.ledger import Ledger; Ledger.open(sys.argv[1])' "$1/inside/b.ledger"
"""


def test_a_file_that_was_really_mounted_is_refused(tmp_path):
    (tmp_path / "inside").mkdir()
    Ledger.open(tmp_path / "a.ledger").close()
    (tmp_path / "inside" / "b.ledger").touch()
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip(NO_MOUNTS)
    command = ["unshare", "-m", "sh", "-c", MOUNTED, "sh", tmp_path, sys.executable]
    ended = subprocess.run(command, capture_output=True, text=True)
    if "mount:" in ended.stderr:
        pytest.skip(NO_MOUNTS)
    assert "mounted as a single file" in ended.stderr
