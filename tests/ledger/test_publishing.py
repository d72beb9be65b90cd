import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, Tile


class Answer:
    def to_dict(self):
        return {"n": 1}


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("visits", 1, unit="patient")
    book.create("staff", 1, unit="person")
    return book


def paid(ledger, question="q", dataset="visits", commit=True):
    unit = {"visits": "patient", "staff": "person"}[dataset]
    receipt = ledger.reserve(PureDP(0.1), dataset=dataset, unit=unit, fingerprint=question)
    if commit:
        ledger.commit(receipt, Answer())
    return receipt.head


def test_a_page_shows_stored_answers_and_costs_nothing(ledger):
    receipt = paid(ledger)
    left = ledger.remaining("visits")
    ledger.publish("visits", "abc", "Beds", [Tile("How many", receipt)])
    page = ledger.publication("abc")
    assert (page.dataset, page.title, page.tiles) == ("visits", "Beds", (Tile("How many", receipt),))
    assert ledger.published() == [page] == ledger.published("visits")
    assert ledger.published("staff") == []
    assert ledger.remaining("visits") == left
    ledger.verify()


def test_a_page_is_replaced_and_withdrawn(ledger):
    first, second = paid(ledger, "a"), paid(ledger, "b")
    ledger.publish("visits", "abc", "Beds", [Tile("x", first)])
    ledger.publish("visits", "abc", "Beds", [Tile("x", second)])
    assert ledger.publication("abc").tiles[0].receipt == second
    ledger.withdraw("visits", "abc")
    assert (ledger.publication("abc"), ledger.published()) == (None, [])
    with pytest.raises(UnknownName):
        ledger.withdraw("visits", "abc")
    ledger.verify()


def test_only_stored_answers_of_the_data_set_are_published(ledger):
    for receipt in (paid(ledger, "late", commit=False), paid(ledger, "q", "staff"), "0" * 64):
        with pytest.raises(UnknownName):
            ledger.publish("visits", "abc", "Beds", [Tile("x", receipt)])
    assert ledger.published() == []


@pytest.mark.parametrize(("page", "title"), [("a/b", "t"), ("", "t"), ("é", "t"), ("abc", " ")])
def test_what_is_no_page_is_refused(ledger, page, title):
    receipt = paid(ledger)
    with pytest.raises(InvalidParameter):
        ledger.publish("visits", page, title, [Tile("x", receipt)])
    with pytest.raises(InvalidParameter):
        ledger.publish("visits", "abc", "t", [])


def test_no_data_set_takes_the_page_of_another(ledger):
    ledger.publish("visits", "abc", "Beds", [Tile("x", paid(ledger))])
    with pytest.raises(InvalidParameter, match="another data set"):
        ledger.publish("staff", "abc", "Mine", [Tile("x", paid(ledger, "q", "staff"))])
