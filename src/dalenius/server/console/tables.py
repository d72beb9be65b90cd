"""Analysts' pages: which tables there are, and asking them, with the price before every spend."""

from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import DaleniusError
from dalenius.ledger import Key, Role
from dalenius.server.console import asking
from dalenius.server.console.asked import ask_shown, known_shown
from dalenius.server.console.builder import ASKED, built, keys, numbers, times
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.history import questions
from dalenius.server.console.joined import joined_tables
from dalenius.server.console.opened import Asker
from dalenius.server.console.pages import page, path_to, refusal
from dalenius.server.console.shown import ShownAnswer
from dalenius.server.line import NoAnswer
from dalenius.server.refusals import NO_ANSWER
from dalenius.server.state import State
from dalenius.server.who import Served, check_still_open, session_of
from dalenius.server.wishes import wished
from dalenius.sql import Session

router = APIRouter()

_PAST = 8
"""Questions of the asker's history that a page lists."""


@router.get("/")
async def list_tables(signed: SignedIn, served: Served) -> Response:
    """Every table that the key opens, with what is left of its budget."""
    sessions = [
        await session_of(served, one.policy.table, signed.key, *Role) for one in served.catalog.tables(signed.key)
    ]

    tables = [
        {
            "name": one.policy.table,
            "role": str(signed.key.role(one.dataset)),
            "protects": str(one.unit),
            "left": str(await served.look(one, lambda one=one: one.budget)),  # type: ignore[misc]
            "columns": len(one.policy.columns),
        }
        for one in sessions
    ]
    return page("tables", signed, tables=tables)


@router.get("/tables/{table}")
async def show_table(
    session: Asker, signed: SignedIn, served: Served, sql: str = "", epsilon: str = "", delta: str = ""
) -> Response:
    """A table and the editor."""
    return await _editor(session, signed, served, {"sql": sql, "epsilon": epsilon, "delta": delta})


@router.get("/tables/{table}/build")
async def build(session: Asker, what: str = "count", column: str = "", by: str = "", over: str = "") -> Response:
    """The SQL of a question that was picked from lists, in the editor."""
    text = built(session.policy, {"what": what, "column": column, "by": by, "over": over})
    return RedirectResponse(f"{path_to(session.policy.table)}?sql={quote(text)}", 303)


@router.post("/tables/{table}/explain")
async def explain(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Price and error, and the button that spends."""
    try:
        explanation = await served.long_look(session, lambda: asking.explained(session, form))
    except DaleniusError as error:
        return await _editor(session, signed, served, form, refused=str(error), status=400)
    return await _editor(session, signed, served, form, explanation=explanation)


@router.post("/tables/{table}/ask")
async def ask(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """The answer, or the one sentence in its place; a second click is the same charge."""
    try:
        answer = await served.long_look(session, lambda: known_shown(session, form))
        if answer is None:
            work = partial(_asked, served, session, signed.key, form)
            answer = await served.line.ask(session.dataset, work, session.analyst)
    except NoAnswer:
        return page("waiting", signed, 202, table=session.policy.table, form=form, message=NO_ANSWER)
    except DaleniusError as error:
        return await _editor(session, signed, served, form, refused=str(error), status=400)
    return page(
        "answer",
        signed,
        table=session.policy.table,
        form=form,
        answer=answer.table,
        receipt=answer.receipt,
        stored=answer.stored is not None,
        statement=answer.statement,
        left=str(await served.look(session, lambda: session.budget)),
    )


@router.post("/tables/{table}/request")
async def request(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Ask the owner to let a question be run beside the asker's share."""
    if session.analyst is None:
        return refusal(403, "The owner need not ask.")
    await served.long_look(session, lambda: _request(session, form))
    return await _editor(session, signed, served, form, said="The owner sees your request, with its price and error.")


def _asked(served: State, session: Session, key: Key, form: dict[str, str]) -> ShownAnswer:
    check_still_open(served, session, key)
    return ask_shown(session, form, key.name)


async def _editor(
    session: Session,
    signed: Signed,
    served: Served,
    form: dict[str, str],
    *,
    explanation: dict[str, Any] | None = None,
    refused: str | None = None,
    said: str | None = None,
    status: int = 200,
) -> Response:
    policy = session.policy
    values = await served.look(session, lambda: _around(session, served, signed.key.name))
    return page(
        "table",
        signed,
        status,
        policy=policy,
        form={"sql": "", "epsilon": "", "delta": "", "purpose": ""} | form,
        explanation=explanation,
        refused=refused,
        said=said,
        asked=ASKED,
        keys=keys(policy),
        numbers=numbers(policy),
        times=times(policy),
        joined=joined_tables(session),
        role=str(signed.key.role(session.dataset)),
        **values,
    )


def _around(session: Session, served: State, who: str) -> dict[str, Any]:
    """What a table's page says besides: the budget, the asker's last questions, and what they have saved."""
    table, book = session.policy.table, session.ledger
    share = None if session.analyst is None else book.shares(session.dataset).get(session.analyst)
    return {
        "left": str(session.budget),
        "granted": str(share or book.limit(session.dataset)),
        "past": questions(session, _PAST),
        "saved": served.desk.questions(table, who),
        "boards": served.desk.dashboards(table, who),
    }


def _request(session: Session, form: dict[str, str]) -> None:
    purpose = form.get("purpose") or None
    wished(session, asking.sql_of(form), purpose, asking.terms_of(form))
