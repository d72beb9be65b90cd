"""The owner's page: budget, shares, keys, requests, and the log with its verification."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.ledger import EVERYBODY as PUBLIC
from dalenius.ledger import Amount, LogEntry, Role
from dalenius.server.console.answers import PICTURE
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.opened import Owner
from dalenius.server.console.pace import burn_down, pace_now
from dalenius.server.console.pages import page, path_to
from dalenius.server.console.public_ask import public_terms
from dalenius.server.who import Served
from dalenius.sql import Session, check_policy

router = APIRouter()

FILTERS = ("kind", "analyst", "since", "until", "containing")
_LAST = 200
"""Entries of the log that the page shows."""


@router.get("/tables/{table}/govern")
async def govern(session: Owner, signed: SignedIn, served: Served, request: Request) -> Response:
    """Everything that an owner decides."""
    wanted = {word: request.query_params.get(word, "")[:200] for word in FILTERS}
    try:
        return await _page(session, signed, served, wanted=wanted)
    except InvalidParameter as error:  # a time that is none
        return await _page(session, signed, served, refused=str(error), status=400)


@router.get("/tables/{table}/govern/policy")
async def policy(session: Owner, signed: SignedIn, served: Served) -> Response:
    """The policy in words, what is doubtful in it, and one question of each kind; the table is checked against it."""
    try:
        check = await served.line.free(lambda: check_policy(session.policy))
    except DaleniusError as error:
        return page("policy", signed, 400, policy=session.policy, check=None, refused=str(error))
    return page("policy", signed, policy=session.policy, check=check, refused=None)


@router.get("/tables/{table}/spending.svg")
async def spending(session: Owner, served: Served, analyst: str | None = None, block: str | None = None) -> Response:
    """What is left after each charge: of the budget, of an analyst's share, or of a block."""
    drawn = await served.line.free(lambda: burn_down(session.ledger, session.dataset, analyst, block))
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE)


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


@router.post("/tables/{table}/govern/change-key")
async def change_key(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Give a key, or somebody who signs in elsewhere, another role or end in this data set."""
    mark, role, until = form.get("fingerprint", ""), form.get("role", ""), form.get("until", "").strip() or None

    def work() -> None:
        key = next((one for one in session.ledger.all_keys() if one.fingerprint == mark), None)
        if key is not None and key.identity is not None and session.dataset in key.roles:
            session.ledger.grant_login(key.identity, key.name, role, [session.dataset], until=until)
        else:
            session.ledger.change_key(mark, role, [session.dataset], until=until)

    return await _decide(session, signed, served, work)


@router.post("/tables/{table}/govern/login")
async def grant_login(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Let in whom a provider or a trusted proxy knows by an identity."""
    given = {name: form.get(name, "").strip() for name in ("identity", "name", "role", "until")}
    return await _decide(
        session,
        signed,
        served,
        lambda: session.ledger.grant_login(
            given["identity"], given["name"], given["role"], [session.dataset], until=given["until"] or None
        ),
    )


@router.post("/tables/{table}/govern/revoke-key")
async def revoke_key(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Let a key of this data set open nothing any more."""
    mark = form.get("fingerprint", "")

    def work() -> None:
        named = [key for key in session.ledger.all_keys() if key.fingerprint == mark and session.dataset in key.roles]
        if not named:
            raise HTTPException(404, "there is no such key")
        if named[0].identity is not None:  # what others have given the same person is theirs to take
            session.ledger.revoke_key(mark, [session.dataset])
            return
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
        session.ledger.open_to_everybody(
            session.dataset, given["epsilon"], given["daily"], given["delta"] or 0, until=given["until"] or None
        )

    return await _decide(session, signed, served, work)


@router.post("/tables/{table}/govern/verify")
async def verify(session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Replay the chain."""
    try:
        length, head = await served.line.free(session.ledger.verify)
    except DaleniusError as error:
        return await _page(session, signed, served, refused=str(error), status=400)
    return await _page(session, signed, served, said=f"The chain of {length} entries is whole. Keep its head: {head}")


async def _decide(session: Session, signed: Signed, served: Served, work: Callable[[], object]) -> Response:
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
    wanted: Mapping[str, str] | None = None,
    refused: str | None = None,
    said: str | None = None,
    secret: str | None = None,
    status: int = 200,
) -> Response:
    asked = dict.fromkeys(FILTERS, "") | dict(wanted or {})
    values = await served.line.free(lambda: _facts(session, asked))
    state = {"refused": refused, "said": said, "secret": secret, "wanted": asked}
    return page(
        "govern",
        signed,
        status,
        policy=session.policy,
        identities=served.settings.provider is not None or served.settings.trusted_header is not None,
        alerts_go_to=served.settings.alerts_go_to,
        said_of=said_of,
        **state,
        **values,
    )


def _facts(session: Session, wanted: Mapping[str, str]) -> dict[str, Any]:
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
    filters: dict[str, Any] = {word: value for word, value in wanted.items() if value}
    log, entries = book.log(name, **filters), book.entries(name)
    return {
        "dataset": name,
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
        "pace": str(pace_now(book, name)),
        "blocks": sorted({label for one in entries if one.blocks is not None for label in one.blocks.labels}),
        "published": book.published(name),
    }


def said_of(entry: LogEntry) -> str:
    """What an entry of the log says, in a few words."""
    words = entry.to_dict()
    for name in ("text", "reason", "title", "identity"):
        if isinstance(words.get(name), str) and words[name]:
            return str(words[name])
    if entry.kind == "key":
        return f"{words['name']}, {words['role']}"
    if entry.kind == "allow":
        units = entry.words["epsilon_units_a_day"]
        return f"{Amount(int(units), 0)} a day" if units else "no cap a day"
    return f"ε = {words['epsilon']}" if "epsilon" in words and entry.kind in ("create", "share") else ""


def _used(book: Any, name: str, who: str) -> dict[str, Any]:
    standing = book.budget(name, analyst=who)
    return {"used": float(standing.used), "left": standing.left}
