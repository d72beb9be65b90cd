import re

import pytest

from tests.server.hospital import COUNT, Caller


@pytest.fixture
def olga(visitor):
    return visitor("owner", name="olga")


def test_a_share_is_given_and_revoked(olga, ledger):
    olga.post("/tables/visits/govern/share", analyst="ann", epsilon="0.5", delta="", until="2100-01-01")
    assert str(ledger.shares("visits")["ann"].epsilon) == "1/2"
    assert "ann" in olga.get("/tables/visits/govern").text
    olga.post("/tables/visits/govern/revoke", analyst="ann")
    assert ledger.shares("visits") == {}
    assert [one.by for one in ledger.log("visits", kind="share")] == ["olga"]


def test_a_refusal_stands_on_the_page_and_changes_nothing(olga, ledger):
    answer = olga.post("/tables/visits/govern/share", analyst="ann", epsilon="500")
    assert (answer.status_code, "more than" in answer.text, ledger.shares("visits")) == (400, True, {})


def test_a_key_is_shown_once_works_and_is_revoked(app, olga, ledger):
    made = olga.post("/tables/visits/govern/key", name="ann", role="analyst", until="")
    secret = re.search("dk_[A-Za-z0-9_-]+", made.text)[0]
    assert Caller(app, secret)("GET", "/api/datasets").status_code == 200
    again = olga.get("/tables/visits/govern")
    assert secret not in again.text
    mark = ledger.holder(secret).fingerprint
    olga.post("/tables/visits/govern/revoke-key", fingerprint=mark)
    assert ledger.holder(secret) is None


def test_a_key_of_other_owners_is_out_of_reach(olga, ledger):
    _, foreign = ledger.create_key("fritz", "analyst", ["staff"])
    _, both = ledger.create_key("bea", "analyst", ["staff", "visits"])
    for key, status in ((foreign, 404), (both, 403)):
        assert olga.post("/tables/visits/govern/revoke-key", fingerprint=key.fingerprint).status_code == status
    assert all(not key.revoked for key in ledger.all_keys())


def test_requests_are_approved_and_declined(visitor, olga, ledger):
    ann = visitor(name="ann")
    for epsilon in ("3", "4"):
        ann.post("/tables/visits/request", sql=COUNT, epsilon=epsilon)
    first, second = ledger.requests("visits")
    olga.post("/tables/visits/govern/approve", request=first.id)
    olga.post("/tables/visits/govern/decline", request=second.id, reason="too dear")
    assert [one.state for one in ledger.requests("visits")] == ["approved", "declined"]


def test_the_log_is_filtered_and_the_chain_verified(visitor, olga):
    visitor(name="ann").post("/tables/visits/ask", sql=COUNT, epsilon="0.1", purpose="beds")
    page = olga.get("/tables/visits/govern?kind=reserve&containing=BEDS").text
    assert "1 entries." in page
    assert "COUNT(*)" in page
    assert "is whole" in olga.post("/tables/visits/govern/verify").text


def test_spending_is_a_picture(olga):
    answer = olga.get("/tables/visits/spending.svg")
    assert (answer.headers["content-type"], answer.text[:4]) == ("image/svg+xml", "<svg")


@pytest.mark.parametrize("role", ["analyst", "viewer"])
def test_only_owners_govern(visitor, ledger, role):
    somebody = visitor(role)
    before = ledger.verify()
    assert somebody.get("/tables/visits/govern").status_code == 403
    for path in ("share", "revoke", "approve", "decline", "key", "revoke-key", "verify"):
        answer = somebody.post(f"/tables/visits/govern/{path}", analyst="x", epsilon="1", name="x", role="owner")
        assert answer.status_code == 403
    assert ledger.verify() == before


def test_the_log_is_filtered_by_analyst_and_time(visitor, olga):
    visitor(name="ann").post("/tables/visits/ask", sql=COUNT, epsilon="0.1")
    for query, entries in (("analyst=ann", 1), ("analyst=bob", 0), ("until=2001-01-01", 0)):
        assert f"{entries} entries." in olga.get(f"/tables/visits/govern?{query}").text
    assert olga.get("/tables/visits/govern?since=yesterday").status_code == 400


def test_the_pace_of_spending_stands_on_the_page(visitor, olga):
    assert "nothing was spent" in olga.get("/tables/visits/govern").text
    visitor(name="ann").post("/tables/visits/ask", sql=COUNT, epsilon="0.1")
    assert "at this pace a year costs ε = 36.5" in olga.get("/tables/visits/govern").text


def test_the_policy_is_read_back_in_words(olga):
    page = olga.get("/tables/visits/govern/policy").text
    assert "patient" in page
    assert "Doubtful" in page or "Nothing in it is doubtful" in page


def test_a_chart_of_nobody_is_refused(olga, ledger):
    ledger.share("visits", "ann", 1)
    assert olga.get("/tables/visits/spending.svg?analyst=ann").status_code == 200
    assert olga.get("/tables/visits/spending.svg?analyst=bob").status_code == 400


def test_a_login_is_granted_and_taken_back_in_this_data_set_alone(olga, ledger):
    ledger.grant_login("proxy|ann", "ann", "viewer", ["staff"])
    olga.post("/tables/visits/govern/login", identity="proxy|ann", name="ann", role="analyst", until="")
    key = ledger.login("proxy|ann")
    assert {name: str(role) for name, role in key.roles.items()} == {"staff": "viewer", "visits": "analyst"}
    assert "proxy|ann" in olga.get("/tables/visits/govern").text
    olga.post("/tables/visits/govern/revoke-key", fingerprint=key.fingerprint)
    assert set(ledger.login("proxy|ann").roles) == {"staff"}


def test_every_entry_of_the_log_says_what_it_is_about(visitor, olga, ledger):
    from dalenius.ledger import Tile
    from dalenius.server.console.govern import said_of

    olga.post("/tables/visits/govern/public", epsilon="1", daily="0.25")
    olga.post("/tables/visits/ask", sql=COUNT, epsilon="0.1")
    ledger.publish("visits", "abc", "Beds", [Tile("x", ledger.entries("visits")[0].hash)])
    ledger.grant_login("proxy|ann", "ann", "viewer", ["visits"])
    said = {one.kind: said_of(one) for one in ledger.log("visits")}
    assert (said["allow"], said["publish"], said["login"]) == ("ε = 0.25 a day", "Beds", "proxy|ann")
    assert (said["share"], said["key"], said["reserve"]) == ("ε = 1", "olga, owner", COUNT)
    assert "ε = 0.25 a day" in olga.get("/tables/visits/govern").text


def test_a_purpose_cannot_make_the_owners_page_look_otherwise_than_it_is(olga, caller):
    ann = caller(name="ann")
    wish = {"sql": COUNT, "epsilon": "0.1", "purpose": "\u202ereversed\u202c<script>x</script>"}
    assert ann("POST", "/api/datasets/visits/requests", json=wish).status_code == 201
    page = olga.get("/tables/visits/govern").text
    assert "\u202e" not in page
    assert "<script>x" not in page
    assert "\\u202ereversed" in page


def test_a_key_and_a_login_are_changed_on_the_page(olga, ledger):
    secret, key = ledger.create_key("ann", "analyst", ["visits"])
    login = ledger.grant_login("https://id|1", "bob", "analyst", ["visits"])
    for mark in (key.fingerprint, login.fingerprint):
        assert (
            olga.post("/tables/visits/govern/change-key", fingerprint=mark, role="viewer", until="").status_code == 303
        )
    assert dict(ledger.holder(secret).roles) == dict(ledger.login("https://id|1").roles) == {"visits": "viewer"}
    assert olga.post("/tables/visits/govern/change-key", fingerprint="0" * 32, role="owner").status_code == 400
