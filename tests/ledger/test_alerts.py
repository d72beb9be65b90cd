import pytest

from dalenius.errors import BudgetExceeded
from dalenius.guarantees import PureDP
from dalenius.ledger import Alert, Ledger


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    return book


def draw(ledger, epsilon, analyst=None):
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="row", analyst=analyst)


def test_each_level_is_told_once_by_the_charge_that_passes_it(ledger):
    told = []
    ledger.on_alert(told.append)
    ledger.share("people", "ana", 0.2)
    for epsilon, analyst in ((0.4, None), (0.1, "ana"), (0.1, None), (0.1, "ana"), (0.3, None)):
        draw(ledger, epsilon, analyst)
    with pytest.raises(BudgetExceeded):
        draw(ledger, 0.1)
    assert told == [
        Alert("people", None, 50),
        Alert("people", "ana", 50),
        Alert("people", "ana", 100),
        Alert("people", None, 100),
    ]


def test_a_hook_that_fails_loses_no_receipt(ledger, caplog):
    ledger.on_alert(lambda alert: 1 / 0)
    assert draw(ledger, 0.9).head
    assert "hook" in caplog.text
    ledger.on_alert(None)
    draw(ledger, 0.1)


class Stored:
    def to_dict(self):
        return {}


def test_a_share_that_is_spent_on_answers_of_others_is_told_too(ledger):
    told = []
    for analyst in ("ana", "bo"):
        ledger.share("people", analyst, 0.2)
    question = {"dataset": "people", "unit": "row", "fingerprint": "f"}
    ledger.commit(ledger.reserve(PureDP(0.2), **question, analyst="ana"), Stored())
    ledger.on_alert(told.append)
    ledger.reserve(PureDP(0.2), **question, analyst="bo")
    ledger.reserve(PureDP(0.2), **question, analyst="bo")
    assert told == [Alert("people", "bo", 100)]
