"""Who is signed in: a cookie that names a key and an end, under a mark that only the ledger can make.

The cookie is for HTTP alone and for this site alone. A revoked or ended key ends it at the next request, and so does
signing out: a copy of the cookie that somebody else has kept opens nothing after it, on any server. Every form
that writes carries a token, made from the cookie's own number: another site can neither read nor guess it.
"""

import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, HTTPException, Request, Response

from dalenius.ledger import Key, Ledger
from dalenius.server.proxied import USER
from dalenius.server.signed_out import SignedOut
from dalenius.server.state import State, state_of

NAME = "dalenius"
FIELDS = ("sql", "epsilon", "delta", "purpose", "retry")
"""What pages show again of a form; a field that was not sent is empty, also after the charge."""

HOURS = 12


@dataclass(frozen=True, slots=True)
class Signed:
    """Who is signed in, the token that their forms carry, and the number and the end of this login."""

    key: Key
    token: str
    number: str
    end: int


def sign_in(response: Response, ledger: Ledger, key: Key, now: float, *, secure: bool) -> None:
    """Give the browser a cookie for a key."""
    words = f"{key.fingerprint}.{int(now) + HOURS * 3600}.{secrets.token_hex(16)}"
    value = f"{words}.{ledger.seal(key.fingerprint, words)}"
    response.set_cookie(NAME, value, max_age=HOURS * 3600, httponly=True, samesite="strict", secure=secure, path="/")


def read(ledger: Ledger, cookie: str, now: float) -> Signed | None:
    """Who a cookie names, if it was made here, has not ended, and its key opens anything now."""
    parts = cookie.split(".")
    if len(parts) != 4 or not cookie.isascii():
        return None
    fingerprint, end, number, mark = parts
    sealed = ledger.seal(fingerprint, ".".join(parts[:3]))
    if sealed is None or not hmac.compare_digest(sealed, mark) or not end.isdigit() or int(end) <= now:
        return None
    key, token = ledger.key_named(fingerprint), ledger.seal(fingerprint, f"token {number}")
    return None if key is None or token is None else Signed(key, token, number, int(end))


async def signed_in(request: Request, served: Annotated[State, Depends(state_of)]) -> Signed:
    """Who is signed in."""
    cookie = request.cookies.get(NAME, "")
    signed = await served.line.free(lambda: _signed(served, cookie))
    named = proxy_identity(request)
    if signed is None or (named is not None and signed.key.identity != named):
        raise SignedOut
    if not served.requests.allows(signed.key.fingerprint):
        raise HTTPException(429, "too many requests came with this key; try again in a second")
    return signed


def _signed(served: State, cookie: str) -> Signed | None:
    signed = read(served.catalog.ledger, cookie, served.wall_clock())
    if signed is None or served.desk.has_ended(signed.key.fingerprint, signed.number):
        return None
    return signed


def proxy_identity(request: Request) -> str | None:
    """The identity of whom a trusted proxy has signed in; a cookie of anybody else is no longer theirs to use."""
    user = request.scope.get(USER)
    return None if user is None else f"proxy|{user}"


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(422, "a form is sent as application/x-www-form-urlencoded")
    try:
        text = (await request.body()).decode("utf-8")
        return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True, max_num_fields=50).items()}
    except ValueError:
        raise HTTPException(422, "the form cannot be read") from None


async def checked_form(request: Request, signed: Annotated[Signed, Depends(signed_in)]) -> dict[str, str]:
    """The fields of a form that this server made for who is signed in."""
    fields = await form_of(request)
    if not hmac.compare_digest(fields.pop("token", "").encode(), signed.token.encode()):
        raise HTTPException(403, "the form is not from this page: load the page again")
    return dict.fromkeys(FIELDS, "") | fields


SignedIn = Annotated[Signed, Depends(signed_in)]
Form = Annotated[dict[str, str], Depends(checked_form)]
