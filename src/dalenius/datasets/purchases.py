"""A year of purchases, made up: many rows a person, few for most of them and hundreds for some.

Nobody stands behind a row. Every number is a fixed function of its place (SplitMix64, a permutation of the 64-bit
numbers, in place of chance), so the table is the same every time.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments

if TYPE_CHECKING:
    import pyarrow as pa

PURCHASES_KEYS: dict[str, tuple[str, ...]] = {
    "category": ("books", "clothes", "electronics", "food", "garden", "sports", "toys", "travel"),
    "channel": ("app", "phone", "store", "web"),
}
PURCHASES_BOUNDS: dict[str, tuple[int, int]] = {"amount": (0, 200)}
PURCHASES_CONTRIBUTIONS = 40
"""What its owner would declare: all of it public, none of it taken from the rows."""

_PEOPLE = 30_000
_MOST = 400
_PRICES = np.array([14.0, 35.0, 90.0, 22.0, 30.0, 45.0, 20.0, 120.0])
_LIKED = np.array([0.14, 0.13, 0.07, 0.34, 0.06, 0.08, 0.13, 0.05])
_WAYS = np.array([0.30, 0.04, 0.24, 0.42])
_FIRST_DAY, _DAYS = np.datetime64("2025-01-01"), 365
_GOLDEN, _MIX, _MORE = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@named_arguments
def purchases(folder: str | Path) -> Path:
    """Write purchases.parquet into a folder; returns where it lies."""
    import pyarrow.parquet as pq

    place = Path(folder) / "purchases.parquet"
    pq.write_table(purchases_table(), place)
    return place


@named_arguments
def purchases_table() -> "pa.Table":
    """The whole table, in memory: user_id, day, category, channel, amount."""
    import pyarrow as pa
    from scipy.special import ndtri

    people = np.arange(_PEOPLE)
    # Pareto's tail: half of the people have fewer than five rows, some have hundreds
    each = np.minimum((3 / _spread(people, 0) ** 0.6).astype(np.int64), _MOST)
    who = np.repeat(people, each)
    rows = np.arange(len(who))
    # one row in three is of the kind that the person likes best
    own = np.where(_spread(rows, 1) < 1 / 3, _spread(who, 2), _spread(rows, 3))
    kind = np.searchsorted(np.cumsum(_LIKED)[:-1], own)
    way = np.searchsorted(np.cumsum(_WAYS)[:-1], _spread(rows, 4))
    amount = np.round(_PRICES[kind] * np.exp(0.5 * ndtri(_spread(rows, 5))), 2)
    # more in the second half of the year than in the first
    day = _FIRST_DAY + (_DAYS * _spread(rows, 6) ** 0.8).astype("timedelta64[D]")
    order = np.argsort(_bits(rows, 7), kind="stable")
    columns = {
        "user_id": 1000 + who,
        "day": day,
        "category": np.array(PURCHASES_KEYS["category"])[kind],
        "channel": np.array(PURCHASES_KEYS["channel"])[way],
        "amount": amount,
    }
    return pa.table({name: pa.array(column[order]) for name, column in columns.items()})


def _spread(places: NDArray[np.int64], stream: int) -> NDArray[np.float64]:
    """Numbers in (0, 1), evenly spread and without order: one for each place, others in each stream."""
    return ((_bits(places, stream) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _bits(places: NDArray[np.int64], stream: int) -> NDArray[np.uint64]:
    """64 bits for each place  [SLF14]."""
    z = places.astype(np.uint64) * np.uint64(_GOLDEN) + np.uint64((stream + 1) * _MORE % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_MIX)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_MORE)
    return z ^ (z >> np.uint64(31))
