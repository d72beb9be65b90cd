import time

import pytest

from dalenius.server.console import cookie as cookies
from tests.server.console.visitor import Visitor


def signed(app, visitor):
    ann = visitor(name="ann")
    return ann, ann.cookies[cookies.NAME]


def test_a_cookie_is_for_http_and_this_site_alone(app, ledger):
    secret, _ = ledger.create_key("ann", "analyst", ["visits"])
    told = Visitor(app).post("/login", key=secret).headers["set-cookie"]
    assert "HttpOnly" in told
    assert "SameSite=strict" in told
    assert secret not in told


@pytest.mark.parametrize("change", ["fingerprint", "end", "number", "mark", "short", "odd"])
def test_a_cookie_that_was_changed_names_nobody(app, ledger, visitor, change):
    _, value = signed(app, visitor)
    assert cookies.read(ledger, value, time.time()).key.name == "ann"
    parts = value.split(".")
    place = {"fingerprint": 0, "end": 1, "number": 2, "mark": 3}.get(change)
    if place is not None:
        parts[place] = str(int(parts[1]) + 999) if change == "end" else "0" * len(parts[place])
    forged = {"short": "a.b", "odd": "é.1.2.3"}.get(change, ".".join(parts))
    assert cookies.read(ledger, forged, time.time()) is None


def test_a_cookie_of_one_key_is_no_cookie_of_another(app, ledger, visitor):
    _, value = signed(app, visitor)
    _, other = ledger.create_key("olga", "owner", ["visits"])
    assert cookies.read(ledger, ".".join([other.fingerprint, *value.split(".")[1:]]), time.time()) is None


def test_a_cookie_ends_after_its_hours_and_with_its_key(app, ledger, visitor):
    ann, value = signed(app, visitor)
    assert cookies.read(ledger, value, time.time() + 3600 * cookies.HOURS + 1) is None
    assert ann.get("/").status_code == 200
    ledger.revoke_key(value.split(".")[0])
    assert ann.get("/").headers["location"] == "/login"


@pytest.mark.parametrize(
    "path",
    ["explain", "ask", "request", "download/csv", "govern/share", "govern/key", "govern/revoke", "govern/approve"],
)
def test_a_form_without_the_pages_own_token_does_nothing(ledger, visitor, path):
    olga, other = visitor("owner"), visitor("owner", name="other")
    before = ledger.verify()
    for token in ("", "0" * 64, other.token):
        olga.token = ""
        fields = {
            "sql": "SELECT COUNT(*) AS n FROM visits",
            "epsilon": "1",
            "analyst": "x",
            "name": "x",
            "role": "owner",
        }
        assert olga.post(f"/tables/visits/{path}", token=token, **fields).status_code == 403
    assert ledger.verify() == before


def test_a_form_of_another_type_is_not_read(app, visitor):
    import asyncio

    import httpx

    ann = visitor()

    async def send():
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server", cookies=ann.cookies) as client:
            return await client.post("/tables/visits/ask", json={"token": ann.token})

    assert asyncio.run(send()).status_code == 422
