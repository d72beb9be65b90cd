import pytest

from dalenius.errors import InvalidParameter, LedgerMismatch
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger


class Stored:
    def __init__(self, value):
        self.value = value

    def to_dict(self):
        return {"value": self.value}


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="row")
    return book


def ask(ledger, **more):
    terms = {"dataset": "people", "unit": "row", "fingerprint": "f"}
    return ledger.reserve(PureDP("0.1"), **terms | more)


def test_a_key_makes_a_retry_safe_and_never_forces_a_new_draw(ledger):
    first = ask(ledger, key="one")
    assert ask(ledger, key="one").head == first.head  # before the answer: the same charge
    ledger.commit(first, Stored(1))
    for key in ("one", "two", None):
        assert ask(ledger, key=key).release == {"value": 1}
    assert ledger.remaining("people").epsilon * 10 == 9
    with pytest.raises(LedgerMismatch, match="'one'"):
        ask(ledger, key="one", fingerprint="g")


def test_a_fresh_draw_is_asked_for_and_paid(ledger):
    ledger.commit(ask(ledger), Stored(1))
    fresh = ask(ledger, fresh=True, key="again")
    assert fresh.release is None
    assert ask(ledger, fresh=True, key="again").head == fresh.head
    ledger.commit(fresh, Stored(2))
    assert ask(ledger, fresh=True, key="again").release == {"value": 2}
    assert ask(ledger).release == {"value": 1}  # the first answer stays the answer
    assert ledger.remaining("people").epsilon * 10 == 8
    ledger.verify()


def test_a_purpose_is_required_if_the_owner_says_so_and_free_repeats_need_none(ledger):
    ledger.commit(ask(ledger), Stored(1))
    ledger.require_purpose("people")
    ledger.require_purpose("people")
    assert ask(ledger).release == {"value": 1}
    for purpose in (None, "", "  "):
        with pytest.raises(InvalidParameter, match="purpose"):
            ask(ledger, fingerprint="g", purpose=purpose)
    ask(ledger, fingerprint="g", purpose="planning")
    ledger.require_purpose("people", False)
    ask(ledger, fingerprint="h")
    with pytest.raises(InvalidParameter, match="purpose may have 2000 characters"):
        ask(ledger, fingerprint="i", purpose="x" * 10**6)
    ledger.verify()


def test_an_answer_of_others_that_is_charged_to_a_share_says_what_for_too(ledger):
    ledger.commit(ask(ledger), Stored(1))
    ledger.require_purpose("people")
    ledger.share("people", "ana", "0.5")
    with pytest.raises(InvalidParameter, match="purpose"):
        ask(ledger, analyst="ana")
    ask(ledger, analyst="ana", purpose="a poster", text="SELECT 1")
    (entry,) = ledger.log("people", kind="view")
    assert (entry.analyst, entry.words["purpose"], entry.words["text"]) == ("ana", "a poster", "SELECT 1")


def test_a_purpose_can_be_given_once_for_all_that_follows(ledger):
    ledger.require_purpose("people")
    ask(ledger.acting("ana", purpose="a course"), fingerprint="g")
    ask(ledger.acting("ana", purpose="a course"), fingerprint="h", purpose="its second part")
    assert [entry.purpose for entry in ledger.entries("people")] == ["a course", "its second part"]


def test_an_answer_is_seen_by_who_paid_for_it_and_by_the_owner(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.create("others", epsilon=1, unit="row")
    receipt = ledger.reserve(PureDP("0.1"), dataset="people", unit="row", analyst="ann", fingerprint="f")
    assert ledger.seen("people", receipt.head, "ann") is None
    ledger.commit(receipt, Stored(1))
    for analyst in ("ann", None):
        kept = ledger.seen("people", receipt.head, analyst)
        assert (kept.release, kept.head, kept.guarantee) == ({"value": 1}, receipt.head, PureDP("0.1"))
    assert (ledger.seen("people", receipt.head, "bob"), ledger.seen("others", receipt.head)) == (None, None)
    assert ledger.seen("people", "0" * 64) is None
