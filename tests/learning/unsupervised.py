"""What the tests of models of sums share: the part of each hostile row, and how far rows lie apart."""

from itertools import product

import numpy as np

from dalenius.learning.data.rows import Rows
from tests.learning.adversary import rows


def parts(sums, targets=(0.0,)):
    """The vector that each hostile row adds, alone, with every target."""
    found = []
    for row, target in product(rows(), targets):
        found.append(np.asarray(sums(Rows(row[None], np.array([target]))), object).ravel())
    return found


def reached(vectors, pairs):
    """(largest ℓ1, largest ℓ2 squared) of a vector, or of the difference of two, exactly."""
    lengths = [
        (sum(abs(int(v)) for v in vector), sum(int(v) ** 2 for v in vector))
        for vector in ([one - two for one, two in product(vectors, vectors)] if pairs else vectors)
    ]
    return max(l1 for l1, _ in lengths), max(square for _, square in lengths)
