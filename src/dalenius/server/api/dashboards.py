"""Dashboards: what is known of their questions, for nothing; what would cost waits for a yes to its price."""

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from dalenius.server.answers import answer_json
from dalenius.server.api.query import ANSWERS, RetryKey
from dalenius.server.api.questions import Id, KeptQuestion, NewQuestion, shown
from dalenius.server.console import boards
from dalenius.server.console.boards import OtherPrice, ShownTile, price_of, spend, tiles_of, yes_to
from dalenius.server.desk import LONGEST_TITLE
from dalenius.server.refusals import Pending, named_in_path
from dalenius.server.state import State
from dalenius.server.who import Asker, Holder, Owner, Served
from dalenius.sql import Session

router = APIRouter(tags=["dashboards"])

PLACE = "/api/datasets/{table}/dashboards"


class Title(BaseModel):
    """What a dashboard is called."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]


class BoardFacts(BaseModel):
    """A dashboard and the questions on it."""

    id: str
    title: str
    questions: list[KeptQuestion]


class BoardTile(KeptQuestion):
    """A question with what is known of it: `current` says whether the answer is of the present version.

    `price` is what an answer would cost, and `errors` how far off it would be; `refused` says why it cannot be asked.
    """

    current: bool
    price: str | None
    refused: str | None
    errors: dict[str, str]
    receipt: str | None
    answer: dict[str, Any] | None


class Board(BaseModel):
    """A dashboard as far as it is known; `yes` is what is sent back to spend `price`."""

    id: str
    title: str
    tiles: list[BoardTile]
    price: str
    yes: str
    left: str
    published: bool


class Yes(BaseModel):
    """The yes of a dashboard, or of one of its questions: `id=price`, as the dashboard says them."""

    model_config = ConfigDict(extra="forbid")

    yes: Annotated[str, Field(max_length=10_000)]
    question: Annotated[str, Field(max_length=32, description="Ask this one alone.")] = ""


@router.get(PLACE)
async def list_dashboards(session: Asker, key: Holder, served: Served) -> list[BoardFacts]:
    """The asker's dashboards, by title."""
    made = await served.line.free(lambda: served.desk.dashboards(session.policy.table, key.name))
    return [BoardFacts(id=one.id, title=one.title, questions=[shown(tile) for tile in one.tiles]) for one in made]


@router.post(PLACE, status_code=201)
async def make_dashboard(title: Title, session: Asker, key: Holder, served: Served) -> BoardFacts:
    """A new dashboard, without questions."""
    made = await served.line.free(lambda: served.desk.make(session.policy.table, key.name, title.title))
    return BoardFacts(id=made.id, title=made.title, questions=[])


@router.get(PLACE + "/{board}")
async def show_dashboard(board: Id, session: Asker, key: Holder, served: Served) -> Board:
    """All that is known of a dashboard, and the price of the rest."""
    with named_in_path():
        return await served.long_look(session, lambda: _board(session, served, key.name, board))


@router.delete(PLACE + "/{board}", status_code=204)
async def remove_dashboard(board: Id, session: Asker, key: Holder, served: Served) -> None:
    """Throw a dashboard away; answers, and pages that were published of it, stay."""
    await served.line.free(lambda: served.desk.remove(session.policy.table, key.name, board))


@router.post(PLACE + "/{board}/questions", status_code=204)
async def add_question(board: Id, kept: NewQuestion, session: Asker, key: Holder, served: Served) -> None:
    """Put a question on a dashboard."""
    question = kept.saved()
    with named_in_path():
        await served.line.free(lambda: served.desk.add_tile(session.policy.table, key.name, board, question))


@router.delete(PLACE + "/{board}/questions/{question}", status_code=204)
async def drop_question(board: Id, question: Id, session: Asker, key: Holder, served: Served) -> None:
    """Take a question off a dashboard."""
    with named_in_path():
        await served.line.free(lambda: served.desk.drop_tile(session.policy.table, key.name, board, question))


@router.post(PLACE + "/{board}/refresh", responses={202: ANSWERS[202] | {"model": Pending}})
async def refresh(board: Id, said: Yes, session: Asker, key: Holder, served: Served, retry: RetryKey = None) -> Board:
    """Spend what the dashboard said it would cost, on what waits; a retry under the same key is the same charges."""
    with named_in_path():
        try:
            mark = secrets.token_hex(16) if retry is None else f"http {retry}"
            await spend(served, session, key, board, yes=said.yes, retry=mark, only=said.question)
        except OtherPrice:
            raise HTTPException(409, "what waits, or its price, is another now: look before you say yes") from None
        return await served.long_look(session, lambda: _board(session, served, key.name, board))


@router.put(PLACE + "/{board}/publication", status_code=204)
async def publish(board: Id, session: Owner, key: Holder, served: Served) -> None:
    """Show the answers of a dashboard to everybody; what is not answered is left out. It costs nothing."""
    with named_in_path():
        await served.long_look(session, lambda: boards.publish(served, session, key.name, board))


@router.delete(PLACE + "/{board}/publication", status_code=204)
async def withdraw(board: Id, session: Owner, served: Served) -> None:
    """Show a page no more; who has read it has read it."""
    with named_in_path():
        await served.line.free(lambda: session.ledger.withdraw(session.dataset, board))


def _board(session: Session, served: State, who: str, id_: str) -> Board:
    kept = served.desk.dashboard(session.policy.table, who, id_)
    tiles = tiles_of(session, kept)
    waiting = [tile for tile in tiles if tile.price is not None]
    return Board(
        id=kept.id,
        title=kept.title,
        tiles=[_tile(tile) for tile in tiles],
        price=price_of(waiting),
        yes=yes_to(waiting),
        left=str(session.budget),
        published=session.ledger.publication(id_) is not None,
    )


def _tile(tile: ShownTile) -> BoardTile:
    return BoardTile(
        **shown(tile.question).model_dump(),
        current=tile.is_current,
        price=tile.price,
        refused=tile.refused,
        errors=dict(tile.errors),
        receipt=tile.receipt,
        answer=None if tile.release is None else answer_json(tile.release),
    )
