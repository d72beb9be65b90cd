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


async def stranger(request: Request, served: Served) -> None:
    """Count a request of an address that needs no key."""
    if not served.strangers.allows(address_of(request)):
        raise HTTPException(429, "too many requests came from this address; try again in a minute")


router = APIRouter(dependencies=[Depends(stranger)])

PageName = Annotated[str, Path(pattern="^[0-9A-Za-z]{1,64}$")]


@router.get("/public")
async def list_pages(served: Served) -> Response:
    """Every page that is shown to everybody, and the tables that everybody may ask."""
    pages, tables = await served.line.free(lambda: shown_to_everybody(served))
    return page("public", shown=pages, asked=tables)


@router.get("/public/{name}")
async def show(name: PageName, served: Served) -> Response:
    """One page."""

    def work() -> dict[str, Any]:
        shown = publication_of(served, name)
        return {"shown": shown, "tiles": [_tile(released_on(served, shown, tile), tile) for tile in shown.tiles]}

    return page("public_page", **await served.line.free(work))


@router.get("/public/{name}/{number}/answer.{kind}")
async def file(name: PageName, number: int, kind: str, served: Served) -> Response:
    """An answer of a page, as a file with its privacy statement."""
    return await served.line.free(lambda: as_file(_numbered(served, name, number), kind))


@router.get("/public/{name}/{number}/chart.svg")
async def chart(name: PageName, number: int, served: Served) -> Response:
    """The bars of an answer of a page."""
    return await served.line.free(lambda: as_picture(_numbered(served, name, number)))


def shown_to_everybody(served: State) -> tuple[list[Publication], list[str]]:
    """Every page that is shown, and the tables that everybody may ask."""
    book, names = served.catalog.ledger, served.catalog.datasets()
    pages = [one for one in book.published() if one.dataset in names]
    opened = [name for name in names if public_terms(book, name) is not None]
    return pages, [table for name in opened for table in served.catalog.tables_of(name)]


def publication_of(served: State, name: str) -> Publication:
    """A page that is shown now, of a data set that is served."""
    shown = served.catalog.ledger.publication(name)
    if shown is None or shown.dataset not in served.catalog.datasets():
        raise HTTPException(404, NOTHING)
    return shown


def _numbered(served: State, name: str, number: int) -> Release:
    shown = publication_of(served, name)
    if not 0 <= number < len(shown.tiles):
        raise HTTPException(404, NOTHING)
    return released_on(served, shown, shown.tiles[number])


def released_on(served: State, shown: Publication, tile: Tile) -> Release:
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
