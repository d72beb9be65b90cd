"""Rows in the unit ball with their targets as numbers: kept, or read again for each pass."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Encoder
from dalenius.learning.data.weighted_rows import WeightedRows

AnyRows = Rows | WeightedRows | StreamedRows
Part = tuple[Matrix, Matrix] | tuple[Matrix, Matrix, Matrix]
"""Steps and codes of some rows, and their weights of [0, 1] where they have any."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Coded:
    """Rows that stay where they are: each pass reads them anew and holds one chunk at a time."""

    view: AnyRows
    unit: UnitRows
    encoder: Encoder

    def __iter__(self) -> Iterator[Part]:
        for features, target, weight in chunks_with_weights(self.view):
            steps, codes = self.unit.steps(features), self.encoder.codes(target)
            yield (steps, codes) if weight is None else (steps, codes, weight)

    def __repr__(self) -> str:
        return "Coded(private)"


def coded(view: AnyRows, unit: UnitRows, encoder: Encoder) -> Iterable[Part]:
    """The same chunks either way: rows in memory are worked out once, those of a file in each pass."""
    parts = Coded(view, unit, encoder)
    return parts if isinstance(view, StreamedRows) else list(parts)


def whole_part(part: Part) -> tuple[Matrix, Matrix, Matrix]:
    """With a weight of 1 for rows that have none."""
    return part if len(part) == 3 else (*part, np.ones(len(part[0])))


def size_of(view: AnyRows) -> int:
    """The number of rows, or the sum of their weights, rounded down: one unit moves it by at most 1."""
    return view.total if isinstance(view, WeightedRows) else len(view)


def chunks_with_weights(view: AnyRows) -> Iterator[tuple[Matrix, NDArray[Any], Matrix | None]]:
    """Features, target and weight of some thousands of rows at a time; None for rows that have no weight."""
    if isinstance(view, WeightedRows):
        yield from view.weighted_chunks()
    else:
        for features, target in view.chunks():
            yield features, target, None


def weighted_steps(view: AnyRows, unit: UnitRows) -> Iterator[Matrix]:
    """Rows as steps, each times its weight and cut toward zero: a unit's part is no longer than one row."""
    for features, _, weight in chunks_with_weights(view):
        steps = unit.steps(features)
        yield steps if weight is None else np.trunc(steps * weight[:, None])
