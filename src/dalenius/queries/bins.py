"""A histogram of numbers over declared edges."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, rational
from dalenius.queries.count import grouping_facts, grouping_words, reads_of
from dalenius.queries.identity import identities
from dalenius.queries.keys import Keys
from dalenius.queries.numbers import doubles, readable
from dalenius.queries.query import VALUE
from dalenius.queries.reach import scalar
from dalenius.queries.scan import Doubles, held
from dalenius.queries.view import Table
from dalenius.queries.weights import WEIGHTS, Contributions

_EVEN_CHUNK, _SORTED_CHUNK = 1 << 15, 1 << 12
_LARGEST = Fraction(2) ** 900


@dataclass(frozen=True, slots=True, init=False)
class Bins:
    """How many rows lie in each bin [edge, next edge), the last one closed, as numpy.histogram counts.

    Rows outside, and rows that hold no number, are dropped. An edge is the double nearest to what was given.
    """

    column: str
    edges: tuple[float, ...]
    contributions: Contributions | None

    counts: ClassVar[bool] = True
    """Each row adds 1 to one number: what an inference about people needs to know."""

    def __init__(self, column: str, edges: Iterable[Number] | None, contributions: Contributions | None = None) -> None:
        if edges is None or isinstance(edges, str):
            raise UnboundedQuery(f"bins of {column!r} must be declared: give their edges")
        exact = [rational(edge, f"edges of {column!r}") for edge in edges]
        if any(abs(edge) > _LARGEST for edge in exact):
            raise InvalidParameter(f"edges of {column!r} must lie within 2^900: rescale the data")
        ends = tuple(float(edge) for edge in exact)
        if len(ends) < 2 or any(not low < high for low, high in itertools.pairwise(ends)):
            raise InvalidParameter(f"edges of {column!r} must be two or more, each larger than the one before")
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "edges", ends)
        object.__setattr__(self, "contributions", contributions)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(None, self.contributions, self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each bin."""
        return VALUE

    @property
    def keys(self) -> Keys:
        """The bins by their names, such as "[0.0, 10.0)"."""
        pairs = list(itertools.pairwise(self.edges))
        names = [f"[{low}, {high})" for low, high in pairs[:-1]]
        return Keys(self.column, [*names, f"[{pairs[-1][0]}, {pairs[-1][1]}]"])

    @property
    def lattice(self) -> Lattice:
        """Whole rows, or row weights."""
        return INTEGERS if self.contributions is None else WEIGHTS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The number of rows, or the sum of their weights, in each bin."""
        numbers = readable(view.column(self.column))
        # the last edge moved up by one double closes the last bin and leaves every bin half-open
        edges = np.array([*self.edges[:-1], np.nextafter(self.edges[-1], np.inf)])
        with np.errstate(all="ignore"):  # a warning is an output too
            if self.contributions is not None:
                return self._weighted(view, numbers, edges)
            width = (self.edges[-1] - self.edges[0]) / (len(edges) - 1)
            even = self.edges[0] + width * np.arange(len(edges))
            if np.all(np.abs(edges - even) < width / 8):
                return _even(numbers, edges, width)
            return _sorted(numbers, edges)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """As for a histogram over keys: 1 if a row comes or goes, 2 if it changes  [A Ex 3.4]."""
        reach = scalar(1, 1, metric, cells=len(self.edges) - 1, dropped=True)
        return reach.sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """Column and edges, and what bounds a unit."""
        facts = {"query": "bins", "column": self.column, "edges": [edge.hex() for edge in self.edges]}
        return facts | grouping_facts(None, self.contributions)

    @escaped
    def __str__(self) -> str:
        return f"COUNT(*) in {len(self.edges) - 1} bins of {self.column}" + grouping_words(None, self.contributions)

    def _weighted(self, view: Table, numbers: NDArray[Any], edges: Doubles) -> NDArray[np.int64]:
        bins = len(edges) - 1
        places = np.searchsorted(edges, doubles(numbers), "right") - 1  # NaN comes after every edge
        units = identities(view.column(self.contributions.column))  # type: ignore[union-attr]
        final = (places >= 0) & (places < bins) & (units >= 0)
        weights = self.contributions.weights(units[final])  # type: ignore[union-attr]
        return held([int(total) for total in np.bincount(places[final], weights, minlength=bins)])


def _even(numbers: NDArray[Any], edges: Doubles, width: float) -> NDArray[np.int64]:
    """Bins of nearly one width: guess a bin by division, which is off by one at most, and compare with the edges."""
    ends = np.array([-np.inf, *edges, np.inf, np.inf])  # a bin below all others, and two above
    counts = np.zeros(len(ends), np.int64)
    for start in range(0, len(numbers), _EVEN_CHUNK):
        part = doubles(numbers[start : start + _EVEN_CHUNK])
        if np.isnan(np.add.reduce(part)):
            part = part[~np.isnan(part)]
        guess = (part - edges[0]) * (1 / width)
        guess += 1.0
        np.clip(guess, 0.0, float(len(edges)), out=guess)
        place = guess.astype(np.intp)
        low = part < ends[place]
        high = part >= ends[place + 1]
        place += high
        place -= low
        counts += np.bincount(place, minlength=len(ends))
    return counts[1 : len(edges)]


def _sorted(numbers: NDArray[Any], edges: Doubles) -> NDArray[np.int64]:
    """Any bins: sort a few thousand rows at a time and look the edges up among them; NaN is sorted last."""
    below = np.zeros(len(edges), np.int64)
    for start in range(0, len(numbers), _SORTED_CHUNK):
        below += np.searchsorted(np.sort(doubles(numbers[start : start + _SORTED_CHUNK])), edges, "left")
    return np.diff(below)
