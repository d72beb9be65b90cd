"""A server in a process of its own, which a test may kill."""

import os
import signal
import socket
import subprocess
import sys
import time

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


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


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
        for _ in range(600):
            try:
                if httpx.get(f"{self.url}/api/health").status_code == 200:
                    return self
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server does not start")

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self):
        self._process.terminate()
        self._process.wait(20)
