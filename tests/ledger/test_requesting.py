import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName
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
    with pytest.raises(InvalidParameter, match="more was asked for"):
        ledger.request_budget("people", "ana", 10**100)
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


class Stored:
    def to_dict(self):
        return {"value": 7}


def test_an_approved_question_that_others_were_answered_meanwhile_is_seen_once_beside_the_share(ledger):
    question = {"dataset": "people", "unit": "row", "fingerprint": "f"}
    ledger.approve("people", ledger.request_question(PureDP("0.5"), **question, analyst="ana"))
    ledger.commit(ledger.reserve(PureDP("0.5"), **question), Stored())
    assert ledger.reserve(PureDP("0.5"), **question, analyst="ana").release == {"value": 7}
    assert ledger.remaining("people").epsilon * 2 == 1  # the data set has paid for it once
    assert ledger.remaining("people", "ana").epsilon * 10 == 1
    assert ledger.reserve(PureDP("0.5"), **question, analyst="ana").release == {"value": 7}
    with pytest.raises(BudgetExceeded):  # the approval is used up
        ledger.reserve(PureDP("0.5"), **question, analyst="ana", fresh=True)
    ledger.verify()


def test_who_has_no_share_may_retry_a_question_that_was_approved_and_see_its_answer_again(ledger):
    question = {"dataset": "people", "unit": "row", "fingerprint": "f", "analyst": "eve"}
    ledger.approve("people", ledger.request_question(PureDP("0.5"), **question))
    paid = ledger.reserve(PureDP("0.5"), **question, key="once")  # and then their machine failed
    again = ledger.reserve(PureDP("0.5"), **question, key="once")
    assert again.head == paid.head
    ledger.commit(again, Stored())
    assert ledger.reserve(PureDP("0.5"), **question).release == {"value": 7}
    assert ledger.remaining("people").epsilon * 2 == 1
    with pytest.raises(UnknownName, match="no share"):
        ledger.reserve(PureDP("0.1"), **question | {"fingerprint": "g"})
    ledger.verify()


def test_an_approval_follows_the_analyst_into_a_team(ledger):
    question = {"dataset": "people", "unit": "row", "fingerprint": "f", "analyst": "ana"}
    ledger.approve("people", ledger.request_question(PureDP("0.5"), **question))
    ledger.share("people", "lab", 0.1)
    ledger.team("people", "lab", ["ana"])
    ledger.reserve(PureDP("0.5"), **question)
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP("0.5"), **question)
    ledger.verify()


def test_approving_more_does_not_give_a_share_back_that_was_revoked_or_has_ended(ledger):
    ledger.revoke("people", "ana")
    with pytest.raises(InvalidParameter, match="was revoked"):
        ledger.approve("people", ledger.request_budget("people", "ana", 0.2))
    assert ledger.shares("people") == {}
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP("0.1"), dataset="people", unit="row", analyst="ana")
