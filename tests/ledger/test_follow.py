import pytest

from dalenius.errors import BudgetExceeded, LedgerCorrupted
from dalenius.ledger import Amount
from dalenius.ledger.facts import EVERYONE, NEEDS, TIME, RecomputedFacts
from dalenius.ledger.follow import RULES, follow
from dalenius.ledger.kinds import CREATE, RESERVE
from dalenius.ledger.terms import Terms
from dalenius.neighbors import Unit

EARLY, LATE = "2020-01-01T00:00:00+00:00", "2030-01-01T00:00:00+00:00"


@pytest.fixture
def book():
    facts = RecomputedFacts()
    terms = Terms.of(Unit.row(), Amount.limit(1), "auto").to_dict()
    follow(facts, CREATE, "people", terms | {"version": 3, "time": EARLY}, "h1")
    return facts


def entry(epsilon_units, time=LATE):
    cost = {"sum": [str(epsilon_units), "0"]}
    return {"version": 3, "time": time, "cost": cost, "analyst": None, "fingerprint": None}


def test_what_may_not_be_there_changes_nothing(book):
    follow(book, RESERVE, "people", entry(6 * 10**11), "h2")
    before = set(book.all_facts())
    with pytest.raises(BudgetExceeded):
        follow(book, RESERVE, "people", entry(5 * 10**11), "h3")
    with pytest.raises(ValueError, match="dated"):
        follow(book, RESERVE, "people", entry(1, EARLY), "h3")
    with pytest.raises(LedgerCorrupted, match="'no such kind'"):
        follow(book, "no such kind", "people", {}, "h3")
    assert set(book.all_facts()) == before
    assert book.fact("people", TIME) == LATE
    assert book.fact("people", EVERYONE) == '{"sum":["600000000000","0"]}'


def test_a_kind_that_not_every_reader_knows_leaves_a_fact_that_says_so(book, monkeypatch):
    monkeypatch.setitem(RULES, "new kind", lambda *_: None)
    follow(book, "new kind", "people", {"version": 3, "time": LATE}, "h2")
    assert book.fact("people", NEEDS, "new kind") == ""
