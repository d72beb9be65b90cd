import re

import pytest

from dalenius.server.desk import SavedQuestion
from dalenius.sql.engine.duckdb.engine import DuckDB
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, hospital

MEAN = "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward"


@pytest.fixture
def board(app):
    """A dashboard of somebody's, with two questions."""

    def made(who="ann", *questions):
        desk = app.state.served.desk
        place = desk.make("visits", who, "Wards")
        for sql in questions or (COUNT, MEAN):
            desk.add_tile("visits", who, place.id, SavedQuestion.of("", sql, "0.1", ""))
        return f"/tables/visits/dashboards/{place.id}"

    return made


def spend(visitor, place, **fields):
    page = visitor.get(place)
    said = {"retry": visitor.field(page, "retry"), "yes": visitor.field(page, "yes").replace("&#39;", "'")}
    return visitor.post(f"{place}/refresh", **said | fields)


def test_looking_costs_nothing_and_a_yes_costs_what_the_page_said(visitor, ledger, board):
    ann, place = visitor(name="ann"), board()
    page = ann.get(place).text
    assert "2 of 2 questions wait" in page
    assert "Spend ε = 0.2 and show them" in page
    assert "Error of n" in page
    assert ledger.entries("visits") == []
    assert spend(ann, place).status_code == 303
    assert len(ledger.entries("visits")) == 2
    shown = ann.get(place).text
    assert shown.count('class="answer"') == 2
    assert "wait for your yes" not in shown
    assert ann.get(place).text.count('class="answer"') == 2
    assert len(ledger.entries("visits")) == 2


def test_one_question_is_asked_alone(visitor, ledger, board):
    ann, place = visitor(name="ann"), board()
    page = ann.get(place).text
    mark = re.findall('name="tile" value="([0-9a-f]+)"', page)[0]
    yes = next(one for one in re.findall('name="yes" value="([^"]+)"', page) if one.startswith(mark) and ";" not in one)
    ann.post(f"{place}/refresh", tile=mark, yes=yes, retry="r")
    assert len(ledger.entries("visits")) == 1
    assert "1 of 2 questions wait" in ann.get(place).text


@pytest.mark.parametrize("yes", ["", "x=ε = 0.1", None])
def test_a_yes_to_another_price_spends_nothing(visitor, ledger, board, yes):
    ann, place = visitor(name="ann"), board()
    said = ann.field(ann.get(place), "yes").replace("0.1", "0.01") if yes is None else yes
    answer = spend(ann, place, yes=said)
    assert (answer.status_code, ledger.entries("visits")) == (409, [])


def test_a_form_without_the_pages_own_token_spends_nothing(visitor, ledger, board):
    ann, place = visitor(name="ann"), board()
    said = ann.field(ann.get(place), "yes")
    for path in ("refresh", "publish", "withdraw", "drop", "remove"):
        assert ann.post(f"{place}/{path}", token="0" * 64, yes=said, retry="r").status_code == 403
    assert ledger.entries("visits") == []


def test_a_new_version_waits_for_a_yes_and_shows_the_old_answer_meanwhile(app, visitor, ledger, board):
    from dataclasses import replace

    from dalenius.server import Catalog
    from dalenius.sql import Session

    ann, place = visitor(name="ann"), board("ann", COUNT)
    spend(ann, place)
    old = app.state.served.catalog
    session = old._tables["visits"]
    newer = Session(session._engine, replace(session.policy, version="2"), ledger)
    app.state.served.catalog = Catalog([newer], ledger)
    page = ann.get(place).text
    assert "1 of 1 questions wait" in page
    assert "of an earlier version" in page
    assert page.count('class="answer"') == 1
    assert len(ledger.entries("visits")) == 1
    spend(ann, place)
    assert len(ledger.entries("visits")) == 2
    assert "earlier version" not in ann.get(place).text


def test_a_late_answer_keeps_its_key(visitor, ledger, board, monkeypatch):
    ann, place = visitor(name="ann"), board("ann", COUNT)
    page = ann.get(place)
    said = {"retry": ann.field(page, "retry"), "yes": ann.field(page, "yes")}

    def fail(*_):
        raise RuntimeError("patient p3")

    with monkeypatch.context() as broken:
        broken.setattr(DuckDB, "_run", fail)
        waiting = ann.post(f"{place}/refresh", **said)
    assert (waiting.status_code, ann.field(waiting, "retry"), "p3" in waiting.text) == (202, said["retry"], False)
    ann.post(f"{place}/refresh", **said)
    assert len(ledger.entries("visits")) == 1


def test_a_dashboard_is_its_makers_alone(visitor, board):
    place = board("ann")
    bob = visitor(name="bob")
    for answer in (bob.get(place), bob.post(f"{place}/refresh", yes="", retry=""), bob.post(f"{place}/drop", tile="x")):
        assert answer.status_code == 400
    assert "Wards" not in bob.get("/tables/visits/dashboards").text


def test_dashboards_are_made_changed_and_thrown_away(visitor, ledger):
    ann = visitor(name="ann")
    place = ann.post("/tables/visits/dashboards", title="Beds <b>").headers["location"]
    assert "Beds &lt;b&gt;" in ann.get("/tables/visits/dashboards").text
    ann.post("/tables/visits/save", title="", sql=COUNT, epsilon="0.1", delta="", dashboard=place.rpartition("/")[2])
    mark = re.search('name="tile" value="([0-9a-f]+)"', ann.get(place).text)[1]
    ann.post(f"{place}/drop", tile=mark)
    assert "No question yet" in ann.get(place).text
    ann.post(f"{place}/remove")
    assert ann.get(place).status_code == 400


def test_a_question_that_is_refused_stands_beside_the_others(visitor, board):
    page = visitor(name="ann").get(board("ann", COUNT, "SELECT * FROM visits")).text
    assert "1 of 2 questions wait" in page
    assert 'class="refused"' in page


def test_only_an_owner_publishes_and_only_what_is_answered(visitor, ledger, board):
    ann, olga = visitor(name="ann"), visitor("owner", name="olga")
    theirs, own = board("ann"), board("olga")
    assert ann.post(f"{theirs}/publish").status_code == 403
    assert olga.post(f"{own}/publish").status_code == 400
    assert ledger.published() == []
    spend(olga, own)
    assert olga.post(f"{own}/publish").status_code == 303
    (page,) = ledger.published("visits")
    assert (page.title, len(page.tiles)) == ("Wards", 2)
    assert {tile.receipt for tile in page.tiles} == {entry.hash for entry in ledger.entries("visits")}
    olga.post(f"{own}/remove")
    place = f"{own}/withdraw"
    assert place in olga.get("/tables/visits/govern").text
    assert olga.post(place).headers["location"] == "/tables/visits/govern#pages"
    assert ledger.published() == []


def test_a_yes_buys_what_its_price_names_once_though_two_questions_need_it(tmp_path):
    app, ledger, _ = hospital(tmp_path, contributions=None)
    ann, desk = Visitor(app, ledger.create_key("ann", "analyst", ["visits"])[0]), app.state.served.desk
    made = desk.make("visits", "ann", "Wards")
    for sql in (COUNT, MEAN):
        desk.add_tile("visits", "ann", made.id, SavedQuestion.of("", sql, "0.1", ""))
    place = f"/tables/visits/dashboards/{made.id}"
    assert "Spend at most ε = 0.6 and show them" in ann.get(place).text
    assert spend(ann, place).status_code == 303
    assert [entry.label for entry in ledger.entries("visits")] == ["profile", None, None]
