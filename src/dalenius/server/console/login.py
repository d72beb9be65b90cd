"""Sign in with a key, and out."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dalenius.server.console.cookie import NAME, Form, form_of, sign_in
from dalenius.server.console.pages import page
from dalenius.server.who import Served

router = APIRouter()

WRONG = "The key opens nothing: it is wrong, revoked or has ended."


@router.get("/login")
async def ask_for_key() -> Response:
    """The page that asks for a key."""
    return page("login", wrong=None)


@router.post("/login")
async def enter(request: Request, served: Served) -> Response:
    """Sign in; a wrong key is told in one sentence, and counts as a wrong try of its address."""
    fields = await form_of(request)
    address = request.client.host if request.client is not None else ""
    if not served.wrong_keys.allows(address, takes=False):
        return page("login", status=429, wrong="Too many wrong keys came from this address; try again in a minute.")
    ledger = served.catalog.ledger
    key = await served.line.free(lambda: ledger.holder(fields.get("key", "").strip()))
    if key is None:
        served.wrong_keys.allows(address)
        return page("login", status=401, wrong=WRONG)
    answer = RedirectResponse("/", 303)
    await served.line.free(
        lambda: sign_in(answer, ledger, key, served.wall_clock(), secure=request.url.scheme == "https")
    )
    return answer


@router.post("/logout")
async def leave(form: Form) -> Response:
    """Take the cookie back."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(NAME, path="/")
    return answer
