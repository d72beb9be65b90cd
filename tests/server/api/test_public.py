import threading

import pytest
from fastapi.responses import JSONResponse

from dalenius.curator import Curator
from dalenius.errors import LedgerMismatch
from dalenius.server import Settings
from dalenius.server.console import asking
from dalenius.server.console.public_ask import ask_for_everybody
from tests.server.hospital import COUNT, Caller, hospital

TABLE = "/api/public/tables/visits"
ASK = {"sql": COUNT, "epsilon": "0.1"}


@pytest.fixture
def stranger(app, ledger):
    ledger.open_to_everybody("visits", "1", "0.5")
    return Caller(app)


def test_nothing_is_open_unless_an_owner_opens_it(app):
    stranger = Caller(app)
    assert stranger("GET", "/api/public").json() == {"pages": [], "tables": []}
    assert stranger("GET", TABLE).status_code == 404
    assert stranger("POST", f"{TABLE}/query", json=ASK).status_code == 404


def test_a_page_shows_what_is_stored_under_its_receipts(app, ledger, caller):
    olga, stranger = caller("owner", "olga"), Caller(app)
    place = "/api/datasets/visits/dashboards"
    board = olga("POST", place, json={"title": "Wards"}).json()["id"]
    olga("POST", f"{place}/{board}/questions", json=ASK)
    answer = olga.ask().json()
    olga("PUT", f"{place}/{board}/publication")
    (page,) = stranger("GET", "/api/public").json()["pages"]
    assert (page["id"], page["title"], page["answers"]) == (board, "Wards", 1)
    (shown,) = stranger("GET", f"/api/public/pages/{board}").json()["answers"]
    for name in ("columns", "rows", "guarantee", "protects", "statement", "receipt"):
        assert shown["answer"][name] == answer[name]
    assert stranger("GET", "/api/public/pages/0").status_code == 404


def test_everybody_asks_of_one_share_and_what_one_has_paid_all_get(stranger, ledger):
    open_table = stranger("GET", TABLE).json()
    assert (open_table["daily"]["epsilon"], open_table["share"]["epsilon"]) == ("0.5", "1")
    assert "ward" in str(open_table["description"])
    explained = stranger("POST", f"{TABLE}/explain", json=ASK).json()
    assert (explained["price"], explained["known"]) == ("ε = 0.1", False)
    assert ledger.entries("visits") == []
    first = stranger("POST", f"{TABLE}/query", json=ASK, headers={"Idempotency-Key": "k"})
    assert stranger("POST", f"{TABLE}/query", json=ASK).json() == first.json()
    (entry,) = ledger.entries("visits")
    assert (entry.analyst, entry.purpose) == ("public", "asked in public")
    assert stranger("POST", f"{TABLE}/query", json=ASK | {"epsilon": "0.45"}).status_code == 402


@pytest.mark.parametrize(
    "question",
    [
        {"sql": f"CREATE PRIVATE VIEW v AS {COUNT}", "epsilon": "0.1"},
        {"sql": COUNT, "epsilon": "0.001"},
        {"sql": COUNT, "epsilon": "0.1", "delta": "1e-9"},
    ],
)
def test_what_strangers_could_leave_behind_is_refused(stranger, ledger, question):
    assert stranger("POST", f"{TABLE}/query", json=question).status_code == 400
    assert ledger.entries("visits") == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_page_of_another_site_cannot_make_its_readers_ask(stranger, ledger, kind):
    """Browsers send these types, or none, to any site without asking it first."""
    body = b'{"sql": "SELECT COUNT(*) FROM visits", "epsilon": "0.1"}'
    answer = stranger("POST", f"{TABLE}/query", content=body, headers={"Content-Type": kind} if kind else None)
    assert answer.status_code == 422
    assert ledger.entries("visits") == []


def test_an_address_asks_so_often_and_no_more(tmp_path):
    app, ledger, _ = hospital(tmp_path, settings=Settings(public_questions_per_hour=1, public_per_minute=6))
    ledger.open_to_everybody("visits", "1", "0.5")
    stranger = Caller(app)
    answers = [stranger("POST", f"{TABLE}/query", json=ASK | {"epsilon": price}) for price in ("0.1", "0.11", "0.1")]
    assert [answer.status_code for answer in answers] == [200, 429, 200]
    assert [stranger("GET", "/api/public").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_the_key_of_one_stranger_keeps_no_other_from_their_question(stranger, ledger):
    """All strangers are one asker, so their keys meet: a key counts for its question alone."""
    key = {"Idempotency-Key": "1"}
    assert stranger("POST", f"{TABLE}/query", json=ASK, headers=key).status_code == 200
    other = stranger("POST", f"{TABLE}/query", json={"sql": COUNT, "epsilon": "0.2"}, headers=key)
    assert (other.status_code, len(ledger.entries("visits"))) == (200, 2)


def test_a_share_of_everybodys_name_opens_no_door(stranger, ledger, caller):
    """A door that was closed keeps its allowance: a share given to a team of that name would open it again."""
    olga = caller("owner", "olga")
    assert olga("DELETE", "/api/datasets/visits/public").status_code == 204
    assert olga("PUT", "/api/datasets/visits/shares/public", json={"epsilon": "3"}).status_code == 400
    assert stranger("GET", TABLE).status_code == 404


def test_a_question_whose_answer_is_late_is_one_charge_however_many_strangers_ask_it_again(app, ledger, monkeypatch):
    ledger.open_to_everybody("visits", "1", "0.5")
    run, tries = Curator._run, []

    def late_at_first(self, plan):
        tries.append(plan)
        if len(tries) < 3:
            raise RuntimeError
        return run(self, plan)

    monkeypatch.setattr(Curator, "_run", late_at_first)
    answers = [Caller(app)("POST", f"{TABLE}/query", json=ASK, headers={"Idempotency-Key": key}) for key in "abc"]
    assert [one.status_code for one in answers] == [202, 202, 200]
    assert len(ledger.entries("visits")) == 1
    assert len(ledger.log("visits", kind="reserve")) == 1


def test_a_key_that_stands_for_other_terms_keeps_nobody_from_asking(app, ledger, monkeypatch):
    """The owner changed the bounds, and not the version: the same words are another question, and asked as one."""
    asked = []

    def first_mismatched(session, form, who):
        asked.append(form["retry"])
        if form["retry"]:
            raise LedgerMismatch("used for another question")
        return "answer"

    monkeypatch.setattr(asking, "ask", first_mismatched)
    _, key = ledger.create_key("ann", "analyst", ["visits"])
    session = app.state.served.catalog.session("visits", key)
    assert ask_for_everybody(session, {"sql": COUNT, "epsilon": "0.1"}) == "answer"
    assert [len(one) for one in asked] == [64, 0]


def test_answers_become_text_in_the_thread_of_their_work(stranger, monkeypatch):
    """On the loop, a long answer would keep those of others from leaving at their moments."""
    render, loops = JSONResponse.render, []

    def rendered(self, content):
        loops.append(threading.current_thread() is threading.main_thread())
        return render(self, content)

    monkeypatch.setattr(JSONResponse, "render", rendered)
    for _ in range(2):  # paid, and known
        assert stranger("POST", f"{TABLE}/query", json=ASK).status_code == 200
    assert loops == [False, False]
