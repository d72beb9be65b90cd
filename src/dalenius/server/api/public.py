"""What needs no key: pages that owners have published, and tables that they let everybody ask.

Answers are made into text where the work is done: on the loop, a long one would keep those of others from leaving.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from dalenius.server.address import address_of
from dalenius.server.answers import answer_json
from dalenius.server.api.query import ANSWERS
from dalenius.server.console import asking
from dalenius.server.console.public import PageName, publication_of, released_on, shown_to_everybody, stranger
from dalenius.server.console.public_ask import (
    TOO_OFTEN,
    Asked,
    ask_for_everybody,
    check_public,
    explained,
    public_terms,
)
from dalenius.server.question import Amount
from dalenius.server.state import State
from dalenius.server.who import Served
from dalenius.sql import LONGEST, Session


async def _json(request: Request) -> None:
    """A page of another site cannot make its readers send this type without being asked first by the browser."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(422, "a question is sent as application/json")


router = APIRouter(tags=["public"])


class PublicQuestion(BaseModel):
    """A question of everybody's: one SELECT, at a price in plain ε."""

    model_config = ConfigDict(extra="forbid")

    sql: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    epsilon: Amount
    delta: Amount | None = None

    def form(self) -> dict[str, str]:
        """The question as a page's form carries it."""
        return {"sql": self.sql, "epsilon": str(self.epsilon), "delta": "" if self.delta is None else str(self.delta)}


class PageFacts(BaseModel):
    """A published page."""

    id: str
    title: str
    time: str
    answers: int


class Everybody(BaseModel):
    """Pages that everybody may read, and tables that everybody may ask."""

    pages: list[PageFacts]
    tables: list[str]


class PublishedAnswer(BaseModel):
    """An answer of a page, with its title."""

    title: str
    answer: dict[str, Any]


class PublishedPage(BaseModel):
    """A page with its answers: figures, their ends, and the statement of privacy of each."""

    id: str
    title: str
    time: str
    answers: list[PublishedAnswer]


class OpenTable(BaseModel):
    """What everybody together may draw of a table, a day and in all, and what is declared of it."""

    table: str
    daily: dict[str, Any]
    share: dict[str, Any]
    left: dict[str, Any]
    until: str | None
    description: dict[str, Any]


@router.get("/api/public", dependencies=[Depends(stranger)])
async def list_public(served: Served) -> Everybody:
    """Every page that is shown to everybody, and the tables that everybody may ask."""
    pages, tables = await served.line.free(lambda: shown_to_everybody(served))
    facts = [PageFacts(id=one.id, title=one.title, time=one.time, answers=len(one.tiles)) for one in pages]
    return Everybody(pages=facts, tables=tables)


@router.get("/api/public/pages/{name}", response_model=PublishedPage, dependencies=[Depends(stranger)])
async def show_page(name: PageName, served: Served) -> JSONResponse:
    """One page."""
    return await served.line.free(lambda: _page(served, name))


@router.get("/api/public/tables/{table}")
async def show_open_table(session: Asked, served: Served) -> OpenTable:
    """A table that everybody may ask."""
    return await served.look(session, lambda: _open_table(session))


@router.post("/api/public/tables/{table}/explain", dependencies=[Depends(_json)])
async def explain_in_public(question: PublicQuestion, session: Asked, served: Served) -> dict[str, Any]:
    """Price and error, for nothing."""
    explanation = await served.long_look(session, lambda: explained(session, question.form()))
    return {name: value for name, value in explanation.items() if name not in ("retry", "profile")}


@router.post(
    "/api/public/tables/{table}/query",
    response_model=dict[str, Any],
    responses={202: ANSWERS[202]},
    dependencies=[Depends(_json)],
)
async def ask_in_public(question: PublicQuestion, request: Request, session: Asked, served: Served) -> JSONResponse:
    """The answer, of everybody's share; what somebody has paid for, everybody gets. So many an hour for one address.

    Asked again, it is the same question and the same charge: it needs no idempotency key.
    """
    known = await served.long_look(session, lambda: _known(session, question.form()))
    if known is not None:
        return known
    if not served.public_questions.allows(address_of(request)):
        raise HTTPException(429, TOO_OFTEN)
    return await served.line.ask(session.dataset, lambda: _asked(session, question.form()), session.analyst)


def _known(session: Session, form: dict[str, str]) -> JSONResponse | None:
    check_public(session, form)
    release = asking.known_answer(session, form)
    return None if release is None else JSONResponse(answer_json(release))


def _asked(session: Session, words: dict[str, str]) -> JSONResponse:
    return JSONResponse(answer_json(ask_for_everybody(session, words)))


def _page(served: State, name: str) -> JSONResponse:
    shown = publication_of(served, name)
    answers = [
        PublishedAnswer(title=tile.title, answer=answer_json(released_on(served, shown, tile))) for tile in shown.tiles
    ]
    page = PublishedPage(id=shown.id, title=shown.title, time=shown.time, answers=answers)
    return JSONResponse(page.model_dump())


def _open_table(session: Session) -> OpenTable:
    terms: dict[str, Any] | None = public_terms(session.ledger, session.dataset)
    if terms is None:  # closed a moment ago
        raise HTTPException(404, "there is no such table, or not everybody may ask it")
    amounts = {name: terms[name].to_dict() for name in ("daily", "share", "left")}
    description = answer_json(session.describe(None))
    return OpenTable(table=session.policy.table, until=terms["until"], description=description, **amounts)
