import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch
from dalenius.guarantees import PureDP
from dalenius.ledger import Amount, Ledger


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    book.share("people", "ana", 0.1)
    return book


def test_a_request_for_budget_raises_the_share_once_it_is_approved(ledger):
    id_ = ledger.request_budget("people", "ana", 0.2, purpose="a second year")
    (one,) = ledger.requests("people")
    assert (one.id, one.state, one.price, one.purpose) == (id_, "open", Amount.limit(0.2), "a second year")
    assert ledger.shares("people")["ana"] == Amount.limit(0.1)
    ledger.approve("people", id_)
    assert ledger.shares("people")["ana"] == Amount.limit(0.3)
    with pytest.raises(LedgerMismatch, match="approved already"):
        ledger.approve("people", id_)
    with pytest.raises(InvalidParameter, match="more than"):
        ledger.approve("people", ledger.request_budget("people", "ana", 0.8))
    ledger.verify()


def test_an_approved_question_is_run_once_beside_the_share_and_within_the_budget(ledger):
    question = {"dataset": "people", "unit": "row", "analyst": "ana", "fingerprint": "f"}
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP("0.5"), **question)
    id_ = ledger.request_question(PureDP("0.5"), **question, text="SELECT COUNT(*)", error="± 6")
    assert ledger.requests("people")[0].text == "SELECT COUNT(*)"
    ledger.approve("people", id_)
    ledger.reserve(PureDP("0.5"), **question)
    assert ledger.remaining("people").epsilon * 2 == 1
    assert ledger.remaining("people", "ana").epsilon * 10 == 1  # the share is as it was
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP("0.5"), **question)
    big = question | {"fingerprint": "g"}
    ledger.approve("people", ledger.request_question(PureDP("0.6"), **big))
    with pytest.raises(BudgetExceeded, match="'people'"):  # the cap of the data set holds whatever was approved
        ledger.reserve(PureDP("0.6"), **big)
    ledger.verify()


def test_a_declined_request_grants_nothing(ledger):
    id_ = ledger.request_budget("people", "ana", 0.2)
    ledger.decline("people", id_, "not this year")
    assert ledger.requests("people")[0].state == "declined"
    assert ledger.shares("people")["ana"] == Amount.limit(0.1)
    ledger.verify()
