import pytest

from dalenius.sql.engine.duckdb.engine import DuckDB
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, hospital

ASK = {"sql": COUNT, "epsilon": "0.1", "delta": "", "purpose": ""}


def test_the_price_stands_on_the_button_and_a_second_click_is_the_same_charge(visitor, ledger):
    ann = visitor()
    explained = ann.post("/tables/visits/explain", **ASK)
    assert "Spend ε = 0.1" in explained.text
    assert ledger.entries("visits") == []
    retry = ann.field(explained, "retry")
    first, second = (ann.post("/tables/visits/ask", **ASK, retry=retry) for _ in range(2))
    assert (first.status_code, len(ledger.entries("visits"))) == (200, 1)
    assert first.text == second.text
    assert "for nothing" in ann.post("/tables/visits/explain", **ASK).text


def test_a_refusal_keeps_what_was_written(visitor):
    answer = visitor().post("/tables/visits/explain", **ASK | {"sql": "SELECT <script> FROM visits"})
    assert answer.status_code == 400
    assert "&lt;script&gt;" in answer.text
    assert "<script>" not in answer.text


def test_a_failure_after_the_charge_is_one_page_from_which_the_same_key_asks_again(visitor, ledger, monkeypatch):
    ann = visitor()
    retry = ann.field(ann.post("/tables/visits/explain", **ASK), "retry")

    def fail(*_):
        raise RuntimeError("patient p3")

    with monkeypatch.context() as broken:
        broken.setattr(DuckDB, "_run", fail)
        waiting = ann.post("/tables/visits/ask", **ASK, retry=retry)
    assert (waiting.status_code, ann.field(waiting, "retry"), "p3" in waiting.text) == (202, retry, False)
    assert ann.post("/tables/visits/ask", **ASK, retry=retry).status_code == 200
    assert len(ledger.entries("visits")) == 1


def test_a_request_reaches_the_owner(visitor, ledger):
    visitor(name="ann").post("/tables/visits/request", **ASK)
    (asked,) = ledger.requests("visits")
    assert (asked.analyst, asked.text, asked.state) == ("ann", COUNT, "open")


@pytest.mark.parametrize("path", ["/tables/staff", "/tables/nothing", "/tables/staff/build"])
def test_a_foreign_table_is_not_there(visitor, path):
    assert visitor().get(path).status_code == 404


def test_a_viewer_sees_which_tables_there_are_and_asks_none(visitor):
    viewer = visitor("viewer")
    assert "visits" in viewer.get("/").text
    assert viewer.get("/tables/visits").status_code == 403


def test_what_was_picked_stands_in_the_editor(visitor):
    ann = visitor()
    answer = ann.get("/tables/visits/build?what=mean&column=cost&by=ward")
    assert answer.status_code == 303
    assert "AVG(&#34;cost&#34;)" in ann.get(answer.headers["location"]).text


def test_hostile_names_are_text(visitor, ledger):
    name = "<img src=x onerror=alert(1)>"
    olga = visitor("owner", name=name)
    for path in ("/", "/tables/visits", "/tables/visits/govern"):
        assert name not in olga.get(path).text


def test_what_is_paid_once_for_all_questions_stands_in_the_price_and_is_spent_with_it(tmp_path):
    app, ledger, _ = hospital(tmp_path, contributions=None)
    ann = Visitor(app, ledger.create_key("ann", "analyst", ["visits"])[0])
    explained = ann.post("/tables/visits/explain", **ASK)
    assert "Spend ε = 0.1 and, once for all questions, ε = 0.2</button>" in explained.text
    assert "<dd>ε = 9.7," in explained.text
    named = {name: ann.field(explained, name) for name in ("retry", "profile")}
    unnamed = ann.post("/tables/visits/ask", **ASK, retry=named["retry"])
    assert (unnamed.status_code, ledger.entries("visits")) == (400, [])
    assert ann.post("/tables/visits/ask", **ASK, **named).status_code == 200
    assert [(one.label, one.guarantee.epsilon(0)) for one in ledger.entries("visits")] == [
        ("profile", 0.2),
        (None, 0.1),
    ]
    again = ann.post("/tables/visits/explain", **ASK | {"epsilon": "0.3"})
    assert "Spend ε = 0.3</button>" in again.text
