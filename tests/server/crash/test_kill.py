"""The server is killed while clients ask, and asked again under the same keys."""

import threading
import time
from fractions import Fraction

import httpx
import pyarrow.parquet as pq
import pytest

from dalenius.ledger import Ledger
from dalenius.sql import connect
from tests.server.hospital import rows
from tests.server.process import POLICY, Server

QUESTION = {"sql": "SELECT COUNT(*) AS n FROM visits", "epsilon": "0.1", "fresh": True}


@pytest.fixture
def folder(tmp_path):
    pq.write_table(rows(50), tmp_path / "visits.parquet")
    (tmp_path / "policy.toml").write_text(POLICY)
    connect(policy=tmp_path / "policy.toml", ledger=tmp_path / "x.ledger")
    return tmp_path


def answered(url, secret, key):
    """The answer to a question of its own draw, asked until it comes, under one key."""
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            answer = httpx.post(f"{url}/api/datasets/visits/query", json=QUESTION, headers=headers, timeout=60)
        except httpx.TransportError:
            time.sleep(0.05)
            continue
        if answer.status_code == 200:
            return answer.content
        assert answer.status_code in (202, 429), answer.text
        time.sleep(0.05)
    raise AssertionError("no answer came")


def storm(folder, clients, keys, kills):
    """Every client asks for every key; what each got by key."""
    ledger = Ledger.open(folder / "x.ledger")
    secret, _ = ledger.create_key("ann", "analyst", ["visits"])
    server = Server(folder).start()
    got = {f"k{number}": [] for number in range(keys)}

    def client():
        for key, answers in got.items():
            answers.append(answered(server.url, secret, key))

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for _ in range(kills):
        time.sleep(0.7)
        server.kill()
        server.start()
    for thread in threads:
        thread.join()
    server.stop()
    return got, ledger


def check(got, ledger, clients):
    assert all(len(answers) == clients and len(set(answers)) == 1 for answers in got.values())
    entries = ledger.entries("visits")
    assert sorted(entry.key for entry in entries) == sorted(f"ann\n{key}" for key in got)
    ledger.verify()
    assert ledger.remaining("visits").epsilon == 100 - len(got) * Fraction(1, 10)


def test_clients_that_retry_under_one_key_get_the_same_bytes_for_one_charge_though_the_server_is_killed(folder):
    got, ledger = storm(folder, clients=4, keys=3, kills=1)
    check(got, ledger, 4)


@pytest.mark.long
def test_sixteen_clients_and_many_kills(folder):
    got, ledger = storm(folder, clients=16, keys=12, kills=8)
    check(got, ledger, 16)


def acknowledged(folder, clients, wanted):
    """Receipts of answers that arrived before the server was killed, at least so many, in the midst of more."""
    ledger = Ledger.open(folder / "x.ledger")
    secret, _ = ledger.create_key("ann", "analyst", ["visits"])
    server = Server(folder, after="0.02").start()
    receipts, stop = [], threading.Event()

    def client(name):
        number = 0
        while not stop.is_set():
            number += 1
            headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": f"{name} {number}"}
            try:
                answer = httpx.post(
                    f"{server.url}/api/datasets/visits/query", json=QUESTION, headers=headers, timeout=60
                )
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                receipts.append(answer.json()["receipt"])

    threads = [threading.Thread(target=client, args=(name,)) for name in range(clients)]
    for thread in threads:
        thread.start()
    while len(receipts) < wanted and any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
    server.kill()
    stop.set()
    for thread in threads:
        thread.join()
    return receipts


def test_every_acknowledged_charge_survives_a_kill_and_a_torn_write(folder, tmp_path_factory):
    receipts = acknowledged(folder, clients=4, wanted=12)
    assert len(receipts) >= 12
    log = folder / "x.ledger-wal"
    kept = log.read_bytes() if log.exists() else b""
    for torn in (
        b"",
        b"\x00" * 7,
        kept[-4096:][:1000],
        b"\xff" * 24 + b"x" * 3000,
    ):  # what a cut left of one more write
        copy = tmp_path_factory.mktemp("torn")
        (copy / "x.ledger").write_bytes((folder / "x.ledger").read_bytes())
        if kept:
            (copy / "x.ledger-wal").write_bytes(kept + torn)
        ledger = Ledger.open(copy / "x.ledger")
        ledger.verify()
        entries = ledger.entries("visits")
        assert set(receipts) <= {entry.hash for entry in entries}
        assert ledger.remaining("visits").epsilon == 100 - len(entries) * Fraction(1, 10)
