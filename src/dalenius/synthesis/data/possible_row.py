"""One row that meets all declared pairs: without it no copy could keep them."""

from collections.abc import Sequence

import numpy as np

from dalenius.errors import InvalidParameter

Impossible = Sequence[tuple[int, int, tuple[tuple[int, int], ...]]]
_STEPS = 100_000


def possible_row(sizes: Sequence[int], impossible: Impossible) -> tuple[int, ...]:
    """Levels of a row that holds no impossible pair, by search; refused by name where there is none.

    >>> possible_row([2, 2], [(0, 1, ((0, 0), (0, 1)))])
    (1, 0)
    """
    rules: dict[int, list[tuple[int, np.ndarray]]] = {}
    for i, j, cells in impossible:
        allowed = np.ones((sizes[i], sizes[j]), np.bool_)
        allowed[tuple(np.array(cells, np.int64).T)] = False
        rules.setdefault(max(i, j), []).append((min(i, j), allowed if i < j else allowed.T))
    row, left = [-1], _STEPS
    while row:
        left -= 1
        if left < 0:
            raise InvalidParameter("the declared pairs are too entangled to find a possible row: name fewer of them")
        place, level = len(row) - 1, row[-1] + 1
        while level < sizes[place] and not all(table[row[i], level] for i, table in rules.get(place, ())):
            level += 1
        if level == sizes[place]:
            row.pop()
            continue
        row[-1] = level
        if len(row) == len(sizes):
            return tuple(row)
        row.append(-1)
    raise InvalidParameter("no row could meet all declared pairs at once: check impossible and allowed")
