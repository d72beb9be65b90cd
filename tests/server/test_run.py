import asyncio
from pathlib import Path

import httpx
import pytest

from dalenius.errors import InvalidParameter
from dalenius.server import run
from dalenius.server.run import LOOPBACK, check_listening, proxies_of
from tests.server.hospital import Caller, hospital

PEM = Path("x.pem")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_this_machine_alone_needs_no_encryption(host):
    check_listening(host, None, None, False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "server.example", "localhost.example"])
def test_other_machines_are_listened_to_only_where_something_encrypts(host):
    with pytest.raises(InvalidParameter, match="behind-proxy"):
        check_listening(host, None, None, False)
    check_listening(host, PEM, PEM, False)
    check_listening(host, None, None, True)


def test_half_of_what_tls_needs_is_refused():
    with pytest.raises(InvalidParameter, match="both"):
        check_listening("127.0.0.1", PEM, None, False)


def test_no_header_is_believed_but_by_the_app_itself(monkeypatch):
    given = {}
    monkeypatch.setattr(run.uvicorn, "run", lambda app, **terms: given.update(terms))
    run.serve(None, behind_proxy=True)
    assert given["proxy_headers"] is False


def test_a_proxy_is_believed_if_it_was_declared_or_is_on_this_machine():
    assert proxies_of("10.0.0.5", ["10.0.0.2"], True) == ("10.0.0.2",)
    assert proxies_of("127.0.0.1", [], True) == LOOPBACK
    assert proxies_of("127.0.0.1", [], False) == ()
    with pytest.raises(InvalidParameter, match="--proxy"):
        proxies_of("0.0.0.0", [], True)


def test_an_address_that_nobody_declared_cannot_choose_the_one_it_is_counted_by(tmp_path):
    from dalenius.server import Settings

    app, _, _ = hospital(tmp_path, settings=Settings(proxies=LOOPBACK, wrong_keys_per_minute=2))
    caller = Caller(app, "dk_wrong")
    for address, statuses in (("10.9.9.9", [401, 401, 429, 429]), ("127.0.0.1", [401, 401, 401, 401])):
        got = [asyncio.run(_from(app, address, f"10.0.0.{number}", caller._headers)) for number in range(len(statuses))]
        assert got == statuses


async def _from(app, address, claimed, headers):
    transport = httpx.ASGITransport(app=app, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        return (await client.get("/api/datasets", headers=headers | {"X-Forwarded-For": claimed})).status_code
