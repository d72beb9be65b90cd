"""Listen for requests: on this machine alone, unless what is sent is encrypted."""

import gc
import ipaddress
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from dalenius.errors import InvalidParameter

LOOPBACK = ("127.0.0.0/8", "::1/128")


def serve(
    app: FastAPI,
    *,
    host: str = "127.0.0.1",
    port: int = 8125,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    behind_proxy: bool = False,
) -> None:
    """Serve until stopped.

    Args:
        app: what `create_app` made.
        host: the address to listen on; another machine's requests need TLS, or a proxy that has it.
        port: the port.
        tls_cert: the certificate, in PEM.
        tls_key: its key.
        behind_proxy: whether a proxy on the way encrypts. What it says of a request, the app itself reads, and of the
            proxies that its settings declare: a header can be written by anybody.
    """
    check_listening(host, tls_cert, tls_key, behind_proxy)
    gc.freeze()  # what is loaded now stays: it is not searched for garbage while questions are answered
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            ssl_certfile=tls_cert,
            ssl_keyfile=tls_key,
            proxy_headers=False,
            access_log=False,
            server_header=False,
            log_level="warning",
            timeout_keep_alive=30,
            limit_concurrency=2000,
            http="h11",  # the one that has a limit on headers
            h11_max_incomplete_event_size=1 << 16,
        )
    finally:
        gc.unfreeze()


def check_listening(host: str, tls_cert: Path | None, tls_key: Path | None, behind_proxy: bool) -> None:
    """Refuse to let keys and answers travel in the clear."""
    if (tls_cert is None) != (tls_key is None):
        raise InvalidParameter("TLS needs a certificate and its key: give both")
    if not _is_loopback(host) and tls_cert is None and not behind_proxy:
        raise InvalidParameter(
            f"{host} can be reached from other machines: give --tls-cert and --tls-key, "
            "or --behind-proxy if a proxy encrypts"
        )


def proxies_of(host: str, declared: Sequence[str], behind_proxy: bool) -> tuple[str, ...]:
    """The proxies that are believed: those that were declared, or this machine's own if it alone is listened to.

    Limits are kept by address, so whoever is believed without being a proxy has as many addresses as they like.
    """
    if declared or not behind_proxy:
        return tuple(declared)
    if not _is_loopback(host):
        raise InvalidParameter(
            f"{host} can be reached from other machines, each of which could say that a request came from anywhere: "
            "name the address of the proxy with --proxy"
        )
    return LOOPBACK


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
