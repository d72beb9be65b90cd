"""What the server costs beyond the embedded call, and how many durable charges a second come through HTTP.

`python bench/server.py` starts a server over 100 000 rows and asks it over HTTP what it also asks an embedded session.
CPU is that of the server's process, all its threads counted, from the kernel's books. Charged questions are counted
over these rows and over a table of 1 000, where the scan is next to nothing; with one server, and with two on one
ledger; of 64 askers with a key each, and of one, whose questions wait for one another. Each is two durable works, the
reserve before rows are read and the commit of its answer; it is acknowledged after the first. The disk's own limit, one
flush after the other of a small write, is measured before and after each.
Lomas is asked where it is installed.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import dalenius
from dalenius.ledger import Ledger

HERE = Path(__file__).parent
sys.path[:] = [*(one for one in sys.path if Path(one) != HERE), str(HERE)]  # last: statistics is also Python's own
import server_lomas  # noqa: E402

ROWS = 100_000
ROUNDS = 200
WARDS = ["a", "b", "c", "d"]
QUERY = "SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward"
TINY = "SELECT COUNT(*) AS n FROM visits"
POLICY = """\
table = "visits"
source = "visits.parquet"
unit = "patient"
contributions = 5
[budget]
epsilon = 100000
[columns]
patient = "BIGINT"
ward = "VARCHAR"
cost = "DOUBLE"
[keys]
ward = ["a", "b", "c", "d"]
[bounds]
cost = [0, 100]
"""


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has used, in all its threads."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def question(connection: http.client.HTTPConnection, secret: str, body: dict[str, Any], key: str) -> None:
    """One charged question on a connection that stays open, as a program asks many."""
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json", "Idempotency-Key": key}
    connection.request("POST", "/api/datasets/visits/query", json.dumps(body), headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status not in (200, 202):  # 202: charged, and the moment came before the work was done
        raise AssertionError(f"not charged: {answer.status}")


def post(url: str, secret: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    headers |= {} if key is None else {"Idempotency-Key": key}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for _ in range(100):
        with urllib.request.urlopen(request, timeout=60) as answer:
            if answer.status == 200:
                return dict(json.load(answer))
        time.sleep(0.005)  # its moment came before its work was done
    raise AssertionError("no answer came")


def each(call: Callable[[int], object], spent: Callable[[], float]) -> float:
    """Milliseconds of CPU of one call, warm."""
    for number in range(5):
        call(-1 - number)
    start = spent()
    for number in range(ROUNDS):
        call(number)
    return (spent() - start) / ROUNDS * 1000


def flushes(folder: Path, seconds: float = 1.0) -> float:
    """How many small writes a second this disk makes durable, one after the other."""
    with (folder / "flushed").open("wb", buffering=0) as file:
        done, until = 0, time.perf_counter() + seconds
        start = time.perf_counter()
        while time.perf_counter() < until:
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            done += 1
    return done / (time.perf_counter() - start)


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


class Served:
    """A server in a process of its own over a folder."""

    def __init__(self, folder: Path, after: str = "1/5") -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/api"
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "server_process.py"), str(folder), str(port), after]
        )
        for _ in range(400):
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server does not start")

    def cpu(self) -> float:
        return cpu_of(self._process.pid)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def charges(servers: list[Served], secrets: list[str], clients: int, every: int) -> tuple[float, float]:
    """Charges a second through HTTP, each a question of its own draw, and milliseconds of the servers' CPU of one."""

    def client(name: int) -> None:
        place = servers[name % len(servers)].url.split("/")[2]
        connection = http.client.HTTPConnection(place, timeout=60)
        for number in range(every):
            body = {"sql": TINY, "epsilon": "0.001", "fresh": True}
            key = f"{clients} {len(servers)} {len(secrets)} {name} {number}"
            question(connection, secrets[name % len(secrets)], body, key)
        connection.close()

    threads = [threading.Thread(target=client, args=(name,)) for name in range(clients)]
    start, cpu = time.perf_counter(), sum(one.cpu() for one in servers)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count = clients * every
    return count / (time.perf_counter() - start), (sum(one.cpu() for one in servers) - cpu) / count * 1000


def charged(folder: Path, ledger: Ledger, secret: str, rows: int) -> None:
    """Charged questions a second, with one server of a folder and with two.

    The moment of an answer is set so near that nobody waits for it: 200 and 202 both acknowledge a durable reserve. The
    ledger says at the end that there are as many; the answers are worked on, and committed, all the same.
    """
    every = [ledger.create_key(f"analyst {number}", "analyst", ["visits"])[0] for number in range(64)]
    servers: list[Served] = []
    try:
        for count, secrets in ((1, every), (1, [secret]), (2, every)):
            if count > len(servers):
                servers.append(Served(folder, "1/100"))
                charges(servers, secrets, 32, 2)  # warm
            before, disk = len(ledger.entries("visits")), flushes(folder, 0.5)
            rate, cpu = charges(servers, secrets, 64, 15)
            assert len(ledger.entries("visits")) == before + 64 * 15
            name = f"charged questions, {rows:,} rows, {plural(count, 'server')}, {plural(len(secrets), 'asker')}"
            beside = f"{disk:.0f} and {flushes(folder, 0.5):.0f} flushes before and after"
            print(f"{name:<60}{rate:8.0f}{cpu:8.1f} ms of CPU each; {beside}", flush=True)
    finally:
        for one in servers:
            one.stop()


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"


def reserves(ledger: Ledger, count: int = 300) -> float:
    """Durable reserves a second of the ledger alone, one after the other."""
    from dalenius.guarantees import PureDP

    start = time.perf_counter()
    for _ in range(count):
        ledger.reserve(PureDP("0.001"), dataset="visits", unit="patient")
    return count / (time.perf_counter() - start)


def made(folder: Path, rows: int = ROWS) -> tuple[Any, Ledger, str]:
    """A table, its policy and its ledger, an embedded session and a key."""
    draw = np.random.default_rng(1)
    columns = {"patient": draw.integers(0, 20_000, rows), "ward": draw.choice(WARDS, rows)}
    table = pa.table({**columns, "cost": draw.uniform(0, 100, rows)})
    pq.write_table(table, folder / "visits.parquet")
    pc.write_csv(table, folder / "visits.csv")
    (folder / "policy.toml").write_text(POLICY)
    ledger = Ledger.open(folder / "x.ledger")
    session = dalenius.connect(policy=folder / "policy.toml", ledger=ledger, analyst="ann")
    return session, ledger, ledger.create_key("ann", "analyst", ["visits"])[0]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session, ledger, secret = made(folder)
        served = Served(folder)
        try:
            table = f"{served.url}/datasets/visits"
            asked = {"sql": QUERY, "epsilon": "0.1"}
            session.sql(QUERY, epsilon="0.1")
            calls: dict[str, tuple[Callable[[int], object], Callable[[int], object]]] = {
                "explain": (
                    lambda number: session.explain(QUERY, epsilon="0.1"),
                    lambda number: post(f"{table}/explain", secret, asked),
                ),
                "free repeat": (
                    lambda number: session.sql(QUERY, epsilon="0.1").told(0.95),
                    lambda number: post(f"{table}/query", secret, asked),
                ),
                "new answer": (
                    lambda number: session.sql(QUERY, epsilon="0.1", fresh=True, key=f"e{number}").told(0.95),
                    lambda number: post(f"{table}/query", secret, asked | {"fresh": True}, f"h{number}"),
                ),
            }
            print(f"{'CPU of one call, ms':<24}{'embedded':>10}{'server':>10}{'beyond':>10}")
            for name, (here, there) in calls.items():
                embedded, remote = each(here, time.process_time), each(there, served.cpu)
                print(f"{name:<24}{embedded:10.1f}{remote:10.1f}{remote - embedded:10.1f}")
        finally:
            served.stop()
            session.close()
        print(f"\n{'a second':<60}")
        print(f"{'flushes of this disk, one after the other':<60}{flushes(folder):8.0f}")
        print(f"{'reserves of the ledger alone, one after the other':<60}{reserves(ledger):8.0f}")
        charged(folder, ledger, secret, ROWS)
        small = folder / "small"
        small.mkdir()
        few, book, other = made(small, 1_000)
        charged(small, book, other, 1_000)
        few.close()
        print(f"{'flushes of this disk, once more':<60}{flushes(folder):8.0f}")
        server_lomas.compare(folder, free_port(), ROWS, cpu_of)


if __name__ == "__main__":
    main()
