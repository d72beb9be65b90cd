import itertools

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.synthesis.data.possible_row import possible_row


def test_a_row_is_found_exactly_where_there_is_one():
    """Against all rows of small random domains."""
    rng, found = np.random.default_rng(2), set()
    for _ in range(200):
        sizes = [2, 3, 2]
        rules = []
        for i, j in ((0, 1), (2, 1), (0, 2)):
            cells = [c for c in itertools.product(range(sizes[i]), range(sizes[j])) if rng.random() < 0.6]
            if cells:
                rules.append((i, j, tuple(cells)))
        there = [
            row
            for row in itertools.product(*map(range, sizes))
            if not any((row[i], row[j]) in cells for i, j, cells in rules)
        ]
        found.add(bool(there))
        if there:
            assert possible_row(sizes, rules) in there
        else:
            with pytest.raises(InvalidParameter, match="no row could meet"):
                possible_row(sizes, rules)
    assert found == {True, False}


def test_a_search_without_end_is_refused():
    """Eleven columns of ten levels that must all differ."""
    same = tuple((level, level) for level in range(10))
    rules = [(i, j, same) for i, j in itertools.combinations(range(11), 2)]
    with pytest.raises(InvalidParameter, match="entangled"):
        possible_row([10] * 11, rules)
