"""What a statement tells of each cell: the weights of places."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Integers = NDArray[np.int64]


def weights_by_cell(scanned: "pa.Table", cells: int) -> Iterator[tuple[Integers, Integers]]:
    """For each of the cells 0 … cells − 1 its occupied places and their weights; a cell without rows has none."""
    at, places, weights = (scanned[name].to_numpy().astype(np.int64) for name in ("cell", "place", "weight"))
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], np.arange(cells + 1))
    for start, end in pairwise(ends.tolist()):
        here = order[start:end]
        yield places[here], weights[here]
