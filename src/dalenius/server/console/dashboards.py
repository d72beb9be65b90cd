"""Dashboards: known answers are shown for nothing; what would cost waits for a yes, with its price."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from dalenius.errors import DaleniusError
from dalenius.ledger import Role, Tile, decimal
from dalenius.server.answers import statement
from dalenius.server.console import asking
from dalenius.server.console.cookie import Form, Signed, SignedIn
from dalenius.server.console.opened import Asker, Owner
from dalenius.server.console.pages import page, path_to
from dalenius.server.console.shown import AnswerTable, answer_table
from dalenius.server.desk import Dashboard, SavedQuestion
from dalenius.server.line import Busy, NoAnswer
from dalenius.server.refusals import BUSY, NO_ANSWER
from dalenius.server.state import State
from dalenius.server.who import Served
from dalenius.sql import Session

router = APIRouter()


@dataclass(frozen=True, slots=True)
class ShownTile:
    """A question with what may be shown of it for nothing: its answer, or that of an earlier version, or neither.

    `price` is what the answer would cost, None if it is known, and `errors` how far off it would be; `refused` says why
    it cannot be asked. `profile` is the part of the price that is paid once for all questions.
    """

    question: SavedQuestion
    answer: AnswerTable | None
    receipt: str | None
    statement: str | None
    is_current: bool
    price: str | None = None
    epsilon: Any = None
    profile: str = ""
    refused: str | None = None
    errors: Mapping[str, str] = field(default_factory=dict)


@router.get("/tables/{table}/dashboards")
async def list_dashboards(session: Asker, signed: SignedIn, served: Served) -> Response:
    """Somebody's dashboards."""
    boards = await served.line.free(lambda: served.desk.dashboards(session.policy.table, signed.key.name))
    return page("dashboards", signed, table=session.policy.table, boards=boards)


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
    who, table = signed.key.name, session.policy.table
    kept = await served.line.free(lambda: served.desk.dashboard(table, who, board))
    tiles = await served.line.free_of(session.analyst, lambda: _tiles(session, kept, form.get("tile", "")))
    waiting = [tile for tile in tiles if tile.price is not None]
    if _yes(waiting) != form.get("yes", ""):
        said = "The price has changed since the page was made: look again before you say yes."
        return await _page(session, signed, served, board, refused=said, status=409)
    for tile in waiting:
        words = asdict(tile.question) | {
            "retry": f"{form.get('retry', '')} {tile.question.id}",
            "profile": tile.profile,
        }
        try:
            release = await served.line.ask(session.dataset, partial(asking.ask, session, words, who), session.analyst)
        except NoAnswer:
            return await _page(session, signed, served, board, refused=NO_ANSWER, status=202, retry=form.get("retry"))
        except Busy:
            return await _page(session, signed, served, board, refused=BUSY, status=429, retry=form.get("retry"))
        except DaleniusError as error:
            return await _page(session, signed, served, board, refused=str(error), status=400)
        await served.line.free(partial(_note, session, served, who, board, tile, release))
    return RedirectResponse(path_to(table, "dashboards", board), 303)


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

    def work() -> None:
        kept = served.desk.dashboard(session.policy.table, signed.key.name, board)
        shown = [tile for tile in _tiles(session, kept) if tile.receipt is not None]
        tiles = [Tile(tile.question.title, str(tile.receipt)) for tile in shown]
        session.ledger.publish(session.dataset, board, kept.title, tiles)

    try:
        await served.line.free_of(session.analyst, work)
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
        tiles = _tiles(session, kept)
        waiting = [tile for tile in tiles if tile.price is not None]
        return {
            "board": kept,
            "tiles": tiles,
            "waiting": waiting,
            "price": _price(waiting),
            "yes": _yes(waiting),
            "left": str(session.budget),
            "published": session.ledger.publication(board),
        }

    role, values = str(signed.key.role(session.dataset)), await served.line.free_of(session.analyst, work)
    state = {"refused": refused, "retry": retry or secrets.token_hex(16), "is_owner": role == Role.OWNER}
    return page("dashboard", signed, status, table=session.policy.table, yes_of=_yes, **state, **values)


def _tiles(session: Session, board: Dashboard, only: str = "") -> list[ShownTile]:
    chosen = [board.tile(only)] if only else board.tiles
    return [_shown(session, tile) for tile in chosen]


def _shown(session: Session, tile: SavedQuestion) -> ShownTile:
    words = asdict(tile)
    try:
        release = asking.known_answer(session, words)
        explanation = None if release is not None else session.explain(tile.sql, **asking.terms_of(words))
    except DaleniusError as error:
        return ShownTile(tile, None, None, None, False, refused=str(error))
    if release is not None:
        receipt = asking.receipt_of(session, release)
        return ShownTile(tile, answer_table(release), receipt, statement(release), True)
    assert explanation is not None
    old = None if tile.receipt is None else asking.stored_answer(session, tile.receipt)
    pure = asking.pure_price(explanation)
    waiting: dict[str, Any] = {
        "price": asking.price(explanation, words),
        "epsilon": None if pure is None else pure + explanation.profile,
        "profile": str(explanation.profile) if explanation.profile else "",
        "errors": {name: asking.radius(error) for name, error in explanation.errors.items()},
    }
    if old is None:
        return ShownTile(tile, None, None, None, False, **waiting)
    return ShownTile(tile, answer_table(old), tile.receipt, statement(old), False, **waiting)


def _price(waiting: list[ShownTile]) -> str:
    """What all that waits would cost: a sum where it is one of plain ε, or one price beside the other.

    Two questions may need one and the same fact that nobody has bought; it is paid once, so the sum is the most.
    """
    if all(tile.epsilon is not None for tile in waiting):
        most = "at most " if sum(bool(tile.profile) for tile in waiting) > 1 else ""
        return f"{most}ε = {decimal(sum(tile.epsilon for tile in waiting))}" if waiting else "nothing"
    return " and ".join(str(tile.price) for tile in waiting)


def _yes(waiting: list[ShownTile]) -> str:
    """What a yes is said to: these questions at these prices, and no others."""
    return ";".join(f"{tile.question.id}={tile.price}" for tile in waiting)


def _note(session: Session, served: State, who: str, board: str, tile: ShownTile, release: Any) -> None:
    receipt = asking.receipt_of(session, release)
    if receipt is not None:
        served.desk.note_answer(session.policy.table, who, board, tile.question.id, receipt)
