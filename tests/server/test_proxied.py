import asyncio

import httpx
import pytest

from dalenius.server.settings import Settings
from tests.server.hospital import hospital

HEADER = "X-Signed-In"


def sent(app, path, client="10.0.0.2", headers=None, cookies=None):
    async def send():
        transport = httpx.ASGITransport(app=app, client=(client, 5), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="https://ask.example", cookies=cookies) as caller:
            return await caller.get(path, headers=headers)

    return asyncio.run(send())


@pytest.fixture
def behind(tmp_path):
    settings = Settings(proxies=("10.0.0.2", "192.168.0.0/24"), trusted_header=HEADER)
    app, ledger, _ = hospital(tmp_path, settings=settings)
    ledger.grant_login("proxy|ann", "ann", "analyst", ["visits"])
    return app, ledger


def test_whom_a_declared_proxy_names_is_signed_in(behind):
    app, _ = behind
    entered = sent(app, "/login", headers={HEADER: "ann"})
    assert entered.status_code == 200
    assert "Secure" in entered.headers["set-cookie"]
    tables = sent(app, "/", headers={HEADER: "ann"}, cookies=entered.cookies)
    assert (tables.status_code, "visits" in tables.text) == (200, True)


@pytest.mark.parametrize("client", ["10.0.0.3", "127.0.0.1", "testclient"])
@pytest.mark.parametrize("path", ["/login", "/", "/api/health", "/api/datasets"])
def test_the_header_is_refused_from_anywhere_else(behind, client, path):
    answer = sent(behind[0], path, client=client, headers={HEADER: "ann"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_whom_no_owner_let_in_learns_the_name_to_ask_with(behind):
    answer = sent(behind[0], "/login", headers={HEADER: "<b>bob</b>"})
    assert answer.status_code == 403
    assert "proxy|&lt;b&gt;bob&lt;/b&gt;" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_cookie_of_somebody_else_ends_when_the_proxy_names_another(behind):
    app, ledger = behind
    ledger.grant_login("proxy|bob", "bob", "analyst", ["visits"])
    cookies = sent(app, "/login", headers={HEADER: "ann"}).cookies
    assert sent(app, "/", headers={HEADER: "bob"}, cookies=cookies).status_code == 303
    assert sent(app, "/", headers={HEADER: "ann"}, cookies=cookies).status_code == 200


@pytest.mark.parametrize("names", [[("x-signed-in", "ann"), ("x-signed-in", "olga")], [("x-signed-in", " ")]])
def test_two_names_or_none_are_refused(behind, names):
    assert sent(behind[0], "/login", headers=names).status_code == 403


def test_a_key_still_opens_the_interface_and_a_revoked_login_nothing(behind):
    app, ledger = behind
    secret, _ = ledger.create_key("prog", "analyst", ["visits"])
    assert sent(app, "/api/datasets", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    cookies = sent(app, "/login", headers={HEADER: "ann"}).cookies
    ledger.revoke_key(ledger.login("proxy|ann").fingerprint)
    assert sent(app, "/", headers={HEADER: "ann"}, cookies=cookies).status_code == 303
    assert sent(app, "/login", headers={HEADER: "ann"}).status_code == 403


def test_addresses_are_believed_of_declared_proxies_alone(behind, monkeypatch):
    seen = []
    monkeypatch.setattr("dalenius.server.console.public.address_of", lambda request: seen.append(request.client.host))
    for client in ("10.0.0.2", "192.168.0.7", "10.0.0.9"):
        sent(behind[0], "/public", client=client, headers={"X-Forwarded-For": "203.0.113.5"})
    assert seen == ["203.0.113.5", "203.0.113.5", "10.0.0.9"]
