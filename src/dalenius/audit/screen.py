"""Which of very many places are worth a look: those whose values differ most between x and x2."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROWS = 2_000
"""Draws on each side that the screen looks at."""


def most_telling(first: Floats, second: Floats, count: int) -> tuple[int, ...]:
    """The `count` columns with the largest distance between their distribution functions, the most telling first.

    The distance of Kolmogorov and Smirnov needs no idea of how a column differs; NaN counts as a value below all
    others. It only chooses where to look: what it finds is judged, and certified, by other means.
    """
    gaps = [_distance(first[:_ROWS, k], second[:_ROWS, k]) for k in range(first.shape[1])]
    order = np.argsort(-np.array(gaps), kind="stable")[:count]
    return tuple(order.tolist())


def _distance(one: Floats, other: Floats) -> float:
    a, b = (np.sort(np.where(np.isnan(side), -np.inf, side)) for side in (one, other))
    at = np.concatenate([a, b])
    shares = (np.searchsorted(side, at, side="right") / len(side) for side in (a, b))
    return float(np.max(np.abs(next(shares) - next(shares))))
