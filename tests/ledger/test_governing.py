"""Shares that change: each kept by totals that stay with the name."""

from datetime import UTC, datetime

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import PROFILE, Amount, Ledger, SQLiteStore


class Stored:
    def to_dict(self):
        return {"value": 1}


class Clock:
    def __init__(self):
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    book = Ledger(SQLiteStore(tmp_path / "x.ledger"), clock=clock)
    book.create("people", epsilon=1, unit="row")
    return book


def draw(ledger, epsilon, analyst, **more):
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="row", analyst=analyst, **more)


def test_a_share_is_raised_and_lowered_and_one_below_what_is_spent_admits_nothing(ledger):
    ledger.share("people", "ana", 0.3)
    draw(ledger, 0.3, "ana")
    ledger.share("people", "ana", 0.5)
    draw(ledger, 0.1, "ana")
    ledger.share("people", "ana", 0.2)
    with pytest.raises(BudgetExceeded, match="what is left is nothing"):
        draw(ledger, 0, "ana")
    assert ledger.remaining("people", "ana") == Amount(0, 0)
    ledger.share("people", "ana", 0.45)
    assert ledger.remaining("people", "ana").epsilon * 20 == 1
    ledger.verify()


def test_a_share_that_is_revoked_and_given_again_does_not_start_anew(ledger):
    ledger.share("people", "ana", 0.3)
    draw(ledger, 0.2, "ana", fingerprint="f")
    ledger.revoke("people", "ana")
    ledger.revoke("people", "ana")
    assert ledger.shares("people") == {}
    with pytest.raises(BudgetExceeded, match="revoked"):
        draw(ledger, 0.1, "ana")
    assert not ledger.admits(PureDP(0), dataset="people", analyst="ana")
    with pytest.raises(UnknownName):
        ledger.revoke("people", "bo")
    with pytest.raises(UnknownName):  # shares were given once: nobody else draws
        draw(ledger, 0.1, "bo")
    draw(ledger, 0.1, None)
    ledger.share("people", "ana", 0.3)
    with pytest.raises(BudgetExceeded):
        draw(ledger, 0.11, "ana")
    draw(ledger, 0.1, "ana")
    ledger.verify()


def test_a_share_ends_by_a_time_that_never_goes_back(ledger, clock):
    ledger.share("people", "ana", 0.5, until="2026-02-01")
    first = draw(ledger, 0.1, "ana", fingerprint="f")
    ledger.commit(first, Stored())
    clock.now = datetime(2026, 2, 1, tzinfo=UTC)
    with pytest.raises(BudgetExceeded, match="ended at 2026-02-01"):
        draw(ledger, 0.1, "ana")
    assert draw(ledger, 0.1, "ana", fingerprint="f").release == {"value": 1}  # what was seen stays free
    draw(ledger, 0.1, None)  # the owner's entry is of February
    clock.now = datetime(2026, 1, 2, tzinfo=UTC)
    with pytest.raises(BudgetExceeded, match="ended"):
        draw(ledger, 0.1, "ana")
    assert ledger.remaining("people", "ana") == Amount(0, 0)
    with pytest.raises(InvalidParameter, match="future"):
        ledger.share("people", "ana", 0.5, until="2026-01-15")
    with pytest.raises(InvalidParameter, match="until"):
        ledger.share("people", "ana", 0.5, until="soon")
    ledger.share("people", "ana", 0.5, until=datetime(2026, 3, 1, tzinfo=UTC))
    draw(ledger, 0.1, "ana")
    ledger.verify()


def test_what_an_analyst_may_still_spend_is_the_lesser_of_share_and_budget(ledger):
    ledger.share("people", "ana", 0.5)
    ledger.share("people", "bo", 0.9)
    draw(ledger, 0.8, "bo")
    assert ledger.remaining("people", "ana").epsilon * 5 == 1
    assert ledger.remaining("people", "bo").epsilon * 10 == 1
    assert ledger.remaining("people", "eve") == Amount(0, 0)
    assert ledger.remaining("people").epsilon * 5 == 1


def test_a_team_is_one_analyst(ledger):
    for who in ("ana", "bo", "lab"):
        ledger.share("people", who, 0.5)
    ledger.commit(draw(ledger, 0.1, "ana", fingerprint="f"), Stored())
    draw(ledger, 0.2, "bo")
    ledger.team("people", "lab", ["ana", "bo"])
    ledger.team("people", "lab", ["bo", "ana"])
    assert ledger.teams("people") == {"lab": ["ana", "bo"]}
    assert float(ledger.budget("people", analyst="bo").branches[0].readings[0].spent) == 0.3
    draw(ledger, 0.1, "bo", fingerprint="f")  # what one has seen, all have
    draw(ledger, 0.2, "ana")
    with pytest.raises(BudgetExceeded, match="share of 'lab'"):
        draw(ledger, 0.01, "bo")
    with pytest.raises(InvalidParameter, match="team"):
        ledger.share("people", "ana", 0.9)
    ledger.share("people", "trio", 1)
    with pytest.raises(LedgerMismatch, match="'lab'"):
        ledger.team("people", "trio", ["ana"])
    with pytest.raises(InvalidParameter, match="not of teams"):
        ledger.team("people", "trio", ["lab"])
    ledger.team("people", "lab", ["bo"])
    with pytest.raises(BudgetExceeded):  # who leaves has seen what the team has
        draw(ledger, 0.01, "ana")
    assert draw(ledger, 0.1, "ana", fingerprint="f").release == {"value": 1}
    with pytest.raises(UnknownName, match="give it one"):
        ledger.team("people", "nobody", ["ana"])
    ledger.verify()


def joined(tmp_path):
    ledger = Ledger.open(tmp_path / "joined.ledger")
    ledger.create("visits", epsilon=1, unit="patient")
    ledger.create("orders", epsilon=2, unit="customer")
    return ledger


def test_joined_data_sets_have_one_budget_the_least_of_theirs(tmp_path):
    ledger = joined(tmp_path)
    ledger.reserve(PureDP("0.1"), dataset="orders", unit="customer", label=PROFILE)
    ledger.join("visits", "orders")
    ledger.join("orders", "visits")
    assert ledger.population("visits") == ["orders", "visits"]
    assert ledger.limit("orders") == Amount.limit(1)
    ledger.reserve(PureDP("0.5"), dataset="visits", unit="patient")
    ledger.reserve(PureDP("0.3"), dataset="orders", unit="customer")
    for name, unit in (("visits", "patient"), ("orders", "customer")):
        assert ledger.remaining(name).epsilon * 10 == 1
        with pytest.raises(BudgetExceeded):
            ledger.reserve(PureDP("0.11"), dataset=name, unit=unit)
    length, head = ledger.verify()
    ledger.close()
    assert Ledger.open(tmp_path / "joined.ledger").verify(head=head) == (length, head)


def test_what_cannot_be_joined_is_refused_by_name(tmp_path):
    ledger = joined(tmp_path)
    with pytest.raises(InvalidParameter, match="two"):
        ledger.join("visits")
    with pytest.raises(UnknownName):
        ledger.join("visits", "planets")
    ledger.create("blocks", epsilon=1, unit="person")
    ledger.partition("blocks", "half", ["left", "right"], kind="hash")
    with pytest.raises(LedgerMismatch, match="partitioned"):
        ledger.join("visits", "blocks")
    ledger.create("slack", epsilon=1, delta=1e-6, unit="member")
    with pytest.raises(LedgerMismatch, match="filter"):
        ledger.join("visits", "slack")
    ledger.reserve(PureDP("0.1"), dataset="orders", unit="customer")
    before = ledger.verify()
    with pytest.raises(LedgerMismatch, match="before the first charge"):
        ledger.join("visits", "orders")
    assert ledger.verify() == before
    ledger.create("others", epsilon=1, unit="user")
    ledger.join("visits", "others")
    with pytest.raises(InvalidParameter, match="joined"):
        ledger.partition("visits", "half", ["left", "right"], kind="hash")
    ledger.create("third", epsilon=1, unit="guest")
    with pytest.raises(LedgerMismatch, match="all at once"):
        ledger.join("visits", "third")


def test_a_budget_that_is_written_off_counts_as_spent(ledger):
    draw(ledger, 0.1, None, fingerprint="f")
    ledger.write_off("people", "the ledger was lost")
    with pytest.raises(BudgetExceeded, match="the ledger was lost"):
        draw(ledger, 0, None)
    assert ledger.remaining("people") == Amount(0, 0)
    assert (ledger.budget("people").left, ledger.budget("people").used) == ("nothing", 1)
    ledger.verify()


def test_a_member_of_a_team_is_not_revoked_in_appearance_only(ledger):
    ledger.share("people", "ana", "0.5")
    ledger.share("people", "lab", "0.5")
    ledger.team("people", "lab", ["ana"])
    with pytest.raises(InvalidParameter, match="take them out of it"):
        ledger.revoke("people", "ana")
    ledger.team("people", "lab", [])
    ledger.revoke("people", "ana")
    assert ledger.remaining("people", "ana").epsilon == 0


@pytest.mark.parametrize("members", [["ana", 5], [None], [""], ["\ud800"]])
def test_what_is_no_name_is_no_member(ledger, members):
    ledger.share("people", "lab", "0.5")
    with pytest.raises(InvalidParameter):
        ledger.team("people", "lab", members)
    assert ledger.teams("people") == {}


def test_a_share_of_everybody_is_given_with_its_allowance_or_not_at_all(ledger):
    before = ledger.verify()
    for daily in (0, -1, "x"):
        with pytest.raises(InvalidParameter):
            ledger.open_to_everybody("people", "0.5", daily)
    with pytest.raises(InvalidParameter):
        ledger.open_to_everybody("people", 10**9, "0.1")
    with pytest.raises(InvalidParameter):
        ledger.open_to_everybody("people", "0.5", "0.1", until="2000-01-01")
    assert ledger.verify() == before
    ledger.open_to_everybody("people", "0.5", "0.1")
    assert ledger.allowance("people", "public") == Amount.limit("0.1")
    assert ledger.all_shares("people")["public"].limit == Amount.limit("0.5")
    assert ledger.verify()[0] == before[0] + 2


def test_a_door_that_was_closed_to_everybody_is_not_opened_by_a_share_alone(ledger):
    """Its old allowance is still there: a share for a team of that name would let strangers in."""
    ledger.open_to_everybody("people", "0.5", "0.1")
    ledger.revoke("people", "public")
    with pytest.raises(InvalidParameter, match="open_to_everybody"):
        ledger.share("people", "public", "0.5")
    assert ledger.all_shares("people")["public"].revoked
    ledger.open_to_everybody("people", "0.5", "0.2")
    assert not ledger.all_shares("people")["public"].revoked
    assert ledger.allowance("people", "public") == Amount.limit("0.2")
