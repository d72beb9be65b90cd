import asyncio

import pytest

from tests.server.hospital import Caller

WORDS = ["../../etc/passwd", "%2e%2e%2f", "a" * 5000, "\x00", "é", "<script>", "visits%00", "visits/../staff", "'"]


@pytest.mark.parametrize("word", WORDS)
def test_odd_paths_are_not_found(caller, word):
    from urllib.parse import quote

    answer = caller()("GET", f"/api/datasets/{quote(word, safe='')}")
    assert answer.status_code in (404, 422)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"sql": 1}', b'{"sql": "x", "epsilon": []}'])
def test_a_body_that_is_no_question_is_refused_and_not_charged(caller, ledger, body):
    answer = caller()("POST", "/api/datasets/visits/query", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert ledger.entries("visits") == []


@pytest.mark.parametrize(
    "epsilon", ["nan", "inf", "-1", "0", 0, -1, 1e400, "1e-400", "1" * 5000, True, None, "ε", "1/0"]
)
def test_a_price_that_is_none_is_refused_and_not_charged(caller, ledger, epsilon):
    import json

    body = json.dumps({"sql": "SELECT COUNT(*) AS n FROM visits", "epsilon": epsilon})
    answer = caller()("POST", "/api/datasets/visits/query", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 402, 422), answer.text
    assert ledger.entries("visits") == []


def test_a_body_of_two_megabytes_is_too_long(caller):
    assert caller().ask("x" * (2 << 20)).status_code == 413


def test_hostile_names_come_back_as_text_in_every_header_and_body(caller):
    owner = caller("owner")
    name = 'a"\r\nSet-Cookie: x=1<script>'
    made = owner("POST", "/api/keys", json={"name": name, "role": "viewer", "datasets": ["visits"]})
    assert made.json()["name"] == name
    assert "set-cookie" not in made.headers
    assert made.headers["content-type"] == "application/json"


def test_the_document_of_the_interface_names_every_status_that_is_sent(app):
    for path, methods in app.openapi()["paths"].items():
        for method in methods.values():
            assert {"400", "401", "403", "404", "422", "429"} <= set(method["responses"]), path


def test_the_app_starts_and_stops_cleanly_and_writes_down_who_came(app, ledger):
    secret, _ = ledger.create_key("ann", "viewer", ["visits"])

    async def life():
        async with app.router.lifespan_context(app):
            assert (await Caller(app, secret).call("GET", "/api/datasets")).status_code == 200

    asyncio.run(life())
    assert ledger.all_keys()[0].used is not None
