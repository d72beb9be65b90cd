"""A small hospital behind the server, and time that stands still."""

import asyncio
import functools
import threading
from concurrent.futures import Future
from fractions import Fraction

import httpx
import pyarrow as pa

from dalenius.ledger import Ledger
from dalenius.server import Catalog, Settings, create_app
from dalenius.server.clock import Clock
from dalenius.sql import connect

AFTER = 2
QUIET = 25
COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def rows(patients=200):
    return pa.table(
        {
            "patient": [f"p{number // 2}" for number in range(2 * patients)],
            "ward": ["a" if number % 3 else "b" for number in range(2 * patients)],
            "cost": [float(number % 50) for number in range(2 * patients)],
        }
    )


class StillClock(Clock):
    """Time that moves when somebody waits for it, and only once all work in other threads is done or stuck."""

    def __init__(self):
        self.time = 0.0
        self.stuck = threading.Event()
        self.threads = None
        self.left_at = []

    def now(self):
        return self.time

    async def sleep_until(self, moment):
        quiet = 0  # between two pieces of work of one request no thread is busy, for a moment
        while not self.stuck.is_set() and self.threads is not None and quiet < QUIET:
            await asyncio.sleep(0.001)
            quiet = 0 if self.threads.busy() else quiet + 1
        self.time = max(self.time, moment)
        self.left_at.append(self.time)
        await asyncio.sleep(0)


class Counted:
    """How many pieces of work run now: each until the loop that waits for it has been told of its end."""

    def __init__(self, *pools):
        self._running, self._lock = 0, threading.Lock()
        for pool in pools:
            pool.submit = functools.partial(self.submit, pool.submit)

    def submit(self, begin, work, *given):
        with self._lock:
            self._running += 1
        told = Future()
        told.set_running_or_notify_cancel()
        begin(work, *given).add_done_callback(functools.partial(self._done, told))
        return told

    def _done(self, told, done):
        try:
            if done.exception() is not None:
                told.set_exception(done.exception())
            else:
                told.set_result(done.result())  # its callbacks run here, the loop's among them
        finally:
            with self._lock:
                self._running -= 1

    def busy(self):
        return self._running > 0


def hospital(folder, data=None, *, epsilon=10, settings=None, clock=None, contributions=2):
    """The app, its ledger, and the clock that it goes by."""
    ledger = Ledger.open(folder / "hospital.ledger")
    session = connect(
        data if data is not None else rows(),
        table="visits",
        unit="patient",
        ledger=ledger,
        budget={"epsilon": epsilon, "delta": "1e-6"},
        keys={"ward": ["a", "b"]},
        bounds={"cost": (0, 100)},
        contributions=contributions,
    )
    staff = connect(
        pa.table({"person": ["x", "y"], "grade": [1, 2]}),
        table="staff",
        unit="person",
        contributions=1,
        ledger=ledger,
        budget={"epsilon": 1},
    )
    still = clock or StillClock()
    app = create_app(Catalog([session, staff], ledger), settings or Settings(answer_after=Fraction(AFTER)), still)
    if isinstance(still, StillClock):
        line = app.state.served.line
        still.threads = Counted(line._threads, line._free)
    return app, ledger, still


class Caller:
    """Requests to an app with a key."""

    def __init__(self, app, secret=None):
        self._headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        self._app = app

    def __call__(self, method, path, *, headers=None, **given):
        return asyncio.run(self.call(method, path, headers=headers, **given))

    async def call(self, method, path, *, headers=None, **given):
        transport = httpx.ASGITransport(app=self._app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            return await client.request(method, path, headers=self._headers | (headers or {}), **given)

    def ask(self, sql=COUNT, epsilon="0.1", *, headers=None, **terms):
        body = {"sql": sql, "epsilon": epsilon, **terms}
        return self("POST", "/api/datasets/visits/query", json=body, headers=headers)
