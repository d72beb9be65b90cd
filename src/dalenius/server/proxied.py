"""Behind a proxy: from which address a request came, and whom the proxy has signed in.

A header can be written by anybody. It is believed if the connection comes from an address that was declared to be the
proxy's, and a request that brings the header from elsewhere is refused.
"""

import ipaddress

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from dalenius.server.limits import refuse
from dalenius.server.settings import Settings

USER = "dalenius.user"
"""Where the name of who was signed in by the proxy stands in a request's scope."""


class Proxied:
    """Read what a declared proxy says of a request; believe nobody else."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = ProxyHeadersMiddleware(app, trusted_hosts=list(settings.proxies))  # type: ignore[arg-type]
        self._direct = app
        self._proxies = [ipaddress.ip_network(one) for one in settings.proxies]
        self._header = None if settings.trusted_header is None else settings.trusted_header.lower().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with who sent it."""
        if scope["type"] != "http":
            await self._direct(scope, receive, send)
            return
        known = self._is_proxy(scope)
        names = [value for name, value in scope["headers"] if name == self._header]
        if names and not known:
            await refuse(send, 403, "Refused", "the header that names people is believed of the proxy alone")
            return
        if len(names) > 1 or any(not _is_name(value) for value in names):
            await refuse(send, 403, "Refused", "the proxy names nobody, or two people at once")
            return
        scope[USER] = names[0].decode() if names else None
        await (self._app if known else self._direct)(scope, receive, send)  # type: ignore[arg-type]

    def _is_proxy(self, scope: Scope) -> bool:
        client = scope.get("client")
        try:
            address = ipaddress.ip_address(client[0]) if client else None
        except ValueError:
            return False
        return address is not None and any(address in network for network in self._proxies)


def _is_name(value: bytes) -> bool:
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(text.strip()) and text == text.strip() and text.isprintable() and len(text) <= 500
