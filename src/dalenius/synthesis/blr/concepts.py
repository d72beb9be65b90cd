"""Any counting questions over a small universe, by enumeration of all small databases."""

import math
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.synthesis.blr.integers import below, weighted
from dalenius.synthesis.blr.measure import BaseMeasure, checked_size, databases_of

MOST_MULTISETS = 1_000_000
MOST_WORK = 10**10
"""Multisets × questions × items: some seconds of work."""
_CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class Concepts:
    """k counting questions, each given by the items that it counts: concepts[i][x] is 1 if question i counts item x.

    All multisets of m items are enumerated, so the universe must be small: at most a million multisets.

    >>> Concepts(((1, 0), (1, 1)), 3).databases
    4
    """

    concepts: tuple[tuple[int, ...], ...] = field(repr=False)
    rows: int
    measure: BaseMeasure = "multisets"

    def __post_init__(self) -> None:
        widths = {len(concept) for concept in self.concepts}
        if len(widths) != 1 or not set().union(*self.concepts) <= {0, 1}:
            raise InvalidParameter("concepts must be rows of 0 and 1, one column for each item of the universe")
        checked_size(self.universe, self.rows, self.measure, MOST_MULTISETS)
        multisets = math.comb(self.universe + self.rows - 1, self.rows)
        if multisets > MOST_MULTISETS or multisets * self.questions * self.universe > MOST_WORK:
            raise InvalidParameter(
                f"{self.rows} rows over {self.universe} items make {multisets:.3g} multisets, which cannot be "
                f"enumerated for {self.questions} questions: take fewer rows or items; threshold questions on an "
                "ordered universe and hierarchies are counted without enumeration"
            )

    @property
    def universe(self) -> int:
        """The number of items."""
        return len(self.concepts[0])

    @property
    def questions(self) -> int:
        """The number of concepts."""
        return len(self.concepts)

    @property
    def fineness(self) -> int:
        """The answers of m rows are multiples of 1/m, and so is n times their error: nothing is rounded."""
        return self.rows

    @property
    def databases(self) -> int:
        """C(X + m − 1, m) multisets, or X^m sequences."""
        return databases_of(self.universe, self.rows, self.measure)

    def multisets(self) -> NDArray[np.int64]:
        """Every multiset of m items as a histogram, one a row."""
        count = math.comb(self.universe + self.rows - 1, self.rows)
        flat = (item for chosen in combinations_with_replacement(range(self.universe), self.rows) for item in chosen)
        items = np.fromiter(flat, np.int64, count * self.rows).reshape(count, self.rows)
        histograms = np.zeros((count, self.universe), np.int64)
        for place in range(self.rows):
            histograms[np.arange(count), items[:, place]] += 1
        return histograms

    def around(self, histogram: tuple[int, ...], one: int = 1) -> "Listed":
        """All multisets with their levels."""
        held, n, multisets = np.array(histogram, np.int64), sum(histogram), self.multisets()
        matrix = np.array(self.concepts, np.int64).T
        answers = held @ matrix
        levels = np.empty(len(multisets), np.int64)
        for start in range(0, len(multisets), _CHUNK):
            part = (multisets[start : start + _CHUNK].astype(np.float64) @ matrix).astype(np.int64)
            off = np.abs(n * part - self.rows * answers).max(axis=1)
            levels[start : start + _CHUNK] = -(-off // one)
        return Listed(self, multisets, levels)

    def facts(self) -> dict[str, object]:
        """Concepts, rows and base measure."""
        return {
            "questions": "concepts",
            "concepts": ["".join(map(str, concept)) for concept in self.concepts],
            "rows": self.rows,
            "base measure": self.measure,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Multisets, and how far off the worst of their answers is."""

    family: Concepts
    multisets: NDArray[np.int64]
    levels: NDArray[np.int64]

    @property
    def largest(self) -> int:
        """The largest level of them all."""
        return int(self.levels.max())

    def count(self, level: int) -> int:
        """How many have at most this level, or how many sequences."""
        near = np.flatnonzero(self.levels <= level)
        return len(near) if self.family.measure == "multisets" else sum(map(self._orders, near.tolist()))

    def draw(self, level: int, bits: Bits) -> tuple[int, ...]:
        """One of them by the base measure."""
        near = np.flatnonzero(self.levels <= level).tolist()
        if self.family.measure == "multisets":
            return tuple(self.multisets[near[below(len(near), bits)]].tolist())
        return tuple(self.multisets[near[weighted([self._orders(place) for place in near], bits)]].tolist())

    def _orders(self, place: int) -> int:
        """In how many orders the multiset can be written down."""
        ways, left = 1, self.family.rows
        for times in self.multisets[place].tolist():
            ways, left = ways * math.comb(left, times), left - times
        return ways


def conjunctions(bits: int, rows: int, measure: BaseMeasure = "multisets") -> Concepts:
    """All 3^d conjunctions of d yes-no columns and their negations; the first column is the most significant bit.

    >>> conjunctions(2, 4).questions
    9
    """
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 8:
        raise InvalidParameter(f"conjunctions of 1 to 8 yes-no columns can be enumerated, got {bits!r}")
    items = list(product((0, 1), repeat=bits))
    wanted = product((0, 1, None), repeat=bits)
    concepts = tuple(
        tuple(int(all(w is None or w == v for w, v in zip(want, item, strict=True))) for item in items)
        for want in wanted
    )
    return Concepts(concepts, rows, measure)
