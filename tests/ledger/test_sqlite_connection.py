import threading

import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.ledger.facts import TERMS
from dalenius.ledger.sqlite import READERS, SQLiteStore
from dalenius.ledger.sqlite_connection import SQLiteConnection


def test_a_connection_is_opened_once_and_again_after_it_was_closed(tmp_path):
    connection = SQLiteConnection(tmp_path / "x.ledger")
    first = connection.opened()
    assert connection.opened() is first
    connection.close()
    assert connection.opened() is not first
    assert connection.opened().execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL
    connection.close()


def test_a_connection_whose_file_was_replaced_is_distrusted(tmp_path):
    connection = SQLiteConnection(tmp_path / "x.ledger")
    connection.opened()
    connection.check_in_place()
    (tmp_path / "x.ledger").rename(tmp_path / "y.ledger")
    with pytest.raises(LedgerUnavailable, match="while it was open"):
        connection.check_in_place()


def test_a_link_that_was_turned_to_the_same_file_elsewhere_is_distrusted(tmp_path):
    """The log lies beside the old name: who opens the link now would read another one."""
    real, link = tmp_path / "deep" / "a.ledger", tmp_path / "x.ledger"
    real.parent.mkdir()
    SQLiteStore(real).close()
    link.symlink_to(real)
    connection = SQLiteConnection(link)
    connection.opened()
    connection.check_in_place()
    real.rename(tmp_path / "b.ledger")
    link.unlink()
    link.symlink_to(tmp_path / "b.ledger")
    with pytest.raises(LedgerUnavailable, match="while it was open"):
        connection.check_in_place()


def test_a_reading_waits_for_no_writer_and_sees_what_was_durable(tmp_path):
    store, seen = SQLiteStore(tmp_path / "x.ledger"), []

    def read():
        with store.reading() as records:
            seen.append(records.datasets())

    with store.transaction() as records:
        records.put_fact("people", TERMS, "", "{}")
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(60)
        assert seen == [[]]
    read()
    assert seen == [[], ["people"]]


def test_more_readers_than_connections_take_turns(tmp_path):
    store, inside, most = SQLiteStore(tmp_path / "x.ledger"), [], []
    gate = threading.Barrier(3 * READERS)

    def read():
        gate.wait(60)
        for _ in range(20):
            with store.reading() as records:
                inside.append(records)
                most.append(len(inside))
                assert records.datasets() == []
                inside.remove(records)

    threads = [threading.Thread(target=read) for _ in range(3 * READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert max(most) <= READERS
    assert len(most) == 60 * READERS
