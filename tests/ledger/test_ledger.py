import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from dalenius.errors import (
    BudgetExceeded,
    InvalidParameter,
    LedgerMismatch,
    LedgerUnavailable,
    UnknownName,
    UnprovenClaim,
)
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, SamePeople
from dalenius.ledger.sqlite import SQLiteStore as Store
from dalenius.neighbors import Relation, Unit


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


def reserve(ledger, epsilon, **more):
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="row", **more)


def test_exactly_the_budget_can_be_spent(ledger):
    for _ in range(1000):
        reserve(ledger, 0.001)
    assert ledger.remaining("people").epsilon == 0
    assert len(ledger.entries("people")) == 1000
    with pytest.raises(BudgetExceeded):
        reserve(ledger, 1e-12)
    reserve(ledger, 0)


def test_a_refusal_says_what_was_asked_and_what_is_left_and_writes_nothing(ledger):
    reserve(ledger, 0.75)
    before = ledger.verify()
    with pytest.raises(BudgetExceeded, match=r"'people' was asked for ε = 0.5; what is left is ε = 0.25"):
        reserve(ledger, 0.5)
    assert ledger.verify() == before
    reserve(ledger, 0.25)


def test_what_is_finer_than_a_unit_is_rounded_up(ledger):
    reserve(ledger, Fraction(1, 3))
    assert ledger.remaining("people").epsilon == 1 - Fraction(333333333334, 10**12)


def test_a_charge_survives_the_process(ledger, tmp_path):
    reserve(ledger, 0.4, analyst="ana")
    ledger.close()
    (entry,) = Ledger.open(tmp_path / "x.ledger").entries("people")
    assert (entry.guarantee, entry.analyst, entry.unit) == (PureDP(0.4), "ana", Unit.row())
    assert entry.charged.epsilon == Fraction(2, 5)


def test_the_same_key_is_paid_once_and_gives_the_committed_release(ledger):
    first = reserve(ledger, 0.4, key="k", fingerprint="f")
    assert first.release is None
    assert reserve(ledger, 0.4, key="k", fingerprint="f") == first
    ledger.commit(first, Stored(1))
    again = reserve(ledger, 0.4, key="k", fingerprint="f")
    assert (again.head, again.release) == (first.head, {"value": 1})
    assert ledger.remaining("people").epsilon == Fraction(3, 5)


def test_a_retry_is_answered_even_when_the_budget_is_spent(ledger):
    first = reserve(ledger, 1, key="k", fingerprint="f")
    assert reserve(ledger, 1, key="k", fingerprint="f").head == first.head


@pytest.mark.parametrize("other", [{"fingerprint": "g"}, {"fingerprint": "f", "analyst": "bo"}, {"fingerprint": None}])
def test_the_same_key_for_another_question_is_refused(ledger, other):
    reserve(ledger, 0.4, key="k", fingerprint="f")
    with pytest.raises(LedgerMismatch, match="'k'"):
        reserve(ledger, 0.4, key="k", **other)
    with pytest.raises(LedgerMismatch):
        reserve(ledger, 0.3, key="k", fingerprint="f")


def test_the_first_commit_wins(ledger):
    receipt = reserve(ledger, 0.1)
    ledger.commit(receipt, Stored(1))
    ledger.commit(receipt, Stored(2))
    assert ledger.release_of(receipt) == {"value": 1}
    ledger.verify()


def test_nothing_committed_is_nothing_to_hand_out(ledger):
    with pytest.raises(UnknownName):
        ledger.release_of(reserve(ledger, 0.1))


def test_a_receipt_of_another_ledger_is_refused(ledger, tmp_path):
    other = Ledger.open(tmp_path / "other.ledger")
    other.create("people", epsilon=1, unit="row")
    with pytest.raises(LedgerMismatch):
        ledger.commit(reserve(other, 0.2), Stored(1))
    with pytest.raises(LedgerMismatch):
        ledger.commit(replace(reserve(ledger, 0.2), head=ledger.verify()[1][::-1]), Stored(1))


def test_creating_again_changes_nothing_and_other_terms_are_refused(ledger):
    reserve(ledger, 0.5)
    ledger.create("people", epsilon=1, unit="row")
    assert ledger.remaining("people").epsilon == Fraction(1, 2)
    for terms in (
        {"epsilon": 2, "unit": "row"},
        {"epsilon": 1, "unit": "id"},
        {"epsilon": 1, "delta": 0.1, "unit": "row"},
    ):
        with pytest.raises(LedgerMismatch, match="'people' exists"):
            ledger.create("people", **terms)
    with pytest.raises(LedgerMismatch):
        ledger.create("people", epsilon=1, unit="row", relation=Relation.CHANGE_ONE)


def test_a_units_own_relation_is_kept(ledger):
    ledger.create("fixed", epsilon=1, unit=Unit.row(Relation.CHANGE_ONE))
    assert ledger.unit("fixed").relation is Relation.CHANGE_ONE
    ledger.reserve(PureDP(0.1, Relation.CHANGE_ONE), dataset="fixed", unit="row")


def test_another_unit_or_relation_is_refused(ledger):
    with pytest.raises(LedgerMismatch, match="user_id"):
        ledger.reserve(PureDP(0.1), dataset="people", unit="user_id")
    with pytest.raises(LedgerMismatch, match="change-one"):
        ledger.reserve(PureDP(0.1, Relation.CHANGE_ONE), dataset="people", unit="row")


def test_what_has_no_rule_is_refused_by_name(ledger):
    with pytest.raises(InvalidParameter, match="blocks"):
        reserve(ledger, 0.1, blocks=["2024"])
    with pytest.raises(UnprovenClaim, match="guarantees only"):
        ledger.reserve(object(), dataset="people", unit="row")
    with pytest.raises(UnknownName, match="'planets'"):
        ledger.reserve(PureDP(0.1), dataset="planets", unit="row")
    with pytest.raises(InvalidParameter, match="name"):
        ledger.create("", epsilon=1, unit="row")


def test_data_sets_do_not_share_a_budget(ledger):
    ledger.create("others", epsilon=0.5, unit="id")
    ledger.reserve(PureDP(0.5), dataset="others", unit="id")
    assert ledger.remaining("people").epsilon == 1
    assert ledger.limit("others").epsilon == Fraction(1, 2)
    assert ledger.unit("others") == Unit("id")


def test_the_clock_may_stand_still_or_go_back_and_time_does_not(tmp_path):
    years = iter([2026, 2030, 2020, 2020, 2031, 2031])
    ledger = Ledger(Store(tmp_path / "x.ledger"), clock=lambda: datetime(next(years), 1, 1, tzinfo=UTC))
    ledger.create("people", epsilon=1, unit="row")
    for _ in range(3):
        reserve(ledger, 0.1)
    assert [entry.time[:4] for entry in ledger.entries("people")] == ["2030", "2030", "2031"]
    ledger.verify()


def test_a_read_only_file_is_refused_by_name(ledger, tmp_path):
    if os.geteuid() == 0:
        # root may write anywhere, so take away the folder's database instead
        with pytest.raises(LedgerUnavailable):
            Ledger.open(tmp_path)
        return
    ledger.close()
    (tmp_path / "x.ledger").chmod(0o400)
    with pytest.raises(LedgerUnavailable):
        reserve(Ledger.open(tmp_path / "x.ledger"), 0.1)


SPENDER = """
import sys
from dalenius.errors import BudgetExceeded
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
ledger, heads, refused = Ledger.open(sys.argv[1]), [], 0
for _ in range(50):
    try:
        heads.append(ledger.reserve(PureDP("0.01"), dataset="people", unit="row").head)
    except BudgetExceeded:
        refused += 1
import json
print(json.dumps([heads, refused]))
"""


def test_four_processes_never_overspend_and_lose_no_entry(ledger, tmp_path):
    command = [sys.executable, "-c", SPENDER, str(tmp_path / "x.ledger")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    results = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    heads = [head for granted, _ in results for head in granted]
    assert len(heads) == 100
    assert sum(refused for _, refused in results) == 100
    assert {entry.hash for entry in ledger.entries("people")} == set(heads)
    assert ledger.remaining("people").epsilon == 0
    assert ledger.verify()[0] == 101


@pytest.mark.parametrize("value", [1, True, 1.5, b"x", ["x"], "\ud800"], ids=repr)
@pytest.mark.parametrize("word", ["key", "analyst", "fingerprint"])
def test_what_does_not_come_back_as_it_was_hashed_is_refused(ledger, word, value):
    """SQLite gives the key 1 back as "1", and the chain no longer verified."""
    before = ledger.verify()
    with pytest.raises(InvalidParameter, match=word):
        reserve(ledger, 0.1, **{word: value})
    assert ledger.verify() == before


@pytest.mark.parametrize("name", [1, b"x", ["x"], "\ud800"], ids=repr)
def test_a_name_that_is_no_text_is_no_data_set(ledger, name):
    with pytest.raises(InvalidParameter):
        ledger.create(name, 1, unit="row")
    with pytest.raises(UnknownName):
        ledger.remaining(name)


def test_a_receipt_changed_to_another_data_set_is_refused(ledger):
    with pytest.raises(LedgerMismatch, match="receipt"):
        ledger.commit(replace(reserve(ledger, 0.1), dataset="other"), Stored(1))


def test_an_earlier_answer_is_looked_up_without_a_trace_by_those_who_have_seen_it(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    asked = {"dataset": "people", "unit": "row", "fingerprint": "f"}
    assert ledger.earlier(PureDP("0.1"), **asked) is None
    receipt = ledger.reserve(PureDP("0.1"), **asked)
    assert ledger.earlier(PureDP("0.1"), **asked) is None  # nothing is committed yet
    ledger.commit(receipt, Stored(7))
    before = ledger.verify()
    assert ledger.earlier(PureDP("0.1"), **asked) == {"value": 7}
    assert ledger.earlier(PureDP("0.2"), **asked) is None
    assert ledger.earlier(PureDP("0.1"), **asked | {"fingerprint": "g"}) is None
    assert ledger.verify() == before
    ledger.share("people", "ada", "0.5")
    assert ledger.earlier(PureDP("0.1"), **asked, analyst="ada") is None  # it would be charged to the share
    assert ledger.earlier(PureDP("0.1"), **asked) == {"value": 7}  # the owner's, as before
    ledger.reserve(PureDP("0.1"), **asked, analyst="ada")
    assert ledger.earlier(PureDP("0.1"), **asked, analyst="ada") == {"value": 7}


def test_two_data_sets_that_name_the_same_unit_are_warned_of(ledger):
    ledger.create("visits", epsilon=1, unit="person")
    with pytest.warns(SamePeople, match="ledger.join"):
        ledger.create("orders", epsilon=1, unit="person")
    ledger.create("orders", epsilon=1, unit="person")  # told once
    with pytest.warns(SamePeople, match="both protect each PERSON"):
        ledger.create("letters", epsilon=1, unit="PERSON")
    ledger.create("rows", epsilon=1, unit="row")


def test_an_entry_says_by_whom_and_from_where(ledger):
    ledger.acting("olga", "command line").reserve(
        PureDP("0.1"), dataset="people", unit="row", analyst="ana", text="SELECT 1", purpose="a test"
    )
    (entry,) = ledger.entries("people")
    assert (entry.by, entry.origin, entry.text, entry.purpose) == ("olga", "command line", "SELECT 1", "a test")
    reserve(ledger, 0.1)
    assert (ledger.entries("people")[1].by, ledger.entries("people")[1].origin) == (None, "python")
    ledger.verify()
