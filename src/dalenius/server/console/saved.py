"""Saved questions: kept under a title, asked again by a click."""

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from dalenius.server.console.cookie import Form, SignedIn
from dalenius.server.console.opened import Asker
from dalenius.server.console.pages import path_to
from dalenius.server.desk import SavedQuestion
from dalenius.server.who import Served

router = APIRouter()


@router.post("/tables/{table}/save")
async def save(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Keep the question in the editor, and put it on a dashboard if one was picked."""
    table, who = session.policy.table, signed.key.name
    kept = SavedQuestion.of(*(form.get(name, "") for name in ("title", "sql", "epsilon", "delta")))
    board = form.get("dashboard", "")
    if board:
        await served.line.free(lambda: served.desk.add_tile(table, who, board, kept))
        return RedirectResponse(path_to(table, "dashboards", board), 303)
    await served.line.free(lambda: served.desk.save(table, who, kept))
    return RedirectResponse(path_to(table) + "#saved", 303)


@router.post("/tables/{table}/forget")
async def forget(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Keep a question no more."""
    table = session.policy.table
    await served.line.free(lambda: served.desk.forget(table, signed.key.name, form.get("question", "")))
    return RedirectResponse(path_to(table) + "#saved", 303)
