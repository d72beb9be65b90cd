"""A server in a process of its own, which a test may kill."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

POLICY = """\
table = "visits"
source = "visits.parquet"
unit = "patient"
contributions = 2
[budget]
epsilon = 100
[columns]
patient = "VARCHAR"
ward = "VARCHAR"
cost = "DOUBLE"
[keys]
ward = ["a", "b"]
"""


PORTS = range(20_000, 30_000)
"""Below those that a system gives to connections that leave it, so that none of them takes a port while it is free."""
_kept_ports = []


def free_port():
    """A port that no other process of tests is given while this one lives."""
    folder = Path(tempfile.gettempdir()) / "dalenius-test-ports"
    folder.mkdir(exist_ok=True)
    for number in PORTS:
        lock = (folder / str(number)).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as place:
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                place.bind(("127.0.0.1", number))
        except OSError:
            lock.close()
            continue
        _kept_ports.append(lock)
        return number
    raise AssertionError("no port is free")


class Server:
    """`dalenius serve`, started again as often as it is killed."""

    def __init__(self, folder, after="0.05"):
        self._folder, self._after = folder, after
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = None

    def start(self):
        words = ["serve", "--policy", "policy.toml", "--ledger", "x.ledger", "--port", str(self.port)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dalenius", *words, "--answer-after", self._after],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/api/health", timeout=60).status_code == 200:
                    return self
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server does not start")

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self):
        self._process.terminate()
        self._process.wait(120)
