"""How much one caller may send and how often, by public facts alone."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalenius.server.clock import Clock

MOST_CALLERS = 100_000
BODY_SECONDS = 30
"""In what time a body must be there; one that never ends would hold a connection for ever."""


@dataclass(slots=True)
class Rate:
    """A bucket for each caller: `burst` tries at once, refilled at `per_second`."""

    per_second: float
    burst: int
    clock: Clock
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allows(self, caller: str) -> bool:
        """Count a try of the caller, and say whether it may be made now."""
        now = self.clock.now()
        left, at = self._left.pop(caller, (float(self.burst), now))
        left = min(float(self.burst), left + max(0.0, now - at) * self.per_second)
        allowed = left >= 1
        self._left[caller] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_CALLERS:
            self._left.popitem(last=False)
        return allowed


class Guard:
    """Refuse bodies that are too long, and say in every answer what a browser may do with it."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with a body that is at most as long as allowed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _said(scope) > self._most:
            await self._too_long(send)
            return
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more and len(body) <= self._most:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
        except TimeoutError:
            await refuse(send, 408, "TooSlow", f"the body of a request may take {BODY_SECONDS} seconds")
            return
        if len(body) > self._most:
            await self._too_long(send)
            return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def kept() -> Message:
            return whole.pop() if whole else await receive()

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        await self._app(scope, kept, guarded)

    async def _too_long(self, send: Send) -> None:
        await refuse(send, 413, "TooLong", f"the body of a request may have {self._most} bytes")


_HEADERS = [
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


def _said(scope: Scope) -> int:
    """How long the body is, as its sender says; 0 if nothing that is a number is said."""
    said = dict(scope.get("headers", ())).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 20 else 0


async def refuse(send: Send, status: int, error: str, message: str) -> None:
    """Answer for the app: for what must not reach it."""
    body = b'{"error":"%s","message":"%s"}' % (error.encode(), message.encode())
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
