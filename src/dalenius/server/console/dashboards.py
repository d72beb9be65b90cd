"""Dashboards: known answers are shown for nothing; what would cost waits for a yes, with its price."""

import secrets
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import DaleniusError
from dalenius.ledger import Role
from dalenius.server.console import boards
from dalenius.server.console.boards import OtherPrice, price_of, spend, tiles_of, yes_to
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.opened import Asker, Owner
from dalenius.server.console.pages import page, path_to
from dalenius.server.line import Busy, NoAnswer
from dalenius.server.refusals import BUSY, NO_ANSWER
from dalenius.server.state import State
from dalenius.server.who import Served
from dalenius.sql import Session

router = APIRouter()

OTHER_PRICE = "The price has changed since the page was made: look again before you say yes."


@router.get("/tables/{table}/dashboards")
async def list_dashboards(session: Asker, signed: SignedIn, served: Served) -> Response:
    """Somebody's dashboards."""
    made = await served.line.free(lambda: served.desk.dashboards(session.policy.table, signed.key.name))
    return page("dashboards", signed, table=session.policy.table, boards=made)


@router.post("/tables/{table}/dashboards")
async def make(session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """A new dashboard."""
    table = session.policy.table
    board = await served.line.free(lambda: served.desk.make(table, signed.key.name, form.get("title", "")))
    return RedirectResponse(path_to(table, "dashboards", board.id), 303)


@router.get("/tables/{table}/dashboards/{board}")
async def show(board: str, session: Asker, signed: SignedIn, served: Served) -> Response:
    """All that is known of a dashboard, and the price of the rest."""
    return await _page(session, signed, served, board)


@router.post("/tables/{table}/dashboards/{board}/refresh")
async def refresh(board: str, session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Spend what the page said it would cost, on the questions that it named."""
    said = {"yes": form.get("yes", ""), "retry": form.get("retry", ""), "only": form.get("tile", "")}
    try:
        await spend(served, session, signed.key, board, **said)
    except OtherPrice:
        return await _page(session, signed, served, board, refused=OTHER_PRICE, status=409)
    except NoAnswer:
        return await _page(session, signed, served, board, refused=NO_ANSWER, status=202, retry=form.get("retry"))
    except Busy:
        return await _page(session, signed, served, board, refused=BUSY, status=429, retry=form.get("retry"))
    except DaleniusError as error:
        return await _page(session, signed, served, board, refused=str(error), status=400)
    return RedirectResponse(path_to(session.policy.table, "dashboards", board), 303)


@router.post("/tables/{table}/dashboards/{board}/drop")
async def drop(board: str, session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Take a question off."""
    table, tile = session.policy.table, form.get("tile", "")
    await served.line.free(lambda: served.desk.drop_tile(table, signed.key.name, board, tile))
    return RedirectResponse(path_to(table, "dashboards", board), 303)


@router.post("/tables/{table}/dashboards/{board}/remove")
async def remove(board: str, session: Asker, signed: SignedIn, served: Served, form: Form) -> Response:
    """Throw a dashboard away."""
    table = session.policy.table
    await served.line.free(lambda: served.desk.remove(table, signed.key.name, board))
    return RedirectResponse(path_to(table, "dashboards"), 303)


@router.post("/tables/{table}/dashboards/{board}/publish")
async def publish(board: str, session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Show the answers of a dashboard to everybody; what is not answered is left out."""
    who = signed.key.name
    try:
        await served.long_look(session, lambda: boards.publish(served, session, who, board))
    except DaleniusError as error:
        return await _page(session, signed, served, board, refused=str(error), status=400)
    return RedirectResponse(path_to(session.policy.table, "dashboards", board), 303)


@router.post("/tables/{table}/dashboards/{board}/withdraw")
async def withdraw(board: str, session: Owner, signed: SignedIn, served: Served, form: Form) -> Response:
    """Show a page no more."""
    await served.line.free(lambda: session.ledger.withdraw(session.dataset, board))
    return RedirectResponse(path_to(session.policy.table, "govern") + "#pages", 303)


async def _page(
    session: Session,
    signed: Signed,
    served: State,
    board: str,
    *,
    refused: str | None = None,
    status: int = 200,
    retry: str | None = None,
) -> Response:
    def work() -> dict[str, Any]:
        kept = served.desk.dashboard(session.policy.table, signed.key.name, board)
        tiles = tiles_of(session, kept)
        waiting = [tile for tile in tiles if tile.price is not None]
        return {
            "board": kept,
            "tiles": tiles,
            "waiting": waiting,
            "price": price_of(waiting),
            "yes": yes_to(waiting),
            "left": str(session.budget),
            "published": session.ledger.publication(board),
        }

    role, values = str(signed.key.role(session.dataset)), await served.long_look(session, work)
    state = {"refused": refused, "retry": retry or secrets.token_hex(16), "is_owner": role == Role.OWNER}
    return page("dashboard", signed, status, table=session.policy.table, yes_of=yes_to, **state, **values)
