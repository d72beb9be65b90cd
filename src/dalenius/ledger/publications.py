"""Pages of answers that the owner shows to everybody: rules for their links, and what they add up to.

A page names receipts, and holds no figure: what it shows is what is stored under them, which was paid for when it was
drawn. So a page costs nothing, and nothing on it was not released.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.ledger import facts as of
from dalenius.ledger.charge import canonical
from dalenius.ledger.facts import LedgerFacts

Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tile:
    """An answer of a page: its title, and the receipt that it is stored under."""

    title: str
    receipt: str


@dataclass(frozen=True, slots=True)
class Publication:
    """A page of answers of one data set, as everybody may read it."""

    id: str
    dataset: str
    title: str
    tiles: tuple[Tile, ...]
    time: str


def publish(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """Show a page, in place of what it showed before."""
    if not body["tiles"]:
        raise ValueError("a page shows at least one answer")
    tiles = [[str(title), str(receipt)] for title, receipt in body["tiles"]]
    kept = {"title": body["title"], "tiles": tiles, "time": body["time"]}
    book.put_fact(dataset, of.PUBLISHED, body["page"], canonical(kept).decode())


def withdraw(book: LedgerFacts, dataset: str, body: Words, digest: str) -> None:
    """Show a page no more; who has read it has read it."""
    if not book.fact(dataset, of.PUBLISHED, body["page"]):
        raise ValueError("a page that is not shown cannot be withdrawn")
    book.put_fact(dataset, of.PUBLISHED, body["page"], "")


def publication_of(book: LedgerFacts, dataset: str, id_: str) -> Publication | None:
    """A page that is shown now."""
    kept = book.fact(dataset, of.PUBLISHED, id_)
    return _read(dataset, id_, kept) if kept else None


def publications(book: LedgerFacts, dataset: str) -> list[Publication]:
    """Every page of a data set that is shown now."""
    return [_read(dataset, id_, kept) for id_, kept in book.facts(dataset, of.PUBLISHED) if kept]


def _read(dataset: str, id_: str, kept: str) -> Publication:
    words = json.loads(kept)
    tiles = tuple(Tile(title, receipt) for title, receipt in words["tiles"])
    return Publication(id_, dataset, words["title"], tiles, words["time"])
