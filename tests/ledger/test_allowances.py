from datetime import UTC, datetime

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, SQLiteStore


class Days:
    """A clock that a test turns."""

    def __init__(self):
        self.day = 1

    def __call__(self):
        return datetime(2026, 1, self.day, 12, tzinfo=UTC)


@pytest.fixture
def clock():
    return Days()


@pytest.fixture
def ledger(tmp_path, clock):
    book = Ledger(SQLiteStore(tmp_path / "x.ledger"), clock)
    book.create("people", 10, unit="person")
    book.open_to_everybody("people", 1, "0.25")
    return book


def draw(ledger, epsilon, question, analyst="public"):
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="person", analyst=analyst, fingerprint=question)


def test_a_day_is_capped_exactly_and_the_next_day_begins_anew(ledger, clock):
    draw(ledger, 0.1, "a")
    draw(ledger, 0.15, "b")
    with pytest.raises(BudgetExceeded, match="a day"):
        draw(ledger, "0.000000000001", "c")
    clock.day = 2
    draw(ledger, 0.25, "d")
    with pytest.raises(BudgetExceeded, match="a day"):
        draw(ledger, 0.01, "e")
    ledger.verify()


def test_a_clock_that_is_put_back_opens_no_day_again(ledger, clock):
    clock.day = 3
    draw(ledger, 0.25, "a")
    clock.day = 1
    with pytest.raises(BudgetExceeded):
        draw(ledger, 0.25, "b")


def test_the_share_holds_over_all_days(ledger, clock):
    for day in range(1, 5):
        clock.day = day
        draw(ledger, 0.25, f"day {day}")
    clock.day = 5
    with pytest.raises(BudgetExceeded, match="share"):
        draw(ledger, 0.25, "more")


def test_what_is_left_is_the_least_of_day_share_and_budget(ledger, clock):
    draw(ledger, 0.1, "a")
    assert float(ledger.remaining("people", "public").epsilon) == 0.15
    assert not ledger.admits(PureDP(0.2), dataset="people", analyst="public")
    clock.day = 2
    assert float(ledger.remaining("people", "public").epsilon) == 0.25
    assert ledger.admits(PureDP(0.2), dataset="people", analyst="public")


def test_answers_of_others_are_drawn_from_the_day_too(ledger):
    class Answer:
        def to_dict(self):
            return {}

    for number in range(3):
        ledger.commit(draw(ledger, 0.1, f"q{number}", analyst=None), Answer())
    draw(ledger, 0.1, "q0")
    draw(ledger, 0.1, "q1")
    with pytest.raises(BudgetExceeded, match="a day"):
        draw(ledger, 0.1, "q2")
    ledger.verify()


def test_an_allowance_is_lifted_and_needs_a_share(ledger):
    ledger.allow_daily("people", "public", None)
    draw(ledger, 0.5, "a")
    assert ledger.allowance("people", "public") is None
    with pytest.raises(UnknownName):
        ledger.allow_daily("people", "nobody", 1)
    with pytest.raises(InvalidParameter):
        ledger.allow_daily("people", "public", 0)
    ledger.verify()


def test_a_question_without_a_plain_price_is_refused(tmp_path):
    book = Ledger.open(tmp_path / "y.ledger")
    book.create("people", 10, "1e-6", unit="person", filter="gaussian")
    book.open_to_everybody("people", 1, 1, "1e-7")
    with pytest.raises(BudgetExceeded, match="plain"):
        book.reserve(PureDP("0.001"), dataset="people", unit="person", analyst="public", fingerprint="q")
    assert book.entries("people") == []


def test_no_team_lets_anybody_out_of_their_days(ledger):
    for name in ("ann", "team"):
        ledger.share("people", name, 1)
    ledger.allow_daily("people", "ann", "0.25")
    with pytest.raises(InvalidParameter, match="allowance"):
        ledger.team("people", "team", ["ann"])
    for name, members in (("team", ["public"]), ("public", ["bob"])):
        with pytest.raises(InvalidParameter, match="everybody"):
            ledger.team("people", name, members)
    ledger.allow_daily("people", "ann", None)
    ledger.team("people", "team", ["ann"])
    with pytest.raises(InvalidParameter, match="cap the days of the team"):
        ledger.allow_daily("people", "ann", "0.25")
    ledger.allow_daily("people", "team", "0.25")
    with pytest.raises(BudgetExceeded, match="a day"):
        draw(ledger, 0.3, "a", "ann")
    ledger.verify()
