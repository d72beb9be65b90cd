"""The owner's page: budget, shares, keys, requests, and the log with its verification."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.ledger import Role
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.opened import Owner
from dalenius.server.console.pages import page, path_to
from dalenius.server.console.public_ask import PUBLIC, public_terms
from dalenius.server.who import Served
from dalenius.sql import Session

router = APIRouter()

_LAST = 200
"""Entries of the log that the page shows."""


@router.get("/tables/{table}/govern")
async def govern(session: Owner, signed: SignedIn, served: Served, kind: str = "", containing: str = "") -> Response:
    """Everything that an owner decides."""
    return await _page(session, signed, served, kind=kind, containing=containing)


@router.get("/tables/{table}/spending.svg")
async def spending(session: Owner, served: Served) -> Response:
    """What is left of the budget after each charge."""
    drawn = await served.line.free(lambda: _spending(session))
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@router.post("/tables/{table}/govern/share")
async def share(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Give, raise or lower a share."""
    given = {name: form.get(name, "").strip() for name in ("analyst", "epsilon", "delta", "until")}
    return await _decide(
        session,
        signed,
        served,
        lambda: session.ledger.share(
            session.dataset, given["analyst"], given["epsilon"], given["delta"] or 0, until=given["until"] or None
        ),
    )


@router.post("/tables/{table}/govern/revoke")
async def revoke(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """End a share."""
    return await _decide(
        session, signed, served, lambda: session.ledger.revoke(session.dataset, form.get("analyst", ""))
    )


@router.post("/tables/{table}/govern/approve")
async def approve(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Grant a request."""
    return await _decide(
        session, signed, served, lambda: session.ledger.approve(session.dataset, form.get("request", ""))
    )


@router.post("/tables/{table}/govern/decline")
async def decline(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Refuse a request."""
    reason = form.get("reason", "").strip() or None
    return await _decide(
        session, signed, served, lambda: session.ledger.decline(session.dataset, form.get("request", ""), reason)
    )


@router.post("/tables/{table}/govern/key")
async def create_key(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Make a key for this data set, and show it this once."""
    try:
        secret, _ = await served.line.free(
            lambda: session.ledger.create_key(
                form.get("name", "").strip(), form.get("role", ""), [session.dataset], until=form.get("until") or None
            )
        )
    except DaleniusError as error:
        return await _page(session, signed, served, refused=str(error), status=400)
    return await _page(session, signed, served, secret=secret)


@router.post("/tables/{table}/govern/revoke-key")
async def revoke_key(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Let a key of this data set open nothing any more."""
    mark = form.get("fingerprint", "")

    def work() -> None:
        named = [key for key in session.ledger.all_keys() if key.fingerprint == mark and session.dataset in key.roles]
        if not named:
            raise HTTPException(404, "there is no such key")
        foreign = set(named[0].roles) - {name for name, role in signed.key.roles.items() if role is Role.OWNER}
        if foreign:
            raise HTTPException(403, "the key opens data sets of other owners too")
        session.ledger.revoke_key(mark)

    return await _decide(session, signed, served, work)


@router.post("/tables/{table}/govern/public")
async def open_to_public(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Let everybody ask, of a share of their own, so much a day; or close it."""
    given = {name: form.get(name, "").strip() for name in ("epsilon", "delta", "daily", "until")}

    def work() -> None:
        if form.get("close"):
            session.ledger.revoke(session.dataset, PUBLIC)
            return
        if not given["daily"]:
            raise InvalidParameter("say how much everybody may draw a day")
        session.ledger.share(
            session.dataset, PUBLIC, given["epsilon"], given["delta"] or 0, until=given["until"] or None
        )
        session.ledger.allow_daily(session.dataset, PUBLIC, given["daily"])

    return await _decide(session, signed, served, work)


@router.post("/tables/{table}/govern/verify")
async def verify(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Replay the chain."""
    try:
        length, head = await served.line.free(session.ledger.verify)
    except DaleniusError as error:
        return await _page(session, signed, served, refused=str(error), status=400)
    return await _page(session, signed, served, said=f"The chain of {length} entries is whole. Keep its head: {head}")


async def _decide(session: Session, signed: Signed, served: Served, work: Callable[[], None]) -> Response:
    """Do what the owner decided, then show the page anew; a refusal stands on the page."""
    try:
        await served.line.free(work)
    except DaleniusError as error:
        return await _page(session, signed, served, refused=str(error), status=400)
    return RedirectResponse(path_to(session.policy.table, "govern"), 303)


async def _page(
    session: Session,
    signed: Signed,
    served: Served,
    *,
    kind: str = "",
    containing: str = "",
    refused: str | None = None,
    said: str | None = None,
    secret: str | None = None,
    status: int = 200,
) -> Response:
    values = await served.line.free(lambda: _facts(session, kind, containing))
    told = {"refused": refused, "said": said, "secret": secret, "kind": kind, "containing": containing}
    return page("govern", signed, status, policy=session.policy, **told, **values)


def _facts(session: Session, kind: str, containing: str) -> dict[str, Any]:
    book, name = session.ledger, session.dataset
    budget = book.budget(name)
    shares = [
        {
            "analyst": who,
            "share": str(share.limit),
            "until": share.until,
            "revoked": share.revoked,
            **_used(book, name, who),
        }
        for who, share in book.all_shares(name).items()
    ]
    log = book.log(name, kind=kind or None, containing=containing or None)
    return {
        "granted": str(book.limit(name)),
        "left": str(book.remaining(name)),
        "used": float(budget.used),
        "shares": shares,
        "public": public_terms(book, name),
        "requests": [one.to_dict() for one in book.requests(name)],
        "api_keys": [key for key in book.all_keys() if name in key.roles],
        "log": list(reversed(log[-_LAST:])),
        "entries": len(log),
        "kinds": sorted({entry.kind for entry in book.log(name)}),
    }


def _used(book: Any, name: str, who: str) -> dict[str, Any]:
    standing = book.budget(name, analyst=who)
    return {"used": float(standing.used), "left": standing.left}


def _spending(session: Session) -> str:
    from dalenius import charts

    entries = session.ledger.entries(session.dataset)
    granted = [(one.time, 0.0) for one in session.ledger.log(session.dataset, kind="create")]
    taken = granted + [(one.time, float(one.charged.epsilon or 0)) for one in entries]
    return charts.svg_text(charts.burn_down(taken, float(session.ledger.limit(session.dataset).epsilon)))
