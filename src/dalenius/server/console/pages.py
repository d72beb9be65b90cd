"""Templates, in which every value is escaped."""

from functools import cache
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

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
    made.filters["moment"] = moment
    return made


def moment(text: str | None) -> str:
    """A time of the ledger as people read it; what is no such time stays as it is."""
    begin, _, end = (text or "").partition("T")
    return f"{begin} {end[:5]} UTC" if end.endswith("+00:00") else text or ""


def page(name: str, signed: Signed | None = None, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, with the token for its forms if somebody is signed in."""
    return HTMLResponse(_templates().get_template(f"{name}.html").render(signed=signed, **values), status)


def path_to(table: str, *parts: str) -> str:
    """The address of a table's page, or of one below it; no part of it leaves its place."""
    return "/".join(["/tables", *(quote(part, safe="") for part in (table, *parts))])


def refusal(status: int, message: str) -> HTMLResponse:
    """A page that says why nothing was done."""
    return page("refusal", status=status, message=message)
