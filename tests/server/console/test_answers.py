import io
import re

import pyarrow as pa
import pytest

from tests.server.console.test_tables import ASK


@pytest.fixture
def asked(visitor):
    """Somebody who asked, and the place of their answer."""
    ann = visitor(name="ann")
    shown = ann.post("/tables/visits/ask", **ASK)
    return ann, re.search(r'"(/tables/visits/answers/[0-9a-f]{64})/chart.svg"', shown.text)[1]


def test_an_answer_is_shown_again_by_its_receipt_for_nothing(asked, ledger):
    ann, place = asked
    again = ann.get(place)
    assert "COUNT(*)" in again.text
    assert "0.1-differential privacy" in again.text
    assert len(ledger.entries("visits")) == 1


def test_every_file_carries_the_privacy_statement(asked):
    ann, place = asked
    csv, json, arrow = (ann.get(f"{place}/answer.{kind}") for kind in ("csv", "json", "arrow"))
    assert csv.text.startswith("ward,n,n_lower,n_upper,privacy\n")
    assert csv.text.count("0.1-differential privacy") == 2
    assert place.rpartition("/")[2] in csv.text
    assert "each patient" in json.json()["statement"]
    table = pa.ipc.open_stream(io.BytesIO(arrow.content)).read_all()
    assert b"0.1-differential privacy" in table.schema.metadata[b"privacy"]
    for answer in (csv, json, arrow):
        assert answer.headers["content-disposition"].startswith("attachment")


def test_an_answer_is_there_for_those_who_have_seen_it(asked, visitor):
    ann, place = asked
    bob, olga = visitor(name="bob"), visitor("owner", name="olga")
    for path in (place, f"{place}/answer.csv", f"{place}/chart.svg"):
        assert bob.get(path).status_code == 404
        assert olga.get(path).status_code == 200
    assert ann.get(f"{place}/answer.exe").status_code == 404
    assert ann.get("/tables/visits/answers/..%2f..%2fetc").status_code in (404, 422)


def test_only_answers_that_were_seen_are_downloaded(visitor, ledger):
    ann = visitor()
    assert ann.post("/tables/visits/download/csv", **ASK).status_code == 404
    assert ledger.entries("visits") == []
    ann.post("/tables/visits/ask", **ASK)
    csv, json = (ann.post(f"/tables/visits/download/{kind}", **ASK) for kind in ("csv", "json"))
    assert csv.text.startswith("ward,n,n_lower,n_upper")
    assert json.json()["columns"] == ["ward", "n", "n_lower", "n_upper"]


def test_the_chart_is_a_picture_that_runs_nothing(asked):
    ann, place = asked
    picture = ann.get(f"{place}/chart.svg")
    assert (picture.headers["content-type"], picture.text[:4]) == ("image/svg+xml", "<svg")
    assert "default-src 'none'" in picture.headers["content-security-policy"]


def test_a_picture_is_drawn_once_and_few_are_kept(asked, monkeypatch):
    from dalenius.server.console import answers

    ann, place = asked
    drawn = []
    monkeypatch.setattr(answers.charts, "svg_text", lambda chart: drawn.append(1) or "<svg")
    monkeypatch.setattr(answers, "_PICTURES", {str(number): "" for number in range(answers._MOST_PICTURES)})
    for _ in range(3):
        assert ann.get(f"{place}/chart.svg").text == "<svg"
    assert (len(drawn), len(answers._PICTURES)) == (1, answers._MOST_PICTURES)


def test_what_somebody_else_wrote_into_the_same_question_is_not_shown(visitor, ledger):
    ann, bob, olga = visitor(name="ann"), visitor(name="bob"), visitor("owner")
    ann.post("/tables/visits/ask", **ASK | {"sql": ASK["sql"] + " -- for the case of Mr X"})
    shown = bob.post("/tables/visits/ask", **ASK)
    assert len(ledger.entries("visits")) == 1
    place = re.search(r'"(/tables/visits/answers/[0-9a-f]{64})/chart.svg"', shown.text)[1]
    told = [one.get(place).text for one in (ann, bob, olga)]
    assert ["Mr X" in text for text in told] == [True, False, True]
    assert "COUNT(*)" in told[1]
