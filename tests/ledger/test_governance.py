import pytest

from dalenius.errors import BudgetExceeded
from dalenius.ledger import Amount
from dalenius.ledger.facts import RecomputedFacts
from dalenius.ledger.follow import follow
from dalenius.ledger.kinds import CREATE, JOIN, JOINED, RESERVE, REVOKE, TEAM
from dalenius.ledger.terms import Terms
from dalenius.neighbors import Unit

TIME = {"version": 3, "time": "2026-01-01T00:00:00+00:00"}
TERMS = Terms.of(Unit.row(), Amount.limit(1), "auto")


@pytest.fixture
def book():
    facts = RecomputedFacts()
    for name in ("a", "b"):
        follow(facts, CREATE, name, TERMS.to_dict() | TIME, name)
        cost = {"cost": {"sum": ["600000000000", "0"]}, "analyst": None, "fingerprint": None}
        follow(facts, RESERVE, name, cost | TIME, f"{name} 2")
    return facts


def test_a_join_of_more_than_fits_together_could_not_have_been_admitted(book):
    budget = TERMS.share(Amount.limit(1)).to_dict() | {"datasets": ["a", "b"]} | TIME
    with pytest.raises(ValueError, match="not told"):
        follow(book, JOIN, "b", budget, "h")
    follow(book, JOINED, "a", {"population": "b"} | TIME, "g")
    with pytest.raises(BudgetExceeded, match="together"):
        follow(book, JOIN, "b", budget, "h")


def test_what_was_never_given_cannot_be_revoked_and_nobody_is_in_two_teams(book):
    with pytest.raises(ValueError, match="nobody gave"):
        follow(book, REVOKE, "a", {"analyst": "ana"} | TIME, "h")
    follow(book, TEAM, "a", {"team": "lab", "members": ["ana"]} | TIME, "h")
    with pytest.raises(ValueError, match="one team"):
        follow(book, TEAM, "a", {"team": "other", "members": ["ana"]} | TIME, "h")
