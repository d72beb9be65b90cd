import os
from pathlib import Path

import pytest

from dalenius.errors import InvalidParameter, LedgerCorrupted, LedgerMismatch, UnknownName
from dalenius.ledger import Ledger, TableIdentity


@pytest.fixture
def book(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("visits", 1, unit="user")
    ledger.create("shop", 1, unit="user")
    return ledger


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "visits.parquet"
    place.write_bytes(b"rows")
    return place


def table(name, *paths, inside=""):
    return TableIdentity.of(name, paths, inside)


def refused(book, one, dataset="shop"):
    try:
        book.check_tables(dataset, [one])
    except LedgerMismatch:
        return True
    return False


def test_a_data_set_is_named_like_its_first_table_even_if_none_was_recorded(book):
    assert refused(book, table("Visits"))
    assert not refused(book, table("Visits"), "visits")
    assert not refused(book, table("items"))


def test_a_declared_name_belongs_to_one_data_set(book):
    book.own_tables("visits", [table("Visits"), table("items")])
    book.own_tables("visits", [table("visits"), table("ITEMS")])
    assert book.tables("visits") == ["items", "visits"]
    with pytest.raises(LedgerMismatch, match="dataset='visits'"):
        book.own_tables("shop", [table("orders"), table("Items")])
    assert book.tables("shop") == []
    assert book.verify()[0] == 3, "two data sets, and one link for all tables"


def test_a_file_is_the_same_table_under_another_name_link_or_path(book, file, tmp_path):
    book.own_tables("visits", [table("visits", file)])
    (tmp_path / "soft.parquet").symlink_to(file)
    os.link(file, tmp_path / "hard.parquet")
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    for path in (file, tmp_path / "soft.parquet", tmp_path / "hard.parquet", tmp_path / "folder" / "visits.parquet"):
        assert refused(book, table("another", path)), path.name
        assert not refused(book, table("another", path), "visits")


def test_a_file_that_was_moved_is_still_the_same_table(book, file, tmp_path):
    book.own_tables("visits", [table("visits", file)])
    file.rename(tmp_path / "moved.parquet")
    assert refused(book, table("another", tmp_path / "moved.parquet"))


def test_a_file_that_was_replaced_keeps_its_path_and_frees_its_inode(book, file, tmp_path):
    book.own_tables("visits", [table("visits", file)])
    file.rename(tmp_path / "old.parquet")
    file.write_bytes(b"new rows")
    assert refused(book, table("another", file))
    assert not refused(book, table("another", tmp_path / "old.parquet")), "its inode may be anybody's by now"
    book.own_tables("visits", [table("visits", file)])
    (tmp_path / "hard.parquet").hardlink_to(file)
    assert refused(book, table("another", tmp_path / "hard.parquet"))
    book.verify()


def test_tables_inside_of_one_database_file_are_told_apart(book, file):
    book.own_tables("visits", [table("calls", file, inside="calls")])
    assert refused(book, table("another", file, inside="CALLS"))
    assert not refused(book, table("another", file, inside="orders"))


def test_a_private_table_of_any_data_set_is_not_public(book, file):
    book.own_tables("visits", [table("calls", file)])
    for dataset in ("visits", "shop"):
        for one in (table("calls"), table("another", file)):
            with pytest.raises(LedgerMismatch, match="not public"):
                book.check_tables(dataset, [], [one])
        book.check_tables(dataset, [], [table("countries")])


def test_a_file_whose_name_is_no_text_is_recorded_all_the_same(book, tmp_path):
    place = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.parquet")
    Path(place).touch()
    book.own_tables("visits", [table("calls", place)])
    assert refused(book, table("another", place))
    book.verify()


def test_tables_are_bound_into_the_chain(book, tmp_path):
    book.own_tables("visits", [table("calls")])
    with book._store.transaction() as records:
        records.connection.execute("DELETE FROM facts WHERE kind = 'table'")
    with pytest.raises(LedgerCorrupted):
        book.verify()


def test_a_data_set_that_does_not_exist_owns_nothing(book):
    with pytest.raises(UnknownName):
        book.own_tables("nobody", [table("x")])
    with pytest.raises(InvalidParameter):
        table("")
