import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import nullcontext

import pytest

from dalenius.errors import BudgetExceeded, LedgerError, LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.facts import TERMS
from dalenius.ledger.migration import SCHEMA_VERSION
from dalenius.ledger.sqlite import SQLiteStore
from dalenius.ledger.sqlite_records import SQLiteRecords
from dalenius.ledger.store import WorkKind


def test_a_new_file_gets_the_schema_and_its_version(tmp_path):
    SQLiteStore(tmp_path / "x.ledger").close()
    with sqlite3.connect(tmp_path / "x.ledger") as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()


def test_every_commit_is_flushed(tmp_path):
    with SQLiteStore(tmp_path / "x.ledger").transaction() as records:
        assert records.connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_a_failure_inside_leaves_nothing_behind(tmp_path):
    kept = SQLiteStore(tmp_path / "x.ledger")

    def fail():
        with kept.transaction() as records:
            records.put_fact("people", TERMS, "", "{}")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with kept.reading() as records:
        assert records.datasets() == []


def test_a_file_of_something_else_is_refused_and_untouched(tmp_path):
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        SQLiteStore(other)


def test_a_later_schema_is_refused(tmp_path):
    SQLiteStore(tmp_path / "x.ledger").close()
    connection = sqlite3.connect(tmp_path / "x.ledger")
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(LedgerUnavailable, match="schema"):
        SQLiteStore(tmp_path / "x.ledger")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "x.ledger").write_bytes(b"not a database at all" * 100)
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        SQLiteStore(tmp_path / "x.ledger")


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(LedgerUnavailable):
        SQLiteStore(tmp_path / "nowhere" / "x.ledger")


def test_threads_share_one_store(tmp_path):
    kept = SQLiteStore(tmp_path / "x.ledger")

    def add(name):
        with kept.transaction() as records:
            records.put_fact(name, TERMS, "", "{}")

    threads = [threading.Thread(target=add, args=(f"d{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with kept.reading() as records:
        assert len(records.datasets()) == 8


OPENER = """
import sys, time
from dalenius.ledger.sqlite import SQLiteStore
from dalenius.ledger.sqlite_records import SQLiteRecords
from dalenius.ledger.store import WorkKind
while time.time() < float(sys.argv[2]):
    pass
SQLiteStore(sys.argv[1])
"""


def test_processes_that_open_a_new_file_at_once_wait_for_each_other(tmp_path):
    start = str(time.time() + 1.5)
    command = [sys.executable, "-c", OPENER, str(tmp_path / "x.ledger"), start]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4


def test_a_forked_child_opens_a_connection_of_its_own(tmp_path):
    kept = SQLiteStore(tmp_path / "x.ledger")
    child = os.fork()
    if child == 0:
        try:
            with kept.transaction() as records:
                records.put_fact("child", TERMS, "", "{}")
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with kept.transaction() as records:
        assert records.datasets() == ["child"]


def test_a_ledger_is_a_file_whatever_its_name(tmp_path, monkeypatch):
    """For SQLite ":memory:" is a new database at each opening: a new budget for each connect."""
    monkeypatch.chdir(tmp_path)
    SQLiteStore(":memory:").close()
    assert (tmp_path / ":memory:").is_file()


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    return book


def test_a_full_disk_is_told_and_loses_nothing(ledger, tmp_path):
    connection = ledger._store._writer.opened()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 2}")
    granted = []

    def fill():
        while True:
            label = os.urandom(500).hex()
            granted.append(ledger.reserve(PureDP(0.001), dataset="people", unit="row", label=label).head)

    with pytest.raises(LedgerUnavailable, match="disk is full; nothing was written"):
        fill()
    assert granted
    connection.execute("PRAGMA max_page_count=1000000")
    again = Ledger.open(tmp_path / "x.ledger")
    assert [entry.hash for entry in again.entries("people")] == granted
    granted.append(ledger.reserve(PureDP(0.001), dataset="people", unit="row").head)
    assert again.verify(head=granted[-1])[0] == len(granted) + 1


def test_a_file_that_turned_read_only_is_told(ledger):
    ledger._store._writer.opened().execute("PRAGMA query_only=ON")
    with pytest.raises(LedgerUnavailable, match="read-only"):
        ledger.reserve(PureDP(0.1), dataset="people", unit="row")
    assert ledger.entries("people") == []


def test_a_folder_is_no_ledger(tmp_path):
    with pytest.raises(LedgerUnavailable, match="folder"):
        SQLiteStore(tmp_path)


def test_a_ledger_held_by_another_for_too_long_is_told(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr("dalenius.ledger.sqlite_connection.BUSY_SECONDS", 0.1)
    other = sqlite3.connect(tmp_path / "x.ledger", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="another process"):
        ledger.reserve(PureDP(0.1), dataset="people", unit="row")
    other.execute("ROLLBACK")
    other.close()
    ledger.reserve(PureDP(0.1), dataset="people", unit="row")


def test_a_reserve_does_as_many_steps_after_a_thousand_entries_as_after_ten(ledger):
    """SQLite's virtual machine steps, counted by its progress handler."""

    def steps(number):
        count = 0

        def step():
            nonlocal count
            count += 1

        terms = {"dataset": "people", "unit": "row", "analyst": "ana", "fingerprint": str(number), "key": str(number)}
        connection = ledger._store._writer.opened()
        connection.set_progress_handler(step, 1)
        ledger.reserve(PureDP(0.0001), **terms)
        connection.set_progress_handler(None, 1)
        return count

    few = [steps(number) for number in range(10)][-1]
    for number in range(10, 1000):
        ledger.reserve(PureDP(0.0001), dataset="people", unit="row", fingerprint=str(number))
    assert steps(1000) <= few + 20


# works that share a transaction


def together(store, works, kind=WorkKind.CHARGE):
    """What each of some works is told, all of which came to wait while another transaction was open."""
    told = {}

    def one(name, work):
        try:
            told[name] = store.write(work, kind)
        except Exception as fault:
            told[name] = fault

    threads = [threading.Thread(target=one, args=item) for item in works.items()]
    with store.transaction():
        for thread in threads:
            thread.start()
        while len(store._groups._waiting) < len(works):
            time.sleep(0.001)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return told


def test_works_that_wait_are_one_transaction(tmp_path):
    store = SQLiteStore(tmp_path / "x.ledger")
    seen = []

    def work(name):
        def write(records):
            seen.append(records)
            records.put_fact(name, TERMS, "", "{}")
            return name

        return write

    told = together(store, {f"d{i}": work(f"d{i}") for i in range(8)})
    assert told == {f"d{i}": f"d{i}" for i in range(8)}
    assert len(set(map(id, seen))) == 1
    with store.reading() as records:
        assert len(records.datasets()) == 8


def write_and_raise(records):
    assert records.fact("bad", TERMS) is None
    records.put_fact("bad", TERMS, "", "{}")
    records.put_fact("good", TERMS, "", "overwritten")
    raise BudgetExceeded("too much")


def half_written(tmp_path):
    """A work that writes and then raises, among others of one transaction: what each saw, and what is left."""
    store = SQLiteStore(tmp_path / "x.ledger")
    told = together(
        store,
        {
            "first": lambda records: records.put_fact("good", TERMS, "", "{}"),
            "bad": write_and_raise,
            "last": lambda records: (records.fact("bad", TERMS), records.fact("good", TERMS)),
        },
    )
    assert isinstance(told["bad"], BudgetExceeded)
    with store.reading() as records:
        return told["last"], dict.fromkeys(records.datasets())


def test_a_work_that_raises_undoes_itself_alone(tmp_path):
    last, left = half_written(tmp_path)
    assert last in ((None, "{}"), (None, None))  # threads come in any order
    assert list(left) == ["good"]


def test_a_group_without_savepoints_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(SQLiteRecords, "apart", lambda self: nullcontext())
    _, left = half_written(tmp_path)
    assert list(left) == ["bad", "good"]


def test_a_flush_that_fails_acknowledges_nobody(tmp_path):
    store = SQLiteStore(tmp_path / "x.ledger")

    def damaging(records):
        records.connection.execute("INSERT INTO heads VALUES ('no number', NULL, NULL)")

    works = {f"d{i}": lambda records, name=f"d{i}": records.put_fact(name, TERMS, "", "{}") for i in range(4)}
    told = together(store, works | {"bad": damaging})
    assert all(isinstance(fault, LedgerError) for fault in told.values())
    with store.reading() as records:
        assert records.datasets() == []
    assert store.write(lambda records: records.put_fact("later", TERMS, "", "{}"), WorkKind.CHARGE) is None


def test_charges_that_share_a_transaction_spend_what_there_is_and_no_more(tmp_path):
    """Twenty keys, each asked twice, at 0.1: whoever comes first, ten of them are admitted, and each is paid once."""
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.share("people", "ann", epsilon="0.5")
    ledger.share("people", "bob", epsilon="0.9")
    told, store = [], ledger._store

    def charge(who, key):
        try:
            told.append((who, ledger.reserve(PureDP("0.1"), dataset="people", unit="row", analyst=who, key=key).head))
        except BudgetExceeded:
            told.append((who, None))

    threads = [
        threading.Thread(target=charge, args=("ann" if i % 2 else "bob", f"k{i // 4}{i % 2}")) for i in range(40)
    ]
    with store.transaction():
        for thread in threads:
            thread.start()
        while len(store._groups._waiting) < len(threads):
            time.sleep(0.001)
    for thread in threads:
        thread.join(60)
    heads = {head for _, head in told if head is not None}
    entries = ledger.entries("people")
    assert heads == {entry.hash for entry in entries}
    assert len(entries) == 10  # each key once, ten times 0.1 in all
    assert sum(entry.analyst == "ann" for entry in entries) <= 5
    assert len({entry.key for entry in entries}) == 10
    assert ledger.remaining("people").epsilon == 0
    assert [entry.number for entry in entries] == sorted(entry.number for entry in entries)
    ledger.verify(head=entries[-1].hash)


def test_a_child_has_none_of_the_works_that_waited_when_it_was_forked(tmp_path):
    store = SQLiteStore(tmp_path / "x.ledger")
    waiting = threading.Thread(
        target=lambda: store.write(lambda records: records.put_fact("parent", TERMS, "", "{}"), WorkKind.CHARGE)
    )
    with store.transaction():
        waiting.start()
        while not store._groups._waiting:
            time.sleep(0.001)
    child = os.fork()
    if child == 0:
        try:
            store.write(lambda records: records.put_fact("child", TERMS, "", "{}"), WorkKind.CHARGE)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    waiting.join(60)
    with store.reading() as records:
        assert records.datasets() == ["child", "parent"]
