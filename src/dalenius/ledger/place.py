"""Read where a ledger is: a path, or a URL that names its store."""

import re
from pathlib import Path

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.ledger.sqlite import SQLiteStore
from dalenius.ledger.store import Store

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)


def open_store(path: str | Path) -> Store:
    """The store at a path or URL; sqlite:///x.ledger is a file here, sqlite:////data/x.ledger one from the root."""
    if not isinstance(path, str | Path) or not str(path):
        raise InvalidParameter(f'a ledger is a file: give its path, such as "people.ledger", got {shown(path)}')
    if re.fullmatch(r"(sqlite:/*)?:memory:", str(path), re.IGNORECASE):
        raise InvalidParameter(
            "a ledger in memory would forget what was spent: give the path of a file that lasts, such as "
            '"people.ledger"'
        )
    url = _URL.fullmatch(path) if isinstance(path, str) else None
    if url is None:
        return SQLiteStore(path)
    if url["scheme"].lower() != "sqlite":  # the rest may hold a password, so it is not repeated
        raise InvalidParameter(f"there is no store for {url['scheme']}:// ledgers; give a path, or sqlite:///path")
    if not re.fullmatch(r"/[^/?#].*|//[^/?#].*", url["rest"], re.DOTALL) or "?" in url["rest"]:
        raise InvalidParameter("a SQLite ledger is named sqlite:///path, or sqlite:////path from the root")
    return SQLiteStore(url["rest"][1:])
