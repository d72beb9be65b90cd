import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Amount
from dalenius.server.console import asking
from tests.server.hospital import COUNT

FORM = {"sql": COUNT, "epsilon": "0.1", "delta": ""}


@pytest.fixture
def session(app):
    return app.state.served.catalog._tables["visits"]


def test_what_would_be_left_is_rounded_down_and_never_negative(session):
    told = session.explain(COUNT, epsilon="0.1")
    assert asking.left_after(Amount.limit(1), told) == "ε = 0.9"
    assert "does not fit" in asking.left_after(Amount.limit("0.05"), told)
    gaussian = session.explain(COUNT, epsilon="0.1", delta="1e-8")
    assert "less this price" in asking.left_after(Amount.limit(1), gaussian)


def test_a_price_is_as_short_as_it_can_be_said(session):
    told = session.explain(COUNT, epsilon="0.1")
    assert asking.price(told, FORM) == "ε = 0.1"
    assert asking.price(told, FORM | {"delta": "1e-8"}) == "ε = 0.1, δ = 1e-8"
    assert asking.price(told, {"sql": COUNT}) == "ε = 0.1"


def test_explaining_says_whether_the_answer_is_known(session):
    assert asking.explained(session, FORM)["known"] is False
    session.sql(COUNT, epsilon="0.1")
    told = asking.explained(session, FORM)
    assert (told["known"], told["price"]) == (True, "nothing")
    assert any("noise only" in note for note in told["notes"])


def test_an_answer_made_of_another_has_no_receipt_of_its_own(session):
    session.sql("CREATE PRIVATE VIEW wards AS SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=1)
    part = session.sql("SELECT ward FROM wards WHERE ward = 'a'")
    assert asking.receipt_of(session, part) is None
    whole = session.sql(COUNT, epsilon="0.2")
    assert asking.receipt_of(session, whole) == whole.receipt.head
    assert asking.stored_answer(session, whole.receipt.head).value == whole.value
    assert asking.stored_answer(session, "0" * 64) is None


def test_a_question_without_words_is_refused():
    with pytest.raises(InvalidParameter):
        asking.sql_of({"sql": " "})
