import asyncio
import json

import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Collector, Frequency


def call(app, method, path, body=b"", address="10.0.0.1", pieces=1):
    sent = []
    size = max(1, -(-len(body) // pieces))
    parts = [body[i : i + size] for i in range(0, len(body), size)] or [b""]

    async def receive():
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    asyncio.run(app({"type": "http", "method": method, "path": path, "client": (address, 1)}, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])


def batch(protocol, values, first=0):
    client = protocol.client()
    return b"".join((first + i).to_bytes(16, "big") + client.randomize(v) for i, v in enumerate(values))


def test_batches_are_counted_once_and_bad_records_rejected():
    protocol = Frequency(["a", "b", "c"], 1)
    app = Collector({"letter": protocol.aggregator()})
    good = batch(protocol, "abcab")
    assert call(app, "POST", "/collect/letter", good, pieces=3) == (200, {"taken": 5, "rejected": 0, "duplicates": 0})
    assert call(app, "POST", "/collect/letter", good)[1] == {"taken": 0, "rejected": 0, "duplicates": 5}
    other = batch(Frequency(["a", "b", "c"], 2), "ab", first=50)
    assert call(app, "POST", "/collect/letter", other + b"cut")[1] == {"taken": 0, "rejected": 3, "duplicates": 0}
    assert app.aggregators["letter"].reports == 5
    assert app.aggregators["letter"].rejected == 3


def test_a_client_learns_the_protocol_and_nothing_else_is_there():
    protocol = Frequency(["a", "b", "c"], 1)
    app = Collector({"letter": protocol.aggregator()})
    status, facts = call(app, "GET", "/protocol/letter")
    assert status == 200
    assert facts == protocol.facts() | {"head": protocol.format.head.hex()}
    assert call(app, "GET", "/collect/letter")[0] == 405
    assert call(app, "POST", "/collect/unknown")[0] == 404
    assert call(app, "GET", "/estimates/letter")[0] == 404


def test_size_and_rate_are_limited_and_addresses_forgotten():
    now = [0.0]
    protocol = Frequency(2, 1)
    app = Collector({"x": protocol.aggregator()}, per_minute=2, largest=100, clock=lambda: now[0])
    assert call(app, "POST", "/collect/x", b"z" * 101)[0] == 413
    assert call(app, "POST", "/collect/x")[0] == 200
    assert call(app, "POST", "/collect/x")[0] == 429
    assert call(app, "POST", "/collect/x", address="10.0.0.2")[0] == 200
    assert not any(b"10.0.0" in mark for mark in app._rates)
    key = app._key
    now[0] = 61.0
    assert call(app, "POST", "/collect/x")[0] == 200
    assert app._key != key
    assert len(app._rates) == 1


def test_nothing_is_logged_and_bad_settings_are_refused(caplog, capsys):
    protocol = Frequency(2, 1)
    app = Collector({"x": protocol.aggregator()})
    call(app, "POST", "/collect/x", batch(protocol, [0, 1]))
    assert caplog.text == ""
    assert capsys.readouterr() == ("", "")
    assert asyncio.run(app({"type": "lifespan"}, None, None)) is None
    for bad in ({"per_minute": 0}, {"largest": True}):
        with pytest.raises(InvalidParameter):
            Collector({}, **bad)
