import pytest

from dalenius.ledger.store import Link, Records, Store


def test_an_interface_alone_is_no_store():
    for interface in (Store, Records):
        with pytest.raises(TypeError, match="abstract"):
            interface()


def test_a_link_has_its_fields_in_the_order_of_the_table():
    assert Link._fields == ("number", "kind", "dataset", "key", "body", "hash")
