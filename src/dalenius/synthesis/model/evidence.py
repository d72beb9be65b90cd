"""From released tables to what a mixture is fitted to: shares, precisions, and the number of rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.synthesis.model.mixture import Evidence, Floats, Shape
from dalenius.synthesis.model.public_coins import PublicCoins

_CERTAIN = 100.0
"""How many times surer a structural zero is than a measured cell."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTable:
    """A released table: its columns (of the model's shape), its cells by levels and labels, and their variance."""

    columns: tuple[int, ...]
    cells: NDArray[np.float64]
    """(levels, labels) or (levels, levels, labels)."""
    variance: float


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTables:
    """All released tables of a copy, in rows."""

    shape: Shape
    labels: int
    tables: Sequence[NoisyTable]
    impossible: Sequence[tuple[int, int, tuple[tuple[int, int], ...]]] = ()

    @property
    def rows(self) -> float:
        """The number of rows: every table's sum is one noisy look at it, weighted by its precision."""
        looks = [(float(table.cells.sum()), 1 / (table.variance * table.cells.size)) for table in self.tables]
        return sum(total * weight for total, weight in looks) / sum(weight for _, weight in looks)

    @property
    def noise(self) -> float:
        """The standard deviation of a pair's cell as a share of the rows: how little the data show."""
        finest = min(table.variance for table in self.tables if len(table.columns) == self._widest)
        return float(np.sqrt(finest)) / max(self.rows, 1.0)

    def thinned(self, coins: PublicCoins, c: float = 0.5) -> tuple["NoisyTables", "NoisyTables"]:
        """Two sets of tables with independent Gaussian noise: Y + cσZ and Y − σZ/c  (Gaussian thinning)."""
        parts: tuple[list[NoisyTable], list[NoisyTable]] = ([], [])
        for table in self.tables:
            noise = np.sqrt(table.variance) * coins.normals(table.cells.size).reshape(table.cells.shape)
            for part, factor in zip(parts, (c, -1 / c), strict=True):
                cells, variance = table.cells + factor * noise, table.variance * (1 + factor**2)
                part.append(NoisyTable(table.columns, cells, variance))
        return tuple(NoisyTables(self.shape, self.labels, part, self.impossible) for part in parts)  # type: ignore[return-value]

    def evidence(self) -> Evidence:
        """The tables as shares, in the model's layout."""
        total, rows = self.shape.total, max(self.rows, 1.0)
        starts, sizes = self.shape.starts, self.shape.sizes
        spans = [slice(start, start + size) for start, size in zip(starts.tolist(), sizes, strict=True)]
        pairs, precision = np.zeros((self.labels, total, total), np.float32), np.zeros((total, total), np.float32)
        ones, certain = np.zeros((self.labels, total), np.float32), np.zeros(total, np.float32)
        for table in self.tables:
            share, weight = np.moveaxis(table.cells, -1, 0) / rows, rows**2 / table.variance
            if len(table.columns) == 1:
                (span,) = (spans[i] for i in table.columns)
                ones[:, span], certain[span] = share, weight
            else:
                first, second = (spans[i] for i in table.columns)
                pairs[:, first, second], precision[first, second] = share, weight
                pairs[:, second, first], precision[second, first] = share.swapaxes(1, 2), weight
        for i, j, cells in self.impossible:
            for a, b in cells:
                for one, other in ((starts[i] + a, starts[j] + b), (starts[j] + b, starts[i] + a)):
                    pairs[:, one, other] = 0
                    precision[one, other] *= _CERTAIN
        return Evidence(_plain(pairs), _plain(precision), _plain(ones), _plain(certain))

    @property
    def _widest(self) -> int:
        return max(len(table.columns) for table in self.tables)


def _plain(array: Floats) -> Floats:
    return np.ascontiguousarray(array, np.float32)
