"""Templates, in which every value is escaped."""

from functools import cache
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from dalenius.curator import key_text
from dalenius.escape import terminal
from dalenius.server.console.cookie import Signed


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("dalenius.server.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["moment"], made.filters["seen"], made.filters["key_text"] = moment, seen, key_text
    return made


def moment(text: str | None) -> str:
    """A time of the ledger as people read it; what is no such time stays as it is."""
    begin, _, end = (text or "").partition("T")
    return f"{begin} {end[:5]} UTC" if end.endswith("+00:00") else text or ""


def seen(text: object) -> str:
    """A text of somebody else's as a page shows it: what is not seen, or turns the direction, stands there as its code.

    A form's own fields carry a text as it is.
    """
    return terminal(str(text).replace("\r\n", "\n").expandtabs(4), lines=True)


def page(name: str, signed: Signed | None = None, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, with the token for its forms if somebody is signed in."""
    return HTMLResponse(_templates().get_template(f"{name}.html").render(signed=signed, **values), status)


def path_to(table: str, *parts: str) -> str:
    """The address of a table's page, or of one below it; no part of it leaves its place."""
    return "/".join(["/tables", *(quote(part, safe="") for part in (table, *parts))])


def refusal(status: int, message: str) -> HTMLResponse:
    """A page that says why nothing was done."""
    return page("refusal", status=status, message=message)
