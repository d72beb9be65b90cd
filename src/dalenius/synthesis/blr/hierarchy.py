"""Counts of every node of a tree: cities, their regions, their countries.

The level of a small database is at most t exactly if the count of every node lies in its band. Such databases are
counted from the leaves up: the counts of the children of a node are convolved, then cut to the node's own band.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.synthesis.blr.integers import weighted
from dalenius.synthesis.blr.measure import BaseMeasure, checked_size, databases_of

MOST_LEAVES = 1 << 12
Tree = int | tuple[Any, ...]
"""A leaf by the number of its item, or the tuple of a node's children."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The questions "how many rows are below this node", for every node of a tree whose leaves are the universe.

    >>> Hierarchy(((0, 1), (2, 3)), 2).questions
    7
    """

    tree: Tree
    rows: int
    measure: BaseMeasure = "multisets"

    def __post_init__(self) -> None:
        leaves = leaves_of(self.tree)
        checked_size(len(leaves), self.rows, self.measure, MOST_LEAVES)
        if sorted(leaves) != list(range(len(leaves))):
            raise InvalidParameter("the leaves of a hierarchy must be the items 0, 1, …, each of them once")

    @property
    def universe(self) -> int:
        """The number of leaves."""
        return len(leaves_of(self.tree))

    @property
    def questions(self) -> int:
        """The number of nodes."""
        return _nodes(self.tree)

    @property
    def fineness(self) -> int:
        """Whole rows."""
        return 1

    @property
    def databases(self) -> int:
        """C(X + m − 1, m) multisets, or X^m sequences."""
        return databases_of(self.universe, self.rows, self.measure)

    def around(self, histogram: tuple[int, ...], one: int = 1) -> "Forest":
        """The small databases around the private counts."""
        return Forest(self, histogram, one)

    def facts(self) -> dict[str, object]:
        """The tree, rows and base measure."""
        return {"questions": "hierarchy", "tree": _listed(self.tree), "rows": self.rows, "base measure": self.measure}


@dataclass(frozen=True, slots=True)
class Forest:
    """The small databases around private counts of leaves, in steps of 1/one row."""

    family: Hierarchy
    histogram: tuple[int, ...]
    one: int

    @property
    def largest(self) -> int:
        """No count is off by more than all rows."""
        return -(-sum(self.histogram) // self.one)

    def count(self, level: int) -> int:
        """All databases of m rows whose every node is in its band."""
        return self._ways(self.family.tree, level).total[self.family.rows]

    def draw(self, level: int, bits: Bits) -> tuple[int, ...]:
        """One of them, from the root down: how the rows of a node divide among its children."""
        drawn = [0] * len(self.histogram)
        pending = [(self._ways(self.family.tree, level), self.family.rows)]
        while pending:
            ways, rows = pending.pop()
            if isinstance(ways.tree, int):
                drawn[ways.tree] = rows
                continue
            for child, before in zip(reversed(ways.children), reversed(ways.partial), strict=True):
                options = [before[rows - own] * child.total[own] * self._times(rows, own) for own in range(rows + 1)]
                own = weighted(options, bits)
                pending.append((child, own))
                rows -= own
        return tuple(drawn)

    def _ways(self, tree: Tree, level: int) -> "_Ways":
        """For each number of rows the number of ways to have them below this node."""
        m = self.family.rows
        if isinstance(tree, int):
            return _Ways(tree, self._cut([1] * (m + 1), self.histogram[tree], level), (), (), self.histogram[tree])
        children = tuple(self._ways(child, level) for child in tree)
        partial, ways = [], [1] + [0] * m
        for child in children:
            partial.append(ways)
            ways = [
                sum(ways[rows - own] * child.total[own] * self._times(rows, own) for own in range(rows + 1))
                for rows in range(m + 1)
            ]
        held = sum(child.held for child in children)
        return _Ways(tree, self._cut(ways, held, level), children, tuple(partial), held)

    def _times(self, rows: int, own: int) -> int:
        return 1 if self.family.measure == "multisets" else math.comb(rows, own)

    def _cut(self, ways: Sequence[int], held: int, level: int) -> list[int]:
        n, m = sum(self.histogram), self.family.rows
        return [way if abs(n * rows - m * held) <= m * level * self.one else 0 for rows, way in enumerate(ways)]


@dataclass(frozen=True, slots=True)
class _Ways:
    """A node: its ways by number of rows, its children, and the ways of the children before each of them."""

    tree: Tree
    total: list[int]
    children: tuple["_Ways", ...]
    partial: tuple[list[int], ...]
    held: int


def leaves_of(tree: Tree) -> list[int]:
    """The items at the leaves, from left to right."""
    if isinstance(tree, int) and not isinstance(tree, bool):
        return [tree]
    if not isinstance(tree, tuple) or not tree:
        raise InvalidParameter("a hierarchy is made of tuples of children, with the number of an item at each leaf")
    return [leaf for child in tree for leaf in leaves_of(child)]


def _nodes(tree: Tree) -> int:
    return 1 if isinstance(tree, int) else 1 + sum(map(_nodes, tree))


def _listed(tree: Tree) -> Any:
    return tree if isinstance(tree, int) else [_listed(child) for child in tree]
