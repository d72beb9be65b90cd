"""The collector's door: an ASGI application that takes batches of reports, for a server to mount.

    GET  /protocol/<name>   what a client needs to know, as JSON
    POST /collect/<name>    records of a random id of 16 bytes and a report, laid end to end

The answer says how many records were taken, rejected and sent before; nothing is written anywhere, and no address, time
or order is kept. Ids are kept as keyed hashes for as long as the process lives, so that a retry counts once. The rate
of an address is limited by a hash under a key that is forgotten every minute.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.local.aggregator import Aggregator

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ID = 16
"""Bytes of a record's id."""
_WINDOW = 60.0


class Collector:
    """Aggregators behind HTTP, one for each named protocol."""

    __slots__ = (
        "_clock",
        "_key",
        "_lock",
        "_rates",
        "_salt",
        "_seen",
        "_since",
        "aggregators",
        "largest",
        "per_minute",
    )

    def __init__(
        self,
        aggregators: Mapping[str, Aggregator[Any]],
        *,
        per_minute: int = 60,
        largest: int = 1 << 20,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Name the aggregators.

        Parameters
        ----------
        aggregators : name in the path → the aggregator that reports go to.
        per_minute : batches that one address may send in a minute.
        largest : bytes of the largest batch.
        clock : seconds that only grow.
        """
        for name, number in (("per_minute", per_minute), ("largest", largest)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
        self.aggregators = dict(aggregators)
        self.per_minute, self.largest, self._clock = per_minute, largest, clock
        self._seen: dict[str, set[bytes]] = {name: set() for name in self.aggregators}
        self._salt, self._lock = os.urandom(32), threading.Lock()
        self._key, self._rates, self._since = os.urandom(32), dict[bytes, int](), clock()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            status, content = await self._response(scope, receive)
            body = json.dumps(content).encode()
            headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    async def _response(self, scope: Message, receive: Receive) -> tuple[int, dict[str, Any]]:
        kind, _, name = scope["path"].strip("/").partition("/")
        if name not in self.aggregators or kind not in ("collect", "protocol"):
            return 404, {"error": "no such protocol"}
        if scope["method"] != ("POST" if kind == "collect" else "GET"):
            return 405, {"error": "reports are posted, protocols are got"}
        if kind == "protocol":
            return 200, description(self.aggregators[name])
        if not self._allowed(scope.get("client")):
            return 429, {"error": "too many batches from here: wait a minute"}
        body = await _body(receive, self.largest)
        if body is None:
            return 413, {"error": f"a batch has at most {self.largest} bytes"}
        return 200, self.take(name, body)

    def take(self, name: str, body: bytes) -> dict[str, int]:
        """Count a batch in: how many records were taken, rejected, and sent before; threads wait for one another."""
        with self._lock:
            return self._taken(name, body)

    def _taken(self, name: str, body: bytes) -> dict[str, int]:
        aggregator, seen = self.aggregators[name], self._seen[name]
        length = ID + aggregator.protocol.format.length
        whole, rest = divmod(len(body), length)
        reports, duplicates = [], 0
        for start in range(0, whole * length, length):
            mark = hashlib.blake2b(body[start : start + ID], digest_size=8, key=self._salt).digest()
            if mark in seen:
                duplicates += 1
                continue
            seen.add(mark)
            reports.append(body[start + ID : start + length])
        taken = aggregator.add(reports)
        aggregator.rejected += rest > 0
        return {"taken": taken, "rejected": len(reports) - taken + (rest > 0), "duplicates": duplicates}

    def _allowed(self, client: Any) -> bool:
        now = self._clock()
        if now - self._since >= _WINDOW:
            self._key, self._rates, self._since = os.urandom(32), {}, now
        address = repr(client[0] if client else None).encode()
        mark = hashlib.blake2b(address, digest_size=16, key=self._key).digest()
        self._rates[mark] = self._rates.get(mark, 0) + 1
        return self._rates[mark] <= self.per_minute


def description(aggregator: Aggregator[Any]) -> dict[str, Any]:
    """A protocol's facts with the head of its reports: all that a client in another language needs."""
    protocol = aggregator.protocol
    return protocol.facts() | {"head": protocol.format.head.hex()}


async def _body(receive: Receive, largest: int) -> bytes | None:
    pieces, size = [], 0
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > largest:
            return None
        if not message.get("more_body", False):
            return b"".join(pieces)
