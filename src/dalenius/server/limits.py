"""How much one caller may send and how often, by public facts alone."""

from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalenius.server.clock import Clock

MOST_CALLERS = 100_000


@dataclass(slots=True)
class Rate:
    """A bucket for each caller: `burst` tries at once, refilled at `per_second`."""

    per_second: float
    burst: int
    clock: Clock
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allows(self, caller: str, *, takes: bool = True) -> bool:
        """Whether the caller may try now; `takes` counts the try."""
        now = self.clock.now()
        left, at = self._left.pop(caller, (float(self.burst), now))
        left = min(float(self.burst), left + (now - at) * self.per_second)
        allowed = left >= 1
        self._left[caller] = (left - 1 if allowed and takes else left, now)
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
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._most:
                await _refuse(send, self._most)
                return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def kept() -> Message:
            return whole.pop() if whole else await receive()

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        await self._app(scope, kept, guarded)


_HEADERS = [
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


async def _refuse(send: Send, most: int) -> None:
    body = b'{"error":"TooLong","message":"the body of a request may have %d bytes"}' % most
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *_HEADERS]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
