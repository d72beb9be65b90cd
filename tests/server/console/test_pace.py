import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from dalenius.errors import UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Amount, Blocks, Ledger, SQLiteStore
from dalenius.server.console import pace

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)


@pytest.fixture
def book(tmp_path):
    """A ledger whose clock a test turns."""
    times = [NOW - timedelta(days=100)]
    ledger = Ledger(SQLiteStore(tmp_path / "x.ledger"), lambda: times[-1])
    ledger.times = times
    ledger.create("visits", 10, unit="patient")
    ledger.share("visits", "ann", 2)
    ledger.partition("visits", "wards", ["a", "b"], kind="attribute")
    return ledger


def charge(book, days_ago, epsilon, **terms):
    book.times.append(NOW - timedelta(days=days_ago))
    book.reserve(PureDP(epsilon), dataset="visits", unit="patient", fingerprint=str(days_ago), **terms)


def told(book):
    return pace.pace_of(book.entries("visits"), book.remaining("visits"), NOW)


def test_the_next_year_costs_what_the_last_thirty_days_did(book):
    charge(book, 90, 1)
    charge(book, 20, "0.2")
    charge(book, 5, "0.1")
    found = told(book)
    assert (found.days, found.spent, found.year) == (30, Fraction(3, 10), Fraction(3, 10) * 365 / 30)
    assert found.ends == (NOW + timedelta(days=870)).date().isoformat()  # 8.7 left at 0.01 a day
    assert "a year costs ε = 3.65," in str(found)


def test_a_young_budget_is_judged_by_the_days_it_has(book):
    charge(book, 1, "0.2")
    assert (told(book).days, told(book).year) == (2, Fraction(2, 10) / 2 * 365)


def test_nothing_spent_costs_nothing(book):
    assert str(pace.pace_of([], Amount.limit(1), NOW)) == "In the last day nothing was spent."
    charge(book, 60, "0.2")
    assert "In the last 30 days nothing was spent" in str(told(book))


def lefts(monkeypatch, book, **terms):
    """What the chart shows as left after each charge."""
    drawn = []
    monkeypatch.setattr(pace.charts, "svg_text", lambda chart: drawn.append(chart.to_dict()) or "<svg")
    pace.burn_down(book, "visits", **terms)
    return [round(row["left"], 6) for row in next(iter(re_values(drawn[0])))]


def re_values(chart):
    yield chart["data"]["values"] if "values" in chart["data"] else chart["datasets"][chart["data"]["name"]]


def test_charts_are_of_the_data_set_an_analyst_or_a_block(book, monkeypatch):
    charge(book, 9, 1, analyst="ann")
    charge(book, 8, 2)
    charge(book, 7, 3, blocks=Blocks("wards", ("a",)))
    assert lefts(monkeypatch, book) == [10, 9, 7, 4]
    assert lefts(monkeypatch, book, analyst="ann") == [2, 1]
    assert lefts(monkeypatch, book, block="a") == [10, 9, 7, 4]
    assert lefts(monkeypatch, book, block="b") == [10, 9, 7, 7]


def test_what_nobody_declared_is_refused(book):
    for terms in ({"analyst": "bob"}, {"block": "c"}):
        with pytest.raises(UnknownName):
            pace.burn_down(book, "visits", **terms)


def test_a_picture_is_svg(book):
    assert re.match("<svg", pace.burn_down(book, "visits"))
