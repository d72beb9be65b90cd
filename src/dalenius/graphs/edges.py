"""Read the edges of a graph from a table: who is at either end, and in which public order they are gone through."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.queries import Table
from dalenius.queries.identity import identities, marks, mixed_with
from dalenius.queries.view import row_values


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges in their order: for each the numbers of its two people, from 0 on, and the row that it is.

    Rows that name one person twice, or do not name both, are no edges. Rows between the same two people are edges of
    their own.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    rows: NDArray[np.intp]
    people: int

    @classmethod
    def of(cls, view: Table, ends: tuple[str, str], salt: str = "") -> "Edges":
        """The edges of a table, ordered by a public hash of (salt, both people).

        Where two edges stand in the order depends on the people of these two alone, so that an edge more or less
        leaves the order of all others as it is; equal hashes are left in the order of rows.
        """
        column = _both(view.column(ends[0]), view.column(ends[1]))
        size = len(view)
        named, hashed = identities(column), marks(column, salt)[0]
        a, b = named[:size], named[size:]
        kept = np.flatnonzero((a >= 0) & (b >= 0) & (a != b))
        low, high = np.minimum(hashed[:size], hashed[size:])[kept], np.maximum(hashed[:size], hashed[size:])[kept]
        rows = kept[np.lexsort((high, low, mixed_with(low, high.view(np.int64))))]
        used, codes = np.unique(np.concatenate([a[rows], b[rows]]), return_inverse=True)
        return cls(codes[: len(rows)], codes[len(rows) :], rows, len(used))


def _both(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """One column after the other, so that a person is the same in both; as objects unless both are of one type."""
    if first.dtype == second.dtype and first.dtype.kind in "iufmM":
        return np.concatenate([first, second])
    both = np.empty(len(first) + len(second), object)
    both[:] = [*row_values(first), *row_values(second)]
    return both
