"""A page on which everybody may ask, if the owner opens one: of one share of their own, so much a day.

All strangers are one asker: what one of them has paid for, all may see, and they share a place in the line. The day's
allowance and the share are kept by the ledger, over all servers. Strangers can drain both; no other share is touched.
"""

import hashlib
import hmac
import json
import secrets
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from dalenius.curator import Release
from dalenius.errors import DaleniusError, InvalidParameter, LedgerMismatch, UnknownName, UnsupportedQuery
from dalenius.ledger import EVERYBODY as PUBLIC
from dalenius.ledger import Amount, Key, Ledger, Role, decimal
from dalenius.server.address import address_of
from dalenius.server.console import asking
from dalenius.server.console.answers import ReceiptHead, as_file, as_picture
from dalenius.server.console.asked import known_shown
from dalenius.server.console.cookie import form_of
from dalenius.server.console.joined import joined_tables
from dalenius.server.console.pages import page
from dalenius.server.console.shown import ShownAnswer, shown_answer
from dalenius.server.line import Busy, NoAnswer
from dalenius.server.refusals import BUSY, NO_ANSWER
from dalenius.server.state import State
from dalenius.server.who import Served, TableName, session_of
from dalenius.sql import Session, read_statement

COOKIE = "dalenius_public"
CLOSED = "there is no such table, or not everybody may ask it"
TOO_OFTEN = "this address has asked as often as one may in an hour; try again later"
PURPOSE = "asked in public"
QUESTIONS_A_DAY = 100
"""How many questions a day's allowance pays for at most: the least price is so small a part of it."""


def public_terms(book: Ledger, dataset: str) -> dict[str, Amount | str | None] | None:
    """What everybody may draw of a data set, a day and in all; None unless its owner has opened it."""
    share = book.all_shares(dataset).get(PUBLIC)
    try:
        daily = book.allowance(dataset, PUBLIC)
    except UnknownName:
        return None
    if share is None or share.revoked or daily is None:
        return None
    return {"daily": daily, "share": share.limit, "until": share.until, "left": book.remaining(dataset, PUBLIC)}


async def open_session(table: TableName, request: Request, served: Served) -> Session:
    """The session of everybody; a table that is closed is a table that is not there."""
    if not served.strangers.allows(address_of(request)):
        raise HTTPException(429, "too many requests came from this address; try again in a minute")
    dataset = served.catalog.dataset(table)
    if dataset is None or await served.line.free(lambda: public_terms(served.catalog.ledger, dataset)) is None:
        raise HTTPException(404, CLOSED)
    return await session_of(served, table, Key(PUBLIC, PUBLIC, {dataset: Role.ANALYST}), Role.ANALYST)


Asked = Annotated[Session, Depends(open_session)]
router = APIRouter()


@router.get("/ask/{table}")
async def show(session: Asked, request: Request, served: Served) -> Response:
    """The editor that needs no key."""
    return await _editor(session, request, served, {})


@router.post("/ask/{table}/explain")
async def explain(session: Asked, request: Request, served: Served) -> Response:
    """Price and error, for nothing."""
    form = await _form(request)
    try:
        explanation = await served.long_look(session, lambda: explained(session, form))
    except DaleniusError as error:
        return await _editor(session, request, served, form, refused=str(error), status=400)
    return await _editor(session, request, served, form, explanation=explanation)


@router.post("/ask/{table}/answer")
async def answer(session: Asked, request: Request, served: Served) -> Response:
    """The answer, of everybody's share; so many an hour for one address."""
    form = await _form(request)
    try:
        await served.long_look(session, lambda: check_public(session, form))
        shown = await served.long_look(session, lambda: known_shown(session, form))
        if shown is None:
            if not served.public_questions.allows(address_of(request)):
                raise HTTPException(429, TOO_OFTEN)
            work = partial(_asked_shown, session, form)
            shown = await served.line.ask(session.dataset, work, session.analyst)
    except NoAnswer:
        return await _editor(session, request, served, form, refused=NO_ANSWER, status=202)
    except Busy:
        return await _editor(session, request, served, form, refused=BUSY, status=429)
    except DaleniusError as error:
        return await _editor(session, request, served, form, refused=str(error), status=400)
    return await _editor(session, request, served, form, shown=shown)


@router.get("/ask/{table}/answers/{receipt}/answer.{kind}")
async def file(receipt: ReceiptHead, kind: str, session: Asked, served: Served) -> Response:
    """An answer that somebody got here, as a file."""
    return await served.look(session, lambda: as_file(_seen(session, receipt), kind))


@router.get("/ask/{table}/answers/{receipt}/chart.svg")
async def chart(receipt: ReceiptHead, session: Asked, served: Served) -> Response:
    """The bars of an answer that somebody got here."""
    return await served.look(session, lambda: as_picture(_seen(session, receipt)))


def _asked_shown(session: Session, form: dict[str, str]) -> ShownAnswer:
    release = ask_for_everybody(session, form)
    return shown_answer(release, asking.receipt_of(session, release))


def _seen(session: Session, receipt: str) -> Any:
    release = asking.stored_answer(session, receipt)
    if release is None:
        raise HTTPException(404, "there is no such answer")
    return release


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form of this very page: no other site can send the cookie that must agree with its token."""
    fields = await form_of(request)
    token, cookie = fields.pop("token", ""), request.cookies.get(COOKIE, "")
    if len(cookie) != 64 or not hmac.compare_digest(token.encode(), cookie.encode()):
        raise HTTPException(403, "the form is not from this page: load the page again")
    return fields


def ask_for_everybody(session: Session, form: dict[str, str]) -> Release:
    """The answer, charged to everybody's share; once, however many strangers ask the same while it is worked on.

    All strangers are one asker, and what one of them has paid for all may see. So a question has one key, whoever asks
    it: these very words, of this version, on this day. A key that a stranger could choose would be everybody's, and
    whoever used it first would keep it from all others.
    """
    words = [form.get(name, "") for name in ("sql", *asking.TERMS)]
    facts = [*words, session.policy.version, session.policy.today.isoformat()]
    key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    asked = form | {"purpose": PURPOSE, "profile": "", "retry": key}
    try:
        return asking.ask(session, asked, PUBLIC)
    except LedgerMismatch:  # the owner has changed the terms since, so that the same words are another question
        return asking.ask(session, asked | {"retry": ""}, PUBLIC)


def check_public(session: Session, form: dict[str, str]) -> None:
    """Refuse what strangers could leave behind in the session that they share, and prices that would never be used up.

    Every charge is an entry of the ledger, for ever: at a price of almost nothing, strangers could write without end.
    """
    sql = asking.sql_of(form)
    if session.creates_synthetic(sql) or read_statement(sql).view is not None:
        raise UnsupportedQuery("in public a question is one SELECT: views and synthetic tables need a key")
    daily = session.ledger.allowance(session.dataset, PUBLIC)
    explanation = session.explain(sql, **asking.terms_of(form))
    if explanation.profile:
        raise InvalidParameter(
            "this question needs to know how many rows or groups each unit has, which the owner has not bought yet: "
            "in public nobody else can"
        )
    price = asking.pure_price(explanation)
    if daily is None or price is None or price * QUESTIONS_A_DAY < daily.epsilon:
        least = "" if daily is None else f" of at least ε = {decimal(daily.epsilon / QUESTIONS_A_DAY)}"
        raise InvalidParameter(f"in public a question has a price in plain ε{least}")


def explained(session: Session, form: dict[str, str]) -> dict[str, Any]:
    """Price and error of a question that may be asked in public."""
    check_public(session, form)
    return asking.explained(session, form)


async def _editor(
    session: Session,
    request: Request,
    served: State,
    form: dict[str, str],
    *,
    explanation: dict[str, Any] | None = None,
    shown: ShownAnswer | None = None,
    refused: str | None = None,
    status: int = 200,
) -> Response:
    terms = await served.look(session, lambda: public_terms(session.ledger, session.dataset))
    old = request.cookies.get(COOKIE, "")
    token = old if len(old) == 64 else secrets.token_hex(32)
    answer = page(
        "public_ask",
        status=status,
        policy=session.policy,
        joined=joined_tables(session),
        form={"sql": "", "epsilon": "", "delta": "", "purpose": ""} | form,
        explanation=explanation,
        shown=shown,
        refused=refused,
        terms=terms,
        token=token,
    )
    answer.set_cookie(
        COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/ask"
    )
    return answer
