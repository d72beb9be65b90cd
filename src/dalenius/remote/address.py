"""Where a server is, and whether what is sent to it can be read on the way."""

import ipaddress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped

SCHEMES = ("http", "https")


def is_address(place: Any) -> bool:
    """Whether a text names a server and not a file."""
    return isinstance(place, str) and place.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


@dataclass(frozen=True, slots=True)
class Address:
    """A server's host and port, whether TLS protects the way, and the path under which it stands."""

    host: str
    port: int
    encrypted: bool
    path: str = ""

    @classmethod
    def read(cls, url: str, allow_http: bool = False) -> "Address":
        """The address that a URL names; one over which keys would travel in the clear is refused."""
        if any(ord(letter) < 33 or ord(letter) == 127 for letter in url):
            raise InvalidParameter(f"a server's address has no spaces and no control characters, got {url!r}")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise InvalidParameter(f"this is no address of a server: {url!r}") from None
        if parts.scheme not in SCHEMES or not host:
            raise InvalidParameter(f"a server's address is like https://host:8125, got {url!r}")
        if parts.username is not None or parts.password is not None:
            raise InvalidParameter("a key does not belong into an address, which programs write down: give key=")
        if parts.query or parts.fragment:
            raise InvalidParameter(f"a server's address ends with its path, got {url!r}")
        encrypted = parts.scheme == "https"
        if not (encrypted or allow_http or _is_loopback(host)):
            raise InvalidParameter(
                f"http:// would send the key and the answers to {host} in the clear: use https://, or say "
                "allow_http=True if the way there is protected by other means"
            )
        return cls(host, port or (443 if encrypted else 80), encrypted, parts.path.rstrip("/"))

    @escaped
    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{self.port}{self.path}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
