import json

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, UnknownName
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.ledger import Amount, Ledger
from dalenius.ledger.facts import ANALYST, EVERYONE, RecomputedFacts
from dalenius.ledger.follow import follow
from dalenius.ledger.kinds import CREATE, RESERVE
from dalenius.ledger.terms import Terms
from dalenius.neighbors import Unit


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


def reserve(ledger, epsilon, analyst=None, **more):
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="row", analyst=analyst, **more)


def test_both_the_share_and_the_data_set_limit_an_analyst(ledger):
    ledger.share("people", "ana", 0.5)
    ledger.share("people", "bo", 0.8)
    reserve(ledger, 0.5, "ana")
    before = ledger.verify()
    with pytest.raises(BudgetExceeded, match=r"'ana' in 'people' was asked for ε = 0.1; what is left is ε = 0"):
        reserve(ledger, 0.1, "ana")
    with pytest.raises(BudgetExceeded, match=r"'people' was asked for ε = 0.6; what is left is ε = 0.5"):
        reserve(ledger, 0.6, "bo")
    with pytest.raises(BudgetExceeded, match=r"the share of 'bo' in 'people' was asked for ε = 3; .* ε = 0.8"):
        reserve(ledger, 3, "bo")  # more than either leaves: what bo is told of is bo's own
    assert ledger.verify() == before
    reserve(ledger, 0.5, "bo")
    assert float(ledger.budget("people", analyst="bo").branches[0].readings[0].left) == 0.3
    assert ledger.shares("people") == {"ana": Amount.limit(0.5), "bo": Amount.limit(0.8)}


def test_where_there_are_shares_nobody_draws_but_those_who_have_one_and_the_owner(ledger):
    reserve(ledger, 0.1, "eve")
    ledger.share("people", "ana", 0.5)
    with pytest.raises(UnknownName, match="analyst"):
        reserve(ledger, 0.1, "eve")
    with pytest.raises(UnknownName, match="analyst"):
        ledger.admits(PureDP(0.1), dataset="people", analyst="eve")
    with pytest.raises(UnknownName):
        ledger.budget("people", analyst="eve")
    reserve(ledger, 0.1)  # the owner is never locked out


def test_what_was_drawn_before_the_share_counts(ledger):
    reserve(ledger, 0.4, "ana")
    ledger.share("people", "ana", 0.5)
    with pytest.raises(BudgetExceeded):
        reserve(ledger, 0.2, "ana")
    reserve(ledger, 0.1, "ana")
    ledger.verify()


def test_a_share_is_within_the_budget(ledger):
    ledger.share("people", "ana", 0.5)
    before = ledger.verify()
    ledger.share("people", "ana", 0.5)
    assert ledger.verify() == before
    with pytest.raises(InvalidParameter, match="more than"):
        ledger.share("people", "bo", 2)
    with pytest.raises(UnknownName):
        ledger.share("planets", "bo", 1)
    with pytest.raises(InvalidParameter, match="analyst"):
        ledger.share("people", 3, 0.1)


def test_a_share_is_kept_by_the_filter_of_the_data_set(tmp_path):
    for name in ("auto", "renyi", "gaussian"):
        ledger = Ledger.open(tmp_path / f"{name}.ledger")
        ledger.create("people", epsilon=1.5, delta=1e-3, unit="row", filter=name)
        ledger.share("people", "ana", 1, 1e-3)
        fitted = 0
        while ledger.admits(PureDP(0.05), dataset="people", analyst="ana"):
            reserve(ledger, 0.05, "ana")
            fitted += 1
        assert fitted > (20 if name != "renyi" else 0)
        assert PureDP(0.05).repeat(fitted).delta(1.0) <= 1e-3
        ledger.verify()


def test_the_same_question_costs_the_data_set_nothing_again(ledger):
    first = reserve(ledger, 0.4, "ana", fingerprint="f")
    ledger.commit(first, Stored(1))
    for analyst in ("ana", "bo", None):
        again = reserve(ledger, 0.4, analyst, fingerprint="f")
        assert (again.head, again.release) == (first.head, {"value": 1})
        assert ledger.release_of(again) == {"value": 1}
    assert float(ledger.remaining("people").epsilon) == 0.6
    assert len(ledger.entries("people")) == 1
    ledger.verify()


def test_an_answer_is_charged_to_a_share_when_it_is_first_seen(ledger):
    ledger.share("people", "ana", 0.5)
    ledger.share("people", "bo", 0.5)
    ledger.share("people", "cy", 0.2)
    ledger.commit(reserve(ledger, 0.4, "ana", fingerprint="f"), Stored(1))
    for _ in range(3):
        assert reserve(ledger, 0.4, "bo", fingerprint="f").release == {"value": 1}
        assert reserve(ledger, 0.4, "ana", fingerprint="f").release == {"value": 1}
    for analyst in ("ana", "bo"):
        assert float(ledger.budget("people", analyst=analyst).branches[0].readings[0].spent) == 0.4
    with pytest.raises(BudgetExceeded, match="share of 'cy'"):
        reserve(ledger, 0.4, "cy", fingerprint="f")
    assert float(ledger.remaining("people").epsilon) == 0.6
    ledger.verify()


def test_a_question_that_was_charged_and_never_answered_is_charged_again(ledger):
    lost = reserve(ledger, 0.3, fingerprint="f")
    second = reserve(ledger, 0.3, fingerprint="f")
    assert second.head != lost.head
    ledger.commit(second, Stored(2))
    ledger.commit(lost, Stored(1))
    assert ledger.release_of(lost) == {"value": 1}
    assert reserve(ledger, 0.3, fingerprint="f").release == {"value": 2}  # the first that was committed
    assert float(ledger.remaining("people").epsilon) == 0.4


def test_what_differs_in_fingerprint_or_guarantee_is_another_question(ledger):
    ledger.commit(reserve(ledger, 0.1, fingerprint="f"), Stored(1))
    assert reserve(ledger, 0.1, fingerprint="g").release is None
    assert reserve(ledger, 0.2, fingerprint="f").release is None
    assert reserve(ledger, 0.1, fingerprint="f", key="k").release == {"value": 1}  # a key never forces a new draw
    assert reserve(ledger, 0.1, fingerprint="f", fresh=True).release is None
    ledger.commit(reserve(ledger, 0.1), Stored(2))
    assert reserve(ledger, 0.1).release is None
    other = ledger.create("others", epsilon=1, unit="row")
    assert other is None
    assert ledger.reserve(PureDP(0.1), dataset="others", unit="row", fingerprint="f").release is None


def test_totals_follow_from_the_words_of_either_version():
    facts = RecomputedFacts()
    old = {"unit": None, "relation": "add-remove", "epsilon_units": "1000", "delta_units": "0", "time": ""}
    entry = {"epsilon_units": "400", "delta_units": "0", "analyst": "ana", "fingerprint": None}
    follow(facts, CREATE, "old", old, "h1")
    follow(facts, RESERVE, "old", entry, "h2")
    assert json.loads(facts.fact("old", EVERYONE)) == {"sum": ["400", "0"]}
    assert json.loads(facts.fact("old", ANALYST, "ana")) == {"sum": ["400", "0"]}
    with pytest.raises(BudgetExceeded):
        follow(facts, RESERVE, "old", entry | {"epsilon_units": "601"}, "h3")
    new = Terms.of(Unit.row(), Amount.limit(1, 1e-6), "auto").to_dict()
    follow(facts, CREATE, "new", new, "h4")
    cost = {"sum": None, "concentrated": ["7", "0"]}
    follow(facts, RESERVE, "new", {"cost": cost, "analyst": None, "fingerprint": None}, "h5")
    assert json.loads(facts.fact("new", EVERYONE)) == cost


def test_delta_counts_in_shares_too(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, delta=1e-6, unit="row", filter="sum")
    ledger.share("people", "ana", 1, 1e-8)
    with pytest.raises(BudgetExceeded, match="share of 'ana'"):
        ledger.reserve(ApproxDP(0.1, 1e-7), dataset="people", unit="row", analyst="ana")
