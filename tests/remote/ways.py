"""One table reached in three ways: embedded, through the ASGI application, and through a server of its own process."""

import asyncio
from fractions import Fraction

import httpx
import pyarrow.parquet as pq

import dalenius
from dalenius.errors import ServerUnavailable
from dalenius.ledger import Ledger
from dalenius.remote.client import HttpClient
from dalenius.remote.connection import opened
from dalenius.remote.transport import Reply
from dalenius.server import Catalog, Settings, create_app
from tests.server.hospital import rows
from tests.server.process import POLICY, Server

TERMS = POLICY.replace("epsilon = 100", 'epsilon = 100\ndelta = "1e-6"') + "[bounds]\ncost = [0, 100]\n"


class Asgi:
    """A transport into an application; `broken` says for how many requests the line breaks once they were heard."""

    def __init__(self, app, broken=0):
        self._app, self.broken, self.sent = app, broken, []

    def send(self, method, path, headers, body):
        self.sent.append((method, path, dict(headers), body))
        answer = asyncio.run(self._called(method, path, headers, body))
        if self.broken:
            self.broken -= 1
            raise ServerUnavailable("the line broke")
        return Reply(answer.status_code, dict(answer.headers), answer.content)

    async def _called(self, method, path, headers, body):
        transport = httpx.ASGITransport(app=self._app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            return await client.request(method, path, headers=headers, content=body)

    def close(self):
        pass


class Way:
    """A folder with a table, its policy and its ledger, and a way to ask it for an analyst."""

    def __init__(self, folder):
        self.folder = folder
        pq.write_table(rows(100), folder / "visits.parquet")
        (folder / "policy.toml").write_text(TERMS)
        self.ledger = Ledger.open(folder / "x.ledger")
        self.embedded("owner")  # grants the budget

    def embedded(self, analyst):
        return dalenius.connect(policy=self.folder / "policy.toml", ledger=self.ledger, analyst=analyst)

    def key(self, analyst, role="analyst"):
        return self.ledger.create_key(analyst, role, ["visits"])[0]

    def open(self, analyst):
        raise NotImplementedError

    def close(self):
        pass


class Embedded(Way):
    def open(self, analyst):
        return self.embedded(analyst)


class InProcess(Way):
    def __init__(self, folder):
        super().__init__(folder)
        catalog = Catalog.open([folder / "policy.toml"], self.ledger)
        self.app = create_app(catalog, Settings(answer_after=Fraction(1, 20), requests_per_second=1000, burst=10_000))

    def open(self, analyst, broken=0, patience=10):
        return opened(HttpClient(Asgi(self.app, broken), self.key(analyst), patience), None, "http://server")


class OwnProcess(Way):
    def __init__(self, folder):
        super().__init__(folder)
        self.server = Server(folder).start()

    def open(self, analyst):
        return dalenius.connect(self.server.url, key=self.key(analyst), patience=5)

    def close(self):
        self.server.stop()


WAYS = {"embedded": Embedded, "asgi": InProcess, "process": OwnProcess}
