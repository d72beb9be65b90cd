import sqlite3

import pytest

from dalenius.ledger import SQLiteStore


def test_a_body_that_turned_to_nothing_is_read_as_bytes_that_fail_their_hash(tmp_path):
    store = SQLiteStore(tmp_path / "x.ledger")
    with store.transaction() as records:
        records.connection.execute("PRAGMA ignore_check_constraints=ON")
        records.connection.execute("INSERT INTO chain VALUES ('a', 1, 'create', 'a', NULL, x'7b7d', 'h')")
    with store.reading() as records:
        (link,) = records.links()
        assert (link.body, link.hash) == (b"{}", "h")
        assert records.sound()


def test_a_link_is_written_once(tmp_path):
    store = SQLiteStore(tmp_path / "x.ledger")
    with store.transaction() as records:
        words = "INSERT INTO chain VALUES ('a', 1, 'create', 'a', NULL, x'7b7d', ?)"
        records.connection.execute(words, ("h",))
        with pytest.raises(sqlite3.IntegrityError):
            records.connection.execute(words, ("other",))
