"""Pages that need no key: answers that the owner has published, with their error and their privacy statement.

Everything here is made of what the ledger keeps of published receipts. No table is opened, and no row is read.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response

from dalenius.curator import Outcome, Release
from dalenius.curator.release import released
from dalenius.ledger import Publication, Tile
from dalenius.server.address import address_of
from dalenius.server.answers import statement
from dalenius.server.console.answers import as_file, as_picture
from dalenius.server.console.pages import page
from dalenius.server.console.public_ask import public_terms
from dalenius.server.console.shown import answer_table
from dalenius.server.state import State
from dalenius.server.who import Served

NOTHING = "there is no such page, or it is not shown any more"


async def _stranger(request: Request, served: Served) -> None:
    if not served.strangers.allows(address_of(request)):
        raise HTTPException(429, "too many requests came from this address; try again in a minute")


router = APIRouter(dependencies=[Depends(_stranger)])

PageName = Annotated[str, Path(pattern="^[0-9A-Za-z]{1,64}$")]


@router.get("/public")
async def list_pages(served: Served) -> Response:
    """Every page that is shown to everybody, and the tables that everybody may ask."""

    def work() -> dict[str, Any]:
        book, served_names = served.catalog.ledger, served.catalog.datasets()
        pages = [one for one in book.published() if one.dataset in served_names]
        asked = [name for name in served_names if public_terms(book, name) is not None]
        return {"shown": pages, "asked": [table for name in asked for table in served.catalog.tables_of(name)]}

    return page("public", **await served.line.free(work))


@router.get("/public/{name}")
async def show(name: PageName, served: Served) -> Response:
    """One page."""

    def work() -> dict[str, Any]:
        shown = _publication(served, name)
        return {"shown": shown, "tiles": [_tile(_released(served, shown, tile), tile) for tile in shown.tiles]}

    return page("public_page", **await served.line.free(work))


@router.get("/public/{name}/{number}/answer.{kind}")
async def file(name: PageName, number: int, kind: str, served: Served) -> Response:
    """An answer of a page, as a file with its privacy statement."""
    return await served.line.free(lambda: as_file(_numbered(served, name, number), kind))


@router.get("/public/{name}/{number}/chart.svg")
async def chart(name: PageName, number: int, served: Served) -> Response:
    """The bars of an answer of a page."""
    return await served.line.free(lambda: as_picture(_numbered(served, name, number)))


def _publication(served: State, name: str) -> Publication:
    shown = served.catalog.ledger.publication(name)
    if shown is None or shown.dataset not in served.catalog.datasets():
        raise HTTPException(404, NOTHING)
    return shown


def _numbered(served: State, name: str, number: int) -> Release:
    shown = _publication(served, name)
    if not 0 <= number < len(shown.tiles):
        raise HTTPException(404, NOTHING)
    return _released(served, shown, shown.tiles[number])


def _released(served: State, shown: Publication, tile: Tile) -> Release:
    """What is stored under a published receipt."""
    kept = served.catalog.ledger.seen(shown.dataset, tile.receipt)
    if kept is None or kept.release is None:
        raise HTTPException(404, NOTHING)
    return released(Outcome.from_dict(kept.release), kept)


def _tile(release: Release, tile: Tile) -> dict[str, Any]:
    return {
        "title": tile.title,
        "receipt": tile.receipt,
        "answer": answer_table(release),
        "statement": statement(release),
    }
