"""Analysts' pages: which tables there are, and asking them, with the price before every spend."""

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from dalenius.curator import Outcome, Release
from dalenius.curator.release import released
from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.ledger import Role
from dalenius.server.answers import answer_csv, answer_json
from dalenius.server.console.builder import ASKED, built, keys, numbers
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.pages import page, refusal
from dalenius.server.console.shown import answer_table
from dalenius.server.line import NoAnswer
from dalenius.server.refusals import NO_ANSWER
from dalenius.server.who import Served, TableName, session_of
from dalenius.sql import Session

router = APIRouter()

TERMS = ("epsilon", "delta")
_PAST = 20
"""Questions of the asker's history that a page lists."""


async def _asker(table: TableName, signed: SignedIn, served: Served) -> Session:
    return await session_of(served, table, signed.key, Role.OWNER, Role.ANALYST)


Asker = Annotated[Session, Depends(_asker)]


@router.get("/")
async def list_tables(signed: SignedIn, served: Served) -> Response:
    """Every table that the key opens, with what is left of its budget."""

    def told() -> list[dict[str, Any]]:
        sessions = [served.catalog.session(one.policy.table, signed.key) for one in served.catalog.tables(signed.key)]
        return [
            {
                "name": one.policy.table,
                "role": str(signed.key.role(one.dataset)),
                "protects": str(one.unit),
                "left": str(one.budget),
                "columns": len(one.policy.columns),
            }
            for one in sessions
        ]

    return page("tables", signed, tables=await served.line.free(told))


@router.get("/tables/{table}")
async def show_table(
    session: Asker, signed: SignedIn, served: Served, sql: str = "", epsilon: str = "", delta: str = ""
) -> Response:
    """A table and the editor."""
    return await _editor(session, signed, served, {"sql": sql, "epsilon": epsilon, "delta": delta})


@router.get("/tables/{table}/build")
async def build(session: Asker, what: str = "count", column: str = "", by: str = "") -> Response:
    """The SQL of a question that was picked from lists, in the editor."""
    from urllib.parse import quote

    text = built(session.policy, {"what": what, "column": column, "by": by})
    return RedirectResponse(f"/tables/{quote(session.policy.table, safe='')}?sql={quote(text)}", 303)


@router.post("/tables/{table}/explain")
async def explain(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Price and error, and the button that spends."""
    try:
        told = await served.line.free(lambda: _told(session, form))
    except DaleniusError as error:
        return await _editor(session, signed, served, form, refused=str(error), status=400)
    return await _editor(session, signed, served, form, told=told)


@router.post("/tables/{table}/ask")
async def ask(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """The answer, or the one sentence in its place; a second click is the same charge."""
    try:
        answer = await served.line.free(lambda: _known(session, form))
        if answer is None:
            answer = await served.line.ask(session.dataset, lambda: _asked(session, signed, form))
    except NoAnswer:
        return page("waiting", signed, 202, table=session.policy.table, form=form, message=NO_ANSWER)
    except DaleniusError as error:
        return await _editor(session, signed, served, form, refused=str(error), status=400)
    return page(
        "answer",
        signed,
        table=session.policy.table,
        form=form,
        answer=answer_table(answer),
        receipt=answer.receipt.head,
        guarantee=str(answer.guarantee),
        protects=str(answer.unit),
        left=str(await served.line.free(lambda: session.budget)),
    )


@router.post("/tables/{table}/download/{kind}")
async def download(kind: str, session: Asker, served: Served, form: Form) -> Response:
    """An answer that was seen, as a file."""
    if kind not in ("csv", "json"):
        raise HTTPException(404, "answers are downloaded as csv or json")
    answer = await served.line.free(lambda: _known(session, form))
    if answer is None:
        raise HTTPException(404, "only answers that were seen are downloaded")
    names = {"Content-Disposition": f'attachment; filename="answer.{kind}"'}
    if kind == "csv":
        return PlainTextResponse(answer_csv(answer), media_type="text/csv", headers=names)
    from fastapi.responses import JSONResponse

    return JSONResponse(answer_json(answer), headers=names)


@router.get("/tables/{table}/charts/{receipt}.svg")
async def chart(receipt: str, session: Asker, served: Served) -> Response:
    """The bars of an answer that was seen, as a picture: no script of it is ever run."""
    drawn = await served.line.free(lambda: _drawn(session, receipt))
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@router.post("/tables/{table}/request")
async def request(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Ask the owner to let a question be run beside the asker's share."""
    if session.analyst is None:
        return refusal(403, "The owner need not ask.")
    await served.line.free(lambda: session.request(_sql(form), purpose=form.get("purpose") or None, **_terms(form)))
    return await _editor(session, signed, served, form, said="The owner sees your request, with its price and error.")


async def _editor(
    session: Session,
    signed: Signed,
    served: Served,
    form: dict[str, str],
    *,
    told: dict[str, Any] | None = None,
    refused: str | None = None,
    said: str | None = None,
    status: int = 200,
) -> Response:
    policy = session.policy
    values = await served.line.free(lambda: _around(session))
    return page(
        "table",
        signed,
        status,
        policy=policy,
        form={"sql": "", "epsilon": "", "delta": "", "purpose": ""} | form,
        told=told,
        refused=refused,
        said=said,
        asked=ASKED,
        keys=keys(policy),
        numbers=numbers(policy),
        role=str(signed.key.role(session.dataset)),
        **values,
    )


def _around(session: Session) -> dict[str, Any]:
    """What a table's page says besides: the budget and the asker's last questions."""
    entries = [one for one in session.ledger.entries(session.dataset) if one.analyst == session.analyst and one.text]
    past = [{"text": one.text, "time": one.time, "charged": str(one.charged)} for one in reversed(entries[-_PAST:])]
    return {"left": str(session.budget), "granted": str(session.ledger.limit(session.dataset)), "past": past}


def _told(session: Session, form: dict[str, str]) -> dict[str, Any]:
    explained = session.explain(_sql(form), **_terms(form))
    known = _known(session, form) is not None
    return {
        "known": known,
        "price": "nothing" if known else f"ε = {form['epsilon']}" if form.get("epsilon") else str(explained.guarantee),
        "errors": {name: radius_of(error) for name, error in explained.errors.items()},
        "cells": explained.cells,
        "notes": list(explained.notes),
        "text": str(explained),
        "retry": secrets.token_hex(16),
    }


def radius_of(error: float | None) -> str:
    """An error before the answer is there."""
    from dalenius.curator.answer.rounded import radius_above

    return "shown with the answer, because it depends on the value" if error is None else f"± {radius_above(error)}"


def _known(session: Session, form: dict[str, str]) -> Release | None:
    return session.known_answer(_sql(form), **_terms(form))


def _asked(session: Session, signed: Signed, form: dict[str, str]) -> Release:
    retry = form.get("retry", "")
    key = f"{signed.key.name}\n{retry}" if retry else None
    return session.sql(_sql(form), **_terms(form), key=key, purpose=form.get("purpose") or None)


def _drawn(session: Session, receipt: str) -> str:
    from dalenius import charts

    kept = session.ledger.seen(session.dataset, receipt, session.analyst)
    if kept is None or kept.release is None:
        raise HTTPException(404, "there is no such answer, or it is not the asker's")
    release = released(Outcome.from_dict(kept.release), kept)
    return charts.svg_text(charts.answer(release))  # type: ignore[arg-type]


def _sql(form: dict[str, str]) -> str:
    if not form.get("sql", "").strip():
        raise InvalidParameter("write a question: SELECT … FROM the table")
    return form["sql"]


def _terms(form: dict[str, str]) -> dict[str, Any]:
    return {name: form[name].strip() for name in TERMS if form.get(name, "").strip()}
