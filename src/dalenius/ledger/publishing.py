"""Show answers to everybody, and stop showing them."""

from collections.abc import Iterable

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import accounts, kinds
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.publications import Publication, Tile, publication_of, publications
from dalenius.ledger.store import Records

MOST_TILES = 50


class Publishing(Books):
    """Pages without a key, each publication and withdrawal an entry."""

    def publish(self, dataset: str, page: str, title: str, tiles: Iterable[Tile]) -> None:
        """Show stored answers to everybody under a page's name, in place of what it showed before; it costs nothing.

        Args:
            dataset: whose answers they are.
            page: the name of the page in addresses: letters and digits that nobody guesses.
            title: what stands above it.
            tiles: the answers, each with a title and the receipt that it is stored under.
        """
        shown = list(tiles)
        check_texts(name=page, title=title)
        for tile in shown:
            check_texts(title=tile.title, receipt=tile.receipt)
        if not (page.isascii() and page.isalnum()) or not title.strip():
            raise InvalidParameter("a page needs a title, and a name of letters and digits")
        if not 1 <= len(shown) <= MOST_TILES:
            raise InvalidParameter(f"a page shows 1 to {MOST_TILES} answers, got {len(shown)}")
        with self._store.transaction() as records:
            accounts.terms_of(records, dataset)
            if any(publication_of(records, other, page) for other in records.datasets() if other != dataset):
                raise InvalidParameter("another data set has a page of this name")
            for tile in shown:
                _check_stored(records, dataset, tile)
            words = [[tile.title, tile.receipt] for tile in shown]
            self._append(records, kinds.PUBLISH, dataset, {"page": page, "title": title, "tiles": words})

    def withdraw(self, dataset: str, page: str) -> None:
        """Show a page no more."""
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            if publication_of(records, dataset, page) is None:
                raise UnknownName(f"{dataset!r} shows no page {page!r:.60}")
            self._append(records, kinds.WITHDRAW, dataset, {"page": page})

    def published(self, dataset: str | None = None) -> list[Publication]:
        """Every page that is shown now, of one data set or of all."""
        with self._store.reading() as records:
            names = records.datasets() if dataset is None else [dataset]
            return [page for name in names for page in publications(records, name)]

    def publication(self, page: str) -> Publication | None:
        """The page of this name, if it is shown now."""
        with self._store.reading() as records:
            every = (publication_of(records, name, page) for name in records.datasets())
            return next((one for one in every if one is not None), None)


def _check_stored(records: Records, dataset: str, tile: Tile) -> None:
    link = records.link_of_hash(tile.receipt)
    if link is None or (link.kind, link.dataset) != (kinds.RESERVE, dataset) or records.release(tile.receipt) is None:
        raise UnknownName(f"{dataset!r} has no stored answer under the receipt {tile.receipt!r:.16}")
