"""`dalenius.connect`: one way in, for tables that are here and for those behind a server."""

import inspect
import os
from pathlib import Path
from typing import Any, overload

from dalenius import sql
from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import Ledger
from dalenius.remote.address import Address, is_address
from dalenius.remote.answers import as_documented
from dalenius.remote.client import HttpClient
from dalenius.remote.session import RemoteSession
from dalenius.remote.transport import HttpTransport

KEY_VARIABLE = "DALENIUS_KEY"


@overload
def connect(
    data: str,
    *,
    key: str,
    table: str | None = None,
    certificates: str | Path | None = None,
    allow_http: bool = False,
    patience: float = 60.0,
) -> RemoteSession: ...


@overload
def connect(data: Any = None, *, ledger: Ledger | str | Path, **terms: Any) -> sql.Session: ...


@named_arguments
def connect(data: Any = None, **given: Any) -> sql.Session | RemoteSession:
    """Open a table for private questions: one of this machine's, or one behind a server.

    `connect("purchases.parquet", unit="user_id", budget={"epsilon": 1}, ledger="purchases.ledger")` opens a file or a
    frame on the terms that follow; see `dalenius.sql.connect` for all of them. `connect("https://host", key="dk_…")`
    opens a table that `dalenius serve` serves: the same questions, answers, errors and charts, without its rows.

    Args:
        data: a file, a frame, several of them by name, or the address of a server.
        key: the key that opens the server's tables; the variable DALENIUS_KEY of the environment, if left out.
        table: which of its tables, if the key opens several.
        certificates: a file in PEM of the authorities that vouch for the server, if the machine does not know them.
        allow_http: whether the key may travel in the clear to another machine; to this one it may.
        patience: for how many seconds a request that no answer came to is sent again, under one idempotency key.
        given: the terms of a table that is here.

    An example: `connect("https://stats.example.org", key="dk_…", table="visits").sql("SELECT COUNT(*) FROM visits")`.
    """
    if is_address(data):
        return _served(data, **given)
    if stray := [name for name in ("key", "certificates", "allow_http", "patience") if name in given]:
        raise InvalidParameter(f"{stray[0]} goes with the address of a server, such as https://host")
    return sql.connect(data, **given)


def _served(
    url: str,
    *,
    key: str | None = None,
    table: str | None = None,
    certificates: str | Path | None = None,
    allow_http: bool = False,
    patience: float = 60.0,
    **terms: Any,
) -> RemoteSession:
    if terms:
        raise InvalidParameter(f"{next(iter(terms))} is the server's to say: leave it out")
    secret = os.environ.get(KEY_VARIABLE) if key is None else key
    if secret is None:
        raise InvalidParameter(f"a server asks for a key: give key=, or set {KEY_VARIABLE} in the environment")
    address = Address.read(url, allow_http)
    return opened(HttpClient(HttpTransport(address, certificates), secret, patience), table, str(address))


def opened(client: HttpClient, table: str | None, place: str) -> RemoteSession:
    """The session of a table that a key opens; of the only one, if none is named."""
    listed = client.read("/api/datasets")
    with as_documented():
        datasets = {str(one["table"]): one for one in listed}
    names = ", ".join(datasets)
    if table is None and len(datasets) != 1:
        raise InvalidParameter(f"the key opens {names}: say which by table=" if names else "the key opens no table")
    name = next(iter(datasets)) if table is None else table
    if name not in datasets:
        raise UnknownName(f"there is no table {name!r} behind this key; it opens {names}")
    return RemoteSession(client, datasets[name], place)


def _signature() -> inspect.Signature:
    """Every parameter by name, as help and editors show them: those of both ways."""
    local, remote = (inspect.signature(one).parameters for one in (sql.connect, _served))
    own = [remote[name] for name in ("key", "certificates", "allow_http", "patience")]
    return inspect.Signature([*local.values(), *own])


connect.__signature__ = _signature()  # type: ignore[attr-defined]
