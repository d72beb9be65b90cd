"""Rows in the unit ball with their targets as numbers: kept, or read again for each pass."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.rows import Matrix, Rows
from dalenius.learning.data.stream import StreamedRows
from dalenius.learning.data.targets import Encoder


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Coded:
    """Rows that stay where they are: each pass reads them anew and holds one chunk at a time."""

    view: Rows | StreamedRows
    unit: UnitRows
    encoder: Encoder

    def __iter__(self) -> Iterator[tuple[Matrix, Matrix]]:
        for features, target in self.view.chunks():
            yield self.unit.steps(features), self.encoder.codes(target)

    def __repr__(self) -> str:
        return "Coded(private)"


def coded(view: Rows | StreamedRows, unit: UnitRows, encoder: Encoder) -> Iterable[tuple[Matrix, Matrix]]:
    """The same chunks either way: rows in memory are worked out once, those of a file in each pass."""
    found = Coded(view, unit, encoder)
    return list(found) if isinstance(view, Rows) else found
