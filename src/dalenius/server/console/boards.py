"""Dashboards, as pages and programs have them: what is known of their questions, its price, and a yes to that price."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from dalenius.curator import Release
from dalenius.errors import DaleniusError
from dalenius.ledger import Key, Tile, decimal
from dalenius.server.answers import statement
from dalenius.server.console import asking
from dalenius.server.console.shown import AnswerTable, answer_table
from dalenius.server.desk import Dashboard, SavedQuestion
from dalenius.server.state import State
from dalenius.server.who import check_still_open
from dalenius.sql import Session


class OtherPrice(Exception):
    """A yes was said to other questions or prices than those that wait now: nothing was spent."""


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
    release: Release | None = None


async def spend(served: State, session: Session, key: Key, board: str, *, yes: str, retry: str, only: str = "") -> None:
    """Ask what waits on a dashboard, if the yes was said to just that; each question is a charge of its own.

    A second try under the same `retry` is the same charges.
    """
    who = key.name
    kept = await served.line.free(lambda: served.desk.dashboard(session.policy.table, who, board))
    tiles = await served.long_look(session, lambda: tiles_of(session, kept, only))
    waiting = [tile for tile in tiles if tile.price is not None]
    if yes_to(waiting) != yes:
        raise OtherPrice
    for tile in waiting:
        words = asdict(tile.question) | {"retry": f"{retry} {tile.question.id}", "profile": tile.profile}
        release = await served.line.ask(session.dataset, partial(_asked, served, session, key, words), session.analyst)
        await served.look(session, partial(_note, session, served, who, board, tile, release))


def _asked(served: State, session: Session, key: Key, words: Mapping[str, str]) -> Release:
    check_still_open(served, session, key)
    return asking.ask(session, words, key.name)


def publish(served: State, session: Session, who: str, board: str) -> None:
    """Show the answers of a dashboard to everybody; what is not answered is left out."""
    kept = served.desk.dashboard(session.policy.table, who, board)
    shown = [tile for tile in tiles_of(session, kept) if tile.receipt is not None]
    tiles = [Tile(tile.question.title, str(tile.receipt)) for tile in shown]
    session.ledger.publish(session.dataset, board, kept.title, tiles)


def tiles_of(session: Session, board: Dashboard, only: str = "") -> list[ShownTile]:
    """The questions of a dashboard, or one of them, as far as they are known; nothing is charged."""
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
        return ShownTile(tile, answer_table(release), receipt, statement(release), True, release=release)
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
    return ShownTile(tile, answer_table(old), tile.receipt, statement(old), False, **waiting, release=old)


def price_of(waiting: list[ShownTile]) -> str:
    """What all that waits would cost: a sum where it is one of plain ε, or one price beside the other.

    Two questions may need one and the same fact that nobody has bought; it is paid once, so the sum is the most.
    """
    if all(tile.epsilon is not None for tile in waiting):
        most = "at most " if sum(bool(tile.profile) for tile in waiting) > 1 else ""
        return f"{most}ε = {decimal(sum(tile.epsilon for tile in waiting))}" if waiting else "nothing"
    return " and ".join(str(tile.price) for tile in waiting)


def yes_to(waiting: list[ShownTile]) -> str:
    """What a yes is said to: these questions at these prices, and no others."""
    return ";".join(f"{tile.question.id}={tile.price}" for tile in waiting)


def _note(session: Session, served: State, who: str, board: str, tile: ShownTile, release: Any) -> None:
    receipt = asking.receipt_of(session, release)
    if receipt is not None:
        served.desk.note_answer(session.policy.table, who, board, tile.question.id, receipt)
