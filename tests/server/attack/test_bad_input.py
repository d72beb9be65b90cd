"""What an attacker sends: a clear error or a right answer, no overspend, nothing of a row."""

import asyncio
import csv
import io
import socket
import time
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import httpx
import pyarrow.parquet as pq
import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.ledger import Ledger
from dalenius.server import Catalog, Settings, create_app
from dalenius.server.console import cookie as cookies
from dalenius.server.limits import Rate
from dalenius.sql import connect
from dalenius.sql.engine.duckdb.engine import DuckDB
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, Caller, StillClock, hospital, rows
from tests.server.process import POLICY, Server

ASK = {"sql": COUNT, "epsilon": "0.1"}
QUERY = "/api/datasets/visits/query"


# names and keys that try to be something else


@pytest.mark.parametrize("key", ["k\tx", "é".encode(), b"\xff", "x" * 200, "'; DROP TABLE entries", '"\\'])
def test_an_odd_idempotency_key_is_a_key_or_refused_and_never_a_second_charge(caller, ledger, key):
    ann = caller()
    answers = [ann.ask(headers={"Idempotency-Key": key}, fresh=True) for _ in range(2)]
    assert {answer.status_code for answer in answers} <= {200, 400, 422}
    assert len(ledger.entries("visits")) == (1 if answers[0].status_code == 200 else 0)
    assert "x-injected" not in answers[0].headers


def test_a_key_that_is_too_long_is_refused_before_the_charge(caller, ledger):
    assert caller().ask(headers={"Idempotency-Key": "x" * 201}).status_code == 422
    assert ledger.entries("visits") == []


def test_names_of_columns_are_no_formulas_in_csv_and_no_headers(caller):
    sql = 'SELECT ward, COUNT(*) AS "=HYPERLINK(""http://x"")" FROM visits GROUP BY ward'
    answer = caller().ask(sql, headers={"Accept": "text/csv"})
    assert answer.status_code == 200
    header = next(csv.reader(io.StringIO(answer.text)))
    assert not any(name.lstrip().startswith(("=", "+", "-", "@")) for name in header)


def test_what_is_accepted_is_no_header_of_the_answer(caller):
    answer = caller().ask(headers={"Accept": "text/csv, x/y; a=\tSet-Cookie:x=1"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert "set-cookie" not in answer.headers


# ids of another data set


def test_ids_of_another_data_set_are_not_there(app, ledger, caller):
    both = caller("owner", name="both", datasets=("visits", "staff"))
    analyst = caller(name="ann", datasets=("visits", "staff"))
    receipt = analyst(
        "POST", "/api/datasets/staff/query", json={"sql": "SELECT COUNT(*) AS n FROM staff", "epsilon": "0.1"}
    )
    wish = {"sql": "SELECT COUNT(*) AS n FROM staff", "epsilon": "0.1"}
    request = analyst("POST", "/api/datasets/staff/requests", json=wish).json()["id"]
    assert analyst("GET", f"/api/datasets/visits/releases/{receipt.json()['receipt']}").status_code == 404
    assert both("POST", f"/api/datasets/visits/requests/{request}/approve").status_code == 404
    assert both("POST", f"/api/datasets/staff/requests/{request}/approve").status_code == 204


def test_an_answer_of_another_analyst_is_not_there(caller):
    receipt = caller(name="ann").ask().json()["receipt"]
    assert caller(name="bob")("GET", f"/api/datasets/visits/releases/{receipt}").status_code == 404


# cookies that are sent again


def test_a_cookie_that_is_sent_again_is_its_key_and_ends_with_it(app, ledger):
    secret, key = ledger.create_key("ann", "analyst", ["visits"])
    ann, thief = Visitor(app, secret), Visitor(app)
    thief.cookies.set(cookies.NAME, ann.cookies[cookies.NAME])
    assert thief.get("/").status_code == 200
    ledger.revoke_key(key.fingerprint)
    assert thief.get("/").headers["location"] == "/login"


def test_a_cookie_of_one_server_is_none_of_another(tmp_path):
    apps = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        app, ledger, _ = hospital(tmp_path / name)
        apps.append((app, ledger.create_key("ann", "owner", ["visits"])[0]))
    ann, stranger = Visitor(*apps[0]), Visitor(apps[1][0])
    stranger.cookies.set(cookies.NAME, ann.cookies[cookies.NAME])
    assert stranger.get("/").headers["location"] == "/login"


# two servers on one ledger


def test_two_servers_on_one_ledger_file_keep_one_cap_and_one_charge_a_key(tmp_path):
    first, ledger, _ = hospital(tmp_path, epsilon="0.35")
    again = Ledger.open(tmp_path / "hospital.ledger")
    session = connect(
        *(rows(),),
        **{"table": "visits", "unit": "patient", "keys": {"ward": ["a", "b"]}, "bounds": {"cost": (0, 100)}},
        **{"contributions": 2, "ledger": again},
    )
    quick = Settings(answer_after=Fraction(1, 50))
    apps = [create_app(Catalog([connect_like(first)], ledger), quick), create_app(Catalog([session], again), quick)]
    secret, _ = ledger.create_key("ann", "owner", ["visits"])

    async def ask(app, key):
        for _ in range(50):
            headers = {"Idempotency-Key": key}
            answer = await Caller(app, secret).call("POST", QUERY, json=ASK | {"fresh": True}, headers=headers)
            if answer.status_code not in (202, 429):
                return answer
        raise AssertionError("no answer came")

    async def every():
        return await asyncio.gather(*(ask(app, f"k{number}") for number in range(4) for app in apps))

    answers = asyncio.run(every())
    by_key = [answers[place : place + 2] for place in range(0, 8, 2)]
    assert all(one.content == other.content for one, other in by_key if one.status_code == other.status_code == 200)
    assert sorted({answer.status_code for answer in answers}) == [200, 402]
    assert len(ledger.entries("visits")) == 3  # 3 · 0.1 ≤ 0.35 < 4 · 0.1
    ledger.verify()


def connect_like(app):
    return app.state.served.catalog._tables["visits"]


# a full disk


def test_a_full_disk_is_told_before_rows_are_read_and_nothing_is_charged(app, caller, ledger, monkeypatch):
    ann, read = caller(), []
    monkeypatch.setattr(DuckDB, "_run", lambda self, work: read.append(work))
    with monkeypatch.context() as broken:
        broken.setattr("dalenius.curator.curator.Curator.release", _unavailable)
        answer = ann.ask()
    assert (answer.status_code, answer.json()["error"], read) == (503, "LedgerUnavailable", [])
    assert ledger.entries("visits") == []


def _unavailable(*_, **__):
    raise LedgerUnavailable("the disk is full: nothing was charged")


def test_a_ledger_whose_file_cannot_grow_refuses_loses_nothing_and_comes_back(tmp_path):
    app, ledger, _ = hospital(tmp_path)
    ann, store = Caller(app, ledger.create_key("ann", "analyst", ["visits"])[0]), ledger._store._writer.opened()
    store.execute(f"PRAGMA max_page_count={store.execute('PRAGMA page_count').fetchone()[0]}")
    answers = []
    while not answers or answers[-1].status_code != 503:  # what a page has left takes a few small entries
        assert len(answers) < 20, "the file can grow: nothing was refused"
        before, key = ledger.entries("visits"), {"Idempotency-Key": f"k{len(answers)}"}
        answers.append(ann.ask(fresh=True, purpose="x" * 2000, headers=key))
    assert answers[-1].json()["error"] == "LedgerUnavailable"
    assert ledger.entries("visits") == before  # the refused one was not charged
    assert len(before) == len(answers) - 1  # and all others were
    store.execute("PRAGMA max_page_count=1073741823")
    ledger.verify()
    again = [
        ann.ask(fresh=True, purpose="x" * 2000, headers={"Idempotency-Key": f"k{number}"})
        for number in range(len(answers))
    ]
    assert {answer.status_code for answer in again} == {200}
    assert [answer.json()["receipt"] for answer in again] == [entry.hash for entry in ledger.entries("visits")]
    assert all(one.content == two.content for one, two in zip(answers, again, strict=True) if one.status_code == 200)
    ledger.verify()


# clocks that jump


def test_a_clock_that_goes_back_gives_no_second_burst_and_locks_nobody_out():
    clock = StillClock()
    rate = Rate(1, 2, clock)
    clock.time = 100.0
    assert [rate.allows("ann") for _ in range(3)] == [True, True, False]
    clock.time = 50.0
    assert not rate.allows("ann")
    clock.time = 53.0
    assert rate.allows("ann")


def test_a_wall_clock_that_jumps_ends_keys_and_cookies_early_and_never_prolongs_them(app, ledger):
    secret, _ = ledger.create_key("ann", "analyst", ["visits"], until=datetime.now(UTC) + timedelta(days=1))
    ann, book = Visitor(app, secret), app.state.served.catalog.ledger
    value = ann.cookies[cookies.NAME]
    assert cookies.read(ledger, value, time.time() + 3600 * (cookies.HOURS + 1)) is None
    book._clock = lambda: datetime.now(UTC) + timedelta(days=400)
    assert Caller(app, secret)("GET", "/api/datasets").status_code == 401
    book._clock = lambda: datetime.now(UTC) - timedelta(days=400)
    assert Caller(app, secret).ask().status_code == 200
    assert len(ledger.entries("visits")) == 1
    ledger.verify()


# clients that hold connections, on a real server


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("running")
    pq.write_table(rows(20), folder / "visits.parquet")
    (folder / "policy.toml").write_text(POLICY)
    ledger = Ledger.open(folder / "x.ledger")
    connect(policy=folder / "policy.toml", ledger=ledger)
    server = Server(folder).start()
    yield server, ledger.create_key("ann", "analyst", ["visits"])[0]
    server.stop()


HELD = [
    b"",
    b"POST /api/keys HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    b"POST /api/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
]


def test_a_thousand_connections_that_are_held_keep_nobody_out(running):
    server, secret = running
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(1000)]
    try:
        for number, one in enumerate(held):
            one.sendall(HELD[number % 3])
        headers = {"Authorization": f"Bearer {secret}"}
        for path in ("/api/health", "/api/datasets"):
            assert httpx.get(f"{server.url}{path}", headers=headers, timeout=60).status_code == 200
    finally:
        for one in held:
            one.close()
    assert httpx.get(f"{server.url}/api/health", timeout=60).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /api/datasets HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /api/health HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 3_000_000 + b"\r\n\r\n",
        b"POST /api/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}",
        b"POST /api/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /api/keys HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET http://evil.example/api/datasets HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /api/../api/datasets/%2e%2e HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["version", "tls", "long header", "two lengths", "length and chunks", "negative", "absolute", "dots"],
)
def test_bytes_that_are_no_proper_request_open_nothing_and_stop_nothing(running, sent):
    server, _ = running
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.settimeout(5)
        try:
            line.sendall(sent)
            told = line.recv(4096)
        except (TimeoutError, ConnectionError):
            told = b""
    assert not told or told.split()[1] in (b"400", b"401", b"403", b"404", b"405", b"413", b"422", b"431"), told[:200]
    assert httpx.get(f"{server.url}/api/health", timeout=60).status_code == 200


@pytest.mark.parametrize("given", [b"Bearer \x80", b"Bearer \xff\xfe", b"Bearer", b"Bearer  ", b"Basic eDp5", b"\x80"])
def test_a_key_of_odd_bytes_opens_nothing(app, given):
    assert Caller(app)("GET", "/api/datasets", headers={"Authorization": given}).status_code == 401
