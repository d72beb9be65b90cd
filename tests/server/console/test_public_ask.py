import asyncio
import re
import threading

import pytest

from dalenius.errors import InvalidParameter
from dalenius.server.console import public_ask
from dalenius.server.line import FREE_THREADS
from dalenius.server.settings import Settings
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, Caller, hospital

ASK = {"sql": COUNT, "epsilon": "0.1"}


class Stranger(Visitor):
    """Somebody without a key, on the page on which everybody may ask."""

    def __init__(self, app):
        super().__init__(app)
        self.page = self.get("/ask/visits")

    def ask(self, **fields):
        return self.post("/ask/visits/answer", **ASK | fields)


def opened(ledger, daily="0.25", share=1):
    ledger.open_to_everybody("visits", share, daily)


def test_nobody_asks_until_the_owner_opens_it_and_nobody_after_it_was_closed(app, ledger, visitor):
    assert Stranger(app).page.status_code == 404
    olga = visitor("owner", name="olga")
    assert "Strangers can drain" in olga.get("/tables/visits/govern").text
    assert olga.post("/tables/visits/govern/public", epsilon="1", daily="").status_code == 400
    olga.post("/tables/visits/govern/public", epsilon="1", daily="0.25", until="2100-01-01")
    assert Stranger(app).page.status_code == 200
    assert "/ask/visits" in Visitor(app).get("/public").text
    olga.post("/tables/visits/govern/public", close="1")
    assert Stranger(app).page.status_code == 404
    assert [one.by for one in ledger.log("visits", kind="allow")] == ["olga"]


def test_a_stranger_sees_the_price_spends_and_others_see_the_answer_for_nothing(app, ledger):
    opened(ledger)
    first, second = Stranger(app), Stranger(app)
    assert "Spend ε = 0.1 of everybody" in first.post("/ask/visits/explain", **ASK).text
    assert ledger.entries("visits") == []
    assert 'class="answer"' in first.ask().text
    (entry,) = ledger.entries("visits")
    assert (entry.analyst, entry.purpose) == ("public", "asked in public")
    assert "Show it, for nothing" in second.post("/ask/visits/explain", **ASK).text
    assert 'class="answer"' in second.ask().text
    assert len(ledger.entries("visits")) == 1


def test_a_day_holds_over_all_strangers_and_the_rest_of_the_budget_is_untouched(app, ledger):
    opened(ledger)
    assert Stranger(app).ask(epsilon="0.2").status_code == 200
    refused = Stranger(app).ask(epsilon="0.06")
    assert (refused.status_code, "a day" in refused.text) == (400, True)
    assert float(ledger.remaining("visits").epsilon) == 9.8


def test_answers_of_others_are_not_for_strangers(app, ledger, visitor):
    opened(ledger)
    ledger.share("visits", "ann", 1)
    visitor(name="ann").post("/tables/visits/ask", **ASK, delta="", purpose="")
    (entry,) = ledger.entries("visits")
    stranger = Stranger(app)
    assert stranger.get(f"/ask/visits/answers/{entry.hash}/answer.csv").status_code == 404
    assert stranger.get(f"/ask/visits/answers/{entry.hash}/chart.svg").status_code == 404
    stranger.ask()
    assert stranger.get(f"/ask/visits/answers/{entry.hash}/answer.csv").status_code == 200
    assert float(ledger.remaining("visits", "public").epsilon) == 0.15


@pytest.mark.parametrize("token", ["", "0" * 64])
def test_no_other_site_sends_the_form(app, ledger, token):
    opened(ledger)
    stranger = Stranger(app)
    stranger.token = ""
    assert stranger.post("/ask/visits/answer", token=token or None, **ASK).status_code == 403
    assert ledger.entries("visits") == []
    told = re.search("dalenius_public=.*", stranger.page.headers["set-cookie"])[0]
    assert "HttpOnly" in told
    assert "SameSite=strict" in told


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE PRIVATE VIEW v AS SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "CREATE SYNTHETIC TABLE s AS SELECT ward FROM visits",
    ],
)
def test_strangers_leave_nothing_behind(app, ledger, sql):
    opened(ledger)
    answer = Stranger(app).ask(sql=sql)
    assert (answer.status_code, ledger.entries("visits")) == (400, [])


def test_one_address_asks_so_often_an_hour_and_repeats_are_not_counted(tmp_path):
    app, ledger, _ = hospital(tmp_path, settings=Settings(public_questions_per_hour=2))
    opened(ledger, "1")
    stranger = Stranger(app)
    statuses = [stranger.ask(epsilon=epsilon).status_code for epsilon in ("0.1", "0.1", "0.2", "0.1", "0.3")]
    assert statuses == [200, 200, 200, 200, 429]
    assert len(ledger.entries("visits")) == 2


def test_a_closed_table_and_one_that_is_not_there_are_told_apart_by_nothing(app, ledger):
    opened(ledger)
    staff, nothing = (Visitor(app).get(f"/ask/{name}") for name in ("staff", "nothing"))
    assert (staff.status_code, staff.text) == (nothing.status_code, nothing.text) == (404, nothing.text)


def test_strangers_cannot_write_to_the_ledger_without_end(app, ledger):
    opened(ledger)
    stranger = Stranger(app)
    for epsilon in ("0.0001", "0.0024"):
        refused = stranger.ask(epsilon=epsilon)
        assert (refused.status_code, "at least ε = 0.0025" in refused.text) == (400, True)
    assert ledger.entries("visits") == []
    assert stranger.ask(epsilon="0.0025").status_code == 200


def test_nobody_holds_a_key_of_everybodys_name_or_draws_with_everybody(app, ledger, monkeypatch):
    opened(ledger)
    with pytest.raises(InvalidParameter, match="everybody"):
        ledger.create_key("public", "analyst", ["visits"])
    monkeypatch.setattr("dalenius.ledger.keyring.check_holder", lambda name: None)  # as versions before did
    old = Caller(app, ledger.create_key("public", "analyst", ["visits"])[0])
    view = "CREATE PRIVATE VIEW v AS SELECT ward FROM visits"
    assert old.ask(view).status_code == old.ask().status_code == 403
    assert ledger.entries("visits") == []
    assert Stranger(app).ask().status_code == 200


def test_strangers_who_explain_without_end_keep_nobody_from_signing_in(app, ledger, visitor, monkeypatch):
    opened(ledger)
    begun, held = threading.Semaphore(0), threading.Event()

    def endless(session, form):
        begun.release()
        held.wait(60)

    monkeypatch.setattr(public_ask, "explained", endless)
    stranger = Stranger(app)

    async def every():
        sent = [
            asyncio.create_task(stranger._send("POST", "/ask/visits/explain", {"token": stranger.token, **ASK}))
            for _ in range(FREE_THREADS + 1)
        ]
        await asyncio.to_thread(begun.acquire)
        page = await asyncio.wait_for(Visitor(app)._send("GET", "/public"), 30)
        held.set()
        await asyncio.gather(*sent)
        return page.status_code

    assert asyncio.run(every()) == 200


def test_strangers_buy_no_profile_whatever_their_form_says(tmp_path):
    app, ledger, _ = hospital(tmp_path, contributions=None)
    opened(ledger, daily="0.9", share=2)
    stranger = Stranger(app)
    assert "the owner has not bought" in stranger.post("/ask/visits/explain", **ASK).text
    assert stranger.ask(profile="9").status_code == 400
    assert ledger.entries("visits") == []
