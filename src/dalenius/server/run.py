"""Listen for requests: on this machine alone, unless what is sent is encrypted."""

import ipaddress
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from dalenius.errors import InvalidParameter


def serve(
    app: FastAPI,
    *,
    host: str = "127.0.0.1",
    port: int = 8125,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    behind_proxy: bool = False,
    declared: bool = False,
) -> None:
    """Serve until stopped.

    Args:
        app: what `create_app` made.
        host: the address to listen on; another machine's requests need TLS, or a proxy that has it.
        port: the port.
        tls_cert: the certificate, in PEM.
        tls_key: its key.
        behind_proxy: whether a proxy on the way encrypts; it also says which address a request came from.
        declared: whether the settings name the proxies: then the app itself reads what they say, and of them alone.
    """
    check_listening(host, tls_cert, tls_key, behind_proxy)
    uvicorn.run(
        app,
        host=host,
        port=port,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
        proxy_headers=behind_proxy and not declared,
        forwarded_allow_ips="*"
        if behind_proxy and not declared
        else None,  # nobody else reaches a server behind a proxy
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_keep_alive=30,
        limit_concurrency=2000,
        http="h11",  # the one that has a limit on headers
        h11_max_incomplete_event_size=1 << 16,
    )


def check_listening(host: str, tls_cert: Path | None, tls_key: Path | None, behind_proxy: bool) -> None:
    """Refuse to let keys and answers travel in the clear."""
    if (tls_cert is None) != (tls_key is None):
        raise InvalidParameter("TLS needs a certificate and its key: give both")
    if not _is_loopback(host) and tls_cert is None and not behind_proxy:
        raise InvalidParameter(
            f"{host} can be reached from other machines: give --tls-cert and --tls-key, "
            "or --behind-proxy if a proxy encrypts"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
