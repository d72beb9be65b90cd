"""One request to a server, and its reply; nothing here knows what they say."""

import http.client
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dalenius.errors import InvalidParameter, ServerUnavailable
from dalenius.remote.address import Address

SECONDS = 120
"""How long a reply may be silent; an answer leaves at its moment, and others may stand in line before it."""

MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """A way to a server."""

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """The reply, or ServerUnavailable if none came: then nobody knows whether the request arrived."""

    def close(self) -> None:
        """Let go of the connection."""


class HttpTransport:
    """HTTP over one connection at a time, which is kept.

    No redirect is followed, since the key would go along, and no proxy is taken from the environment. Over TLS the
    server's certificate is checked against the machine's authorities or those of a file; no setting turns that off.
    """

    def __init__(self, address: Address, certificates: str | Path | None = None) -> None:
        self._address = address
        self._context: ssl.SSLContext | None = None
        if address.encrypted:
            try:
                self._context = ssl.create_default_context(cafile=certificates)
            except OSError:
                raise InvalidParameter(f"there are no certificates in {str(certificates)!r}, in PEM") from None
        elif certificates is not None:
            raise InvalidParameter("certificates are for an address that begins with https://")
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """The reply, or ServerUnavailable if none came."""
        with self._lock:
            try:
                return self._sent(method, self._address.path + path, headers, body)
            except (OSError, http.client.HTTPException) as failed:
                self._drop()
                reason = type(failed).__name__
        raise ServerUnavailable(f"no reply came from {self._address}: {reason}")

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._drop()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:
            self._drop()

    def _sent(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        if self._connection is None:
            self._connection = self._opened()
        self._connection.request(method, path, body=body, headers=dict(headers))
        answer = self._connection.getresponse()
        content = answer.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise http.client.HTTPException("the reply is too long")
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _opened(self) -> http.client.HTTPConnection:
        host, port = self._address.host, self._address.port
        if self._context is None:
            return http.client.HTTPConnection(host, port, timeout=SECONDS)
        return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=self._context)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
