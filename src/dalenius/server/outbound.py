"""Requests that the server makes itself: to addresses that its owner named, encrypted, and to no other."""

import http.client
import ipaddress
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

TIMEOUT, MOST_BYTES = 10, 1 << 20


def is_safe(address: str) -> bool:
    """Whether an address is encrypted on its way, or stays on this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        local = host == "localhost" or (host.replace(".", "").isdigit() and ipaddress.ip_address(host).is_loopback)
    except ValueError:
        return False
    plain = not parts.username and not parts.password and not parts.fragment
    return bool(host) and plain and (parts.scheme == "https" or (parts.scheme == "http" and local))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is sent goes to the address that was named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow nothing."""


def sent(place: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    """What an address answers, at most a megabyte of it; OSError if it does not."""
    if not is_safe(place):
        raise OSError("the address is neither encrypted nor on this machine")
    request = urllib.request.Request(place, body, dict(headers))
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(MOST_BYTES)
            return content
    except (http.client.HTTPException, ValueError):  # what came is no HTTP; neither is an OSError by itself
        raise OSError("the address does not answer as the web does") from None
