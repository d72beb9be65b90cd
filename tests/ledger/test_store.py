"""What every store must do, one suite for all of them."""

import threading

import pytest

from dalenius.errors import LedgerError
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, SQLiteStore
from dalenius.ledger.facts import TERMS
from dalenius.ledger.store import Head, Link, Records, Store
from tests.ledger.one_file_store import OneFileStore

STORES = {
    "sqlite": lambda folder: SQLiteStore(folder / "x.ledger"),
    "one file": lambda folder: OneFileStore(folder / "x.values"),  # in the tests alone: the recipe, followed
}


@pytest.fixture(params=sorted(STORES))
def opened(request, tmp_path):
    """A way to open the same place again."""
    return lambda: STORES[request.param](tmp_path)


def link(number, dataset="people", kind="reserve", key=None, chain="people"):
    return Link(chain, number, kind, dataset, key, b'{"n":%d}' % number, f"hash {chain} {number}")


def test_it_is_a_store_that_names_its_place(opened):
    store = opened()
    assert isinstance(store, Store)
    assert store.place


def test_an_empty_store_has_nothing(opened):
    with opened().reading() as records:
        assert records.last_link("people") == (0, "")
        assert list(records.links()) == []
        assert (records.chains(), records.last_head(), list(records.heads())) == ({}, None, [])
        assert records.all_names(TERMS) == set()
        assert list(records.all_facts()) == []
        assert (records.datasets(), records.receipts()) == ([], set())
        assert records.fact("people", TERMS) is None
        assert records.link_of_key("people", "k") is None
        assert records.link_of_hash("h") is None
        assert records.release("h") is None


def test_what_was_written_is_there_after_it_is_opened_again(opened):
    store = opened()
    with store.transaction() as records:
        for each in (link(1, kind="create"), link(2, key="k"), link(3, "others"), link(4), link(1, chain="")):
            records.add_link(each)
        for each in (Head(1, b"{}", "one"), Head(2, b"[]", "two")):
            records.add_head(each)
        records.add_release("hash people 2", b"\x00\xff")
        records.put_fact("people", TERMS, "", "a")
        records.put_fact("people", "block", "b", "2")
        records.put_fact("people", "block", "a", "1")
        records.put_fact("people", "block", "b", "3")
    store.close()
    with opened().reading() as records:
        assert records.last_link("people") == (4, "hash people 4")
        assert records.chains() == {"": (1, "hash  1"), "people": (4, "hash people 4")}
        assert [(each.chain, each.number) for each in records.links()] == [
            ("", 1),
            ("people", 1),
            ("people", 2),
            ("people", 3),
            ("people", 4),
        ]
        assert [each.number for each in records.links("people", "people", "reserve")] == [2, 4]
        assert [each.number for each in records.links(dataset="people")] == [1, 1, 2, 4]
        assert records.last_head() == Head(2, b"[]", "two")
        assert [each.number for each in records.heads()] == [1, 2]
        assert records.all_names("block") == {"a", "b"}
        assert records.link_of_key("people", "k") == link(2, key="k")
        assert records.link_of_key("others", "k") is None
        assert records.link_of_hash("hash people 3") == link(3, "others")
        assert (records.release("hash people 2"), records.receipts()) == (b"\x00\xff", {"hash people 2"})
        assert list(records.facts("people", "block")) == [("a", "1"), ("b", "3")]
        assert records.datasets() == ["people"]
        assert len(set(records.all_facts())) == 3


@pytest.mark.parametrize("fault", [ZeroDivisionError, KeyboardInterrupt])
def test_a_failure_inside_leaves_nothing_behind(opened, fault):
    store = opened()

    def fail():
        with store.transaction() as records:
            records.add_link(link(1))
            records.put_fact("people", TERMS, "", "a")
            raise fault

    with pytest.raises(fault):
        fail()
    with store.reading() as records:
        assert records.last_link("people") == (0, "")
        assert list(records.all_facts()) == []


def test_a_reader_sees_one_picture_while_another_writes(opened):
    reader, writer = opened(), opened()
    with reader.reading() as seen:
        assert seen.last_link("people") == (0, "")
        with writer.transaction() as records:
            records.add_link(link(1))
        assert seen.last_link("people") == (0, "")
    with reader.reading() as seen:
        assert seen.last_link("people") == (1, "hash people 1")


def test_writers_take_turns(opened):
    def add():
        store = opened()
        for _ in range(5):
            with store.transaction() as records:
                records.add_link(link(records.last_link("people")[0] + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with opened().reading() as records:
        assert [each.number for each in records.links()] == list(range(1, 21))


def test_a_key_names_one_link_of_a_data_set(opened):
    store = opened()

    def add(number):
        with store.transaction() as records:
            records.add_link(link(number, key="k"))

    add(1)
    with pytest.raises(LedgerError):
        add(2)


def test_a_ledger_works_on_it_and_verifies(opened):
    ledger = Ledger(opened())
    ledger.create("people", epsilon=1, delta=1e-6, unit="row")
    head = ledger.reserve(PureDP(0.5), dataset="people", unit="row").head
    ledger.close()
    assert Ledger(opened()).verify(head=head) == (2, head)


def test_an_interface_alone_is_no_store():
    for interface in (Store, Records):
        with pytest.raises(TypeError, match="abstract"):
            interface()


def test_a_link_has_its_fields_in_the_order_of_the_table():
    assert Link._fields == ("chain", "number", "kind", "dataset", "key", "body", "hash")
