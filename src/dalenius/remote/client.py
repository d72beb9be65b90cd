"""Requests with a key, sent again where that is safe, and refusals as the errors that they are."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalenius import errors
from dalenius.errors import AccessRefused, DaleniusError, ExecutionFailed, InvalidParameter, ServerUnavailable
from dalenius.remote.transport import Reply, Transport

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
LATE = 202
LATER = (LATE, 429, 503)
"""Replies that ask to come again: no answer left in time, too many requests, a ledger that cannot be written to."""

_BY_STATUS: dict[int, type[DaleniusError]] = {
    401: AccessRefused,
    403: AccessRefused,
    404: AccessRefused,
    413: InvalidParameter,
    422: InvalidParameter,
}


@dataclass(slots=True)
class HttpClient:
    """A key's way to a server.

    A request that may be sent twice is sent again until `patience` seconds are over. Reading is one. So is a question
    that carries an idempotency key, under which the server never draws, nor charges, a second time.
    """

    transport: Transport
    key: str = field(repr=False)
    patience: float = 60.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise InvalidParameter("a key is one word such as dk_…, as `dalenius key create` prints it")

    def read(self, path: str) -> Any:
        """What stands at a path."""
        return self._content(self._again("GET", path, None, {}))

    def ask(self, path: str, body: Mapping[str, Any], retry_key: str | None = None) -> Any:
        """What a question gives; under one retry key it is one question, however often it is sent."""
        headers = {} if retry_key is None else {"Idempotency-Key": _header(retry_key)}
        return self._content(self._again("POST", path, body, headers))

    def pay(self, path: str, body: Mapping[str, Any], retry_key: str | None) -> Any:
        """As `ask`, for what may be charged. Without a retry key of the caller's, it is sent under one of its own.

        A reply that no answer left in time comes after a charge alone. Under a key that nobody else has, that charge
        is this call's: what comes then was not paid before it.
        """
        headers = {"Idempotency-Key": _header(secrets.token_hex(16) if retry_key is None else retry_key)}
        statuses: list[int] = []
        content = self._content(self._again("POST", path, body, headers, statuses))
        if retry_key is None and LATE in statuses and isinstance(content, dict):
            content["repeated"] = False
        return content

    def tell(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a request gives that is sent once: sent twice it would count twice."""
        return self._content(self._once("POST", path, body, {}))

    def _again(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        statuses: list[int] | None = None,
    ) -> Reply:
        """The reply that counts; `statuses` gathers those of all."""
        until, pause = self.clock() + self.patience, FIRST_PAUSE
        while True:
            try:
                reply = self._once(method, path, body, headers)
                if statuses is not None:
                    statuses.append(reply.status)
                if reply.status not in LATER or self.clock() + pause > until:
                    return reply
            except ServerUnavailable:
                if self.clock() + pause > until:
                    raise
            self.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Reply:
        sent = {"Authorization": f"Bearer {self.key}", "Accept": "application/json", **headers}
        if body is None:
            return self.transport.send(method, path, sent, None)
        try:
            content = json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError):
            raise InvalidParameter(
                "a term of the question is nothing that can be sent: give numbers and texts"
            ) from None
        return self.transport.send(method, path, {**sent, "Content-Type": "application/json"}, content)

    def _content(self, reply: Reply) -> Any:
        try:
            content = json.loads(reply.body) if reply.body else None
        except (ValueError, RecursionError):
            content = None
        if reply.status in (200, 201, 204):
            if isinstance(content, dict) and _REPEATED in reply.headers:
                content["repeated"] = reply.headers[_REPEATED] == "true"
            return content
        raise refusal(reply.status, content if isinstance(content, dict) else {})


_REPEATED = "dalenius-repeated"
"""The header in which a server says that an answer was paid before."""


def refusal(status: int, content: Mapping[str, Any]) -> DaleniusError:
    """The error that a reply tells of: of the same class and in the same words as where it was raised."""
    message = content.get("message")
    words = message if isinstance(message, str) else f"the server replied with status {status} and no sentence"
    kind = getattr(errors, str(content.get("error")), None)
    if isinstance(kind, type) and issubclass(kind, DaleniusError):
        return kind(words)
    if status == LATE:
        return ExecutionFailed(words)
    return _BY_STATUS.get(status, ServerUnavailable)(words)


def _header(retry_key: str) -> str:
    if not isinstance(retry_key, str) or not retry_key.isascii() or not retry_key.isprintable():
        raise InvalidParameter("over HTTP a key that makes a retry safe is made of printable letters of ASCII")
    return retry_key
