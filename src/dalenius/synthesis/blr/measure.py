"""What counts as one small database: a multiset of rows, or a sequence of them."""

import math
from typing import Literal

from dalenius.errors import InvalidParameter

BaseMeasure = Literal["multisets", "sequences"]
"""Each multiset once, or as often as it can be written down in order (the uniform law on X^m)  [S §2.5]."""
MOST_ROWS = 1 << 10


def databases_of(universe: int, rows: int, measure: BaseMeasure) -> int:
    """C(X + m − 1, m) multisets, or X^m sequences."""
    return math.comb(universe + rows - 1, rows) if measure == "multisets" else universe**rows


def checked_size(universe: int, rows: int, measure: str, most: int) -> None:
    """Refuse, by public numbers, a universe or a number of rows that cannot be counted."""
    if isinstance(universe, bool) or not isinstance(universe, int) or not 1 <= universe <= most:
        raise InvalidParameter(f"the universe must have from 1 to {most} items, got {universe!r}: use coarser items")
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
        raise InvalidParameter(f"rows of the small database must be a whole number from 1 to {MOST_ROWS}, got {rows!r}")
    if measure not in ("multisets", "sequences"):
        raise InvalidParameter(f"the base measure is of 'multisets' or 'sequences', got {measure!r}")
