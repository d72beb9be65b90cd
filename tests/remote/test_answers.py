from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.errors import ServerUnavailable
from dalenius.guarantees import PureDP
from dalenius.remote.answers import RemoteExplanation, read_amount, read_release
from dalenius.server.answers import answer_json, explanation_json
from tests.remote.ways import Embedded


@pytest.fixture
def db(tmp_path):
    return Embedded(tmp_path).open("ann")


@pytest.mark.parametrize("answer", [{}, None, [], {"form": "answer"}, {"form": "answer", "release": 7}, {"form": "x"}])
def test_an_answer_of_another_form_is_refused_by_name(answer):
    with pytest.raises(ServerUnavailable, match="form"):
        read_release(answer)


def test_an_answer_comes_back_as_it_was(db):
    here = db.sql("SELECT ward, SUM(cost) AS s FROM visits GROUP BY ward", epsilon=1)
    assert read_release(answer_json(here)) == here


def test_a_repeated_answer_says_that_it_was_free_there_and_here(db):
    first, again = (db.sql("SELECT COUNT(*) AS n FROM visits", epsilon="0.7") for _ in range(2))
    assert first.to_dict() == again.to_dict()  # what is released is the same
    assert [read_release(answer_json(one) | {"repeated": one.receipt.repeated}).paid for one in (first, again)] == [
        "cost ε = 0.7",
        "cost ε = 0.7, paid before: free this time",
    ]


def test_an_explanation_comes_back_as_it_was_line_by_line(db):
    here = db.explain("SELECT AVG(cost) AS m, COUNT(*) AS n FROM visits", epsilon="1/3")
    there = RemoteExplanation.read(explanation_json(here) | {"known": False})
    assert there.lines == here.lines
    assert (str(there), there.to_dict(), there.unit) == (str(here), here.to_dict(), here.unit)
    assert there.guarantee == PureDP("1/3")  # what the ledger would charge


def test_what_is_paid_besides_is_told_exactly_and_is_nothing_from_a_server_that_does_not_say_it(db):
    here = replace(db.explain("SELECT COUNT(*) AS n FROM visits", epsilon=1), profile=Fraction(1, 3))
    told = explanation_json(here) | {"known": False}
    assert RemoteExplanation.read(told).profile == Fraction(1, 3)
    del told["facts"]["profile"]
    assert RemoteExplanation.read(told).profile == 0


def test_a_budget_is_read_exactly():
    assert read_amount({"epsilon": "0.3", "delta": "0.000001"}).delta == Fraction(1, 10**6)


@pytest.mark.parametrize("bad", ["1/0", "x", None, [], {}, "1e999999999"])
def test_whatever_a_hostile_server_sends_is_one_kind_of_error_and_takes_no_time(db, bad):
    here = db.explain("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    told = explanation_json(here) | {"known": False}
    line = told["lines"][0]
    for one in (told | {"lines": [bad]}, told | {"lines": [line | {"sensitivity": bad}]}, told | {"facts": bad}):
        with pytest.raises(ServerUnavailable, match="form"):
            RemoteExplanation.read(one)
    for stored in ({"epsilon": bad, "delta": "0"}, bad):
        with pytest.raises(ServerUnavailable, match="form"):
            read_amount(stored)


@pytest.mark.parametrize("changed", [{"version": 1, "notion": "pure", "epsilon": "1/0"}, {"version": 99}, "x", None])
def test_a_broken_price_in_an_answer_is_one_kind_of_error(db, changed):
    sent = answer_json(db.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1))
    sent["release"]["receipt"]["guarantee"] = changed
    with pytest.raises(ServerUnavailable, match="form"):
        read_release(sent)


@pytest.mark.parametrize("huge", ["1e999999999", "1E-999999999", "1e9_9_9_9_9_9_9_9", "1e5000", "1/1e9"])
def test_no_number_of_an_answer_is_written_out_before_its_length_is_known(db, huge):
    """Every number that an answer holds as a text, one after the other."""
    sent = answer_json(db.sql("SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward", epsilon=1))
    column = sent["release"]["outcome"]["columns"][0]
    places = [(column["mechanism"], name) for name in column["mechanism"] if name not in ("name", "lattice")]
    places += [(sent["release"]["receipt"]["guarantee"], "epsilon")]
    assert len(places) >= 2
    for place, name in places:
        before, place[name] = place[name], huge
        with pytest.raises(ServerUnavailable, match="form"):
            read_release(sent)
        place[name] = before
    read_release(sent)
