"""Sign in with a key, at a provider of identities, or on the word of a proxy; and out."""

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import AccessRefused, LedgerUnavailable
from dalenius.ledger import Key
from dalenius.server.address import address_of
from dalenius.server.console.cookie import NAME, Form, SignedIn, form_of, proxy_identity, sign_in
from dalenius.server.console.pages import page, refusal
from dalenius.server.oidc import MINUTES, SignIn
from dalenius.server.state import State
from dalenius.server.who import Served, may_be_wrong

router = APIRouter()

WRONG = "The key opens nothing: it is wrong, revoked or has ended."
NOT_ENDED = (
    "This browser is signed out, but that could not be written down: a copy of its cookie, if there is one, opens the "
    "console until it ends by itself. Revoking the key ends it now."
)
BEGUN = "dalenius_sign_in"
PROVIDER = "\nprovider"
"""As whom sign-ins at a provider wait: a provider that does not answer holds a few threads, and not those of all."""


@router.get("/login")
async def ask_for_key(request: Request, served: Served) -> Response:
    """The page that asks for a key; who was signed in by a trusted proxy is in already."""
    identity = proxy_identity(request)
    if identity is not None:
        return await _let_in(request, served, identity)
    return _asking(request)


@router.post("/login")
async def enter(request: Request, served: Served) -> Response:
    """Sign in; a wrong key is told in one sentence, and counts as a wrong try of its address."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "the form is not from this page: load the page again")
    fields = await form_of(request)
    ledger = served.catalog.ledger
    key = await served.line.free(lambda: ledger.holder(fields.get("key", "").strip()))
    if key is None:
        if not may_be_wrong(request, served):
            return _asking(request, 429, "Too many wrong keys came from this address; try again in a minute.")
        return _asking(request, 401, WRONG)
    return await _signed(request, served, key, RedirectResponse("/", 303))


@router.get("/login/provider")
async def begin(request: Request, served: Served) -> Response:
    """Send somebody to the provider."""
    door = _provider(request, served)
    try:
        place, cookie = await served.line.free_of(PROVIDER, lambda: door.begin(served.wall_clock()))
    except AccessRefused as refused:
        return _asking(request, 503, str(refused))
    answer = RedirectResponse(place, 303)
    answer.set_cookie(  # lax: it must come along when the provider, another site, sends its owner back
        BEGUN,
        cookie,
        max_age=60 * MINUTES,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/login",
    )
    return answer


@router.get("/login/back")
async def come_back(request: Request, served: Served) -> Response:
    """Let in whom the provider vouches for, if an owner has given them anything."""
    door, cookie, given = _provider(request, served), request.cookies.get(BEGUN, ""), dict(request.query_params)
    try:
        identity = await served.line.free_of(PROVIDER, lambda: door.finish(cookie, given, served.wall_clock()))
    except AccessRefused as refused:
        answer: Response = _asking(request, 403, str(refused))
    else:
        answer = await _let_in(request, served, identity)
    answer.delete_cookie(BEGUN, path="/login")
    return answer


@router.post("/logout")
async def leave(form: Form, signed: SignedIn, served: Served) -> Response:
    """Take the cookie back, and end its login: a copy of the cookie opens nothing any more."""
    mark, now = signed.key.fingerprint, served.wall_clock()
    answer: Response = RedirectResponse("/login", 303)
    try:
        await served.line.free(lambda: served.desk.end_login(mark, signed.number, signed.end, now))
    except LedgerUnavailable:
        answer = refusal(503, NOT_ENDED)
    answer.delete_cookie(NAME, path="/")
    return answer


def _provider(request: Request, served: State) -> SignIn:
    door: SignIn | None = request.app.state.sign_in
    if door is None:
        raise HTTPException(404, "people sign in here with a key")
    if not served.strangers.allows(address_of(request)):
        raise HTTPException(429, "too many requests came from this address; try again in a minute")
    return door


async def _let_in(request: Request, served: State, identity: str) -> Response:
    key = await served.line.free(lambda: served.catalog.ledger.login(identity))
    if key is None:
        return page("unknown", status=403, identity=identity)
    return await _signed(request, served, key, page("entered"))  # a page: a redirect would leave a strict cookie behind


async def _signed(request: Request, served: State, key: Key, answer: Response) -> Response:
    ledger, secure = served.catalog.ledger, request.url.scheme == "https"
    await served.line.free(lambda: sign_in(answer, ledger, key, served.wall_clock(), secure=secure))
    return answer


def _asking(request: Request, status: int = 200, wrong: str | None = None) -> Response:
    return page("login", status=status, wrong=wrong, has_provider=request.app.state.sign_in is not None)
