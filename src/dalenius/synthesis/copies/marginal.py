"""A table of the copy: what was measured, with its error; or what the model says, of which nothing is proved."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.answer.outcome import aligned
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped

if TYPE_CHECKING:
    import pandas as pd

    from dalenius.synthesis.copies.copy import Copy

MOST_CELLS = 10_000_000


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Marginal:
    """Counts by levels."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    counts: NDArray[np.float64]
    """As released, which may be negative; from the model where the table was not measured."""
    lower: NDArray[np.float64] | None
    upper: NDArray[np.float64] | None
    modelled: NDArray[np.float64]
    """The same cells in the model that rows are drawn from."""

    @property
    def measured(self) -> bool:
        """Whether these counts were released with a known error; else nothing is proved of them."""
        return self.lower is not None

    @property
    def disagreement(self) -> float:
        """Half of all differences between the model's counts and the released ones, as a share of the model's rows.

        It is the noise, and what the model does not keep.
        """
        return float(np.abs(self.counts - self.modelled).sum() / 2 / max(float(self.modelled.sum()), 1.0))

    def to_pandas(self) -> "pd.DataFrame":
        """One row for each cell; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self._table())

    @escaped
    def __repr__(self) -> str:
        origin = "measured" if self.measured else "not measured: from the model, nothing is proved"
        return "\n".join([f"{' × '.join(self.columns)} ({origin})", *aligned(self._table())])

    def _table(self) -> dict[str, list[Any]]:
        keys = list(itertools.product(*self.labels))
        table: dict[str, list[Any]] = {name: [key[i] for key in keys] for i, name in enumerate(self.columns)}
        table["count"] = self.counts.ravel().tolist()
        if self.lower is not None and self.upper is not None:
            table["count_lower"], table["count_upper"] = self.lower.ravel().tolist(), self.upper.ravel().tolist()
        return table


def marginal_of(copy: "Copy", columns: tuple[str, ...], level: Fraction) -> Marginal:
    """The table of these columns."""
    places = tuple(copy.domain.place(name) for name in columns)
    if not places or len(set(places)) != len(places):
        raise InvalidParameter("a marginal is of one column or more, each named once")
    attributes = [copy.domain.attributes[place] for place in places]
    shape = tuple(attribute.size for attribute in attributes)
    if int(np.prod([float(size) for size in shape])) > MOST_CELLS:
        raise InvalidParameter(f"a marginal of more than {MOST_CELLS} cells is not made: name fewer columns")
    modelled = model_table(copy, places)
    labels = tuple(attribute.labels for attribute in attributes)
    measured = _measured(copy, places, level)
    if measured is None:
        return Marginal(columns, labels, modelled, None, None, modelled)
    counts, lower, upper = measured
    return Marginal(columns, labels, counts, lower, upper, modelled)


def _measured(copy: "Copy", places: tuple[int, ...], level: Fraction) -> Any:
    """The released counts and their ends: of the table itself, or summed from the smallest one that holds it."""
    marginals = copy.marginals
    holding = [n for n, table in enumerate(marginals.tables) if set(places) <= set(table)]
    if not holding:
        return None
    number = min(holding, key=lambda n: len(marginals.tables[n]))
    table, column = marginals.tables[number], copy.outcome.columns[number]
    cells = column.floats().reshape(marginals.shape(table))
    summed = tuple(axis for axis, place in enumerate(table) if place not in places)
    times = int(np.prod([marginals.shape(table)[axis] for axis in summed]))
    counts = cells.sum(axis=summed)
    left = [place for place in table if place in places]
    counts = np.transpose(counts, [left.index(place) for place in places])
    # of a sum of independent cells each lies within its part at once: a union bound
    radius = float(column.accuracy(1 - level)) if times == 1 else times * float(column.accuracy((1 - level) / times))
    return counts, counts - radius, counts + radius


def model_table(copy: "Copy", places: tuple[int, ...]) -> NDArray[np.float64]:
    """The expected counts of the model, for as many rows as the copy has."""
    from dalenius.synthesis.copies.copy import modelled

    model, shape, target = copy.model, copy._shape, copy.marginals.target
    order = modelled(copy.marginals)
    components = len(model.weights)
    by_label = target in places
    table = model.weights.astype(np.float64) if by_label else model.weights.sum(axis=1, dtype=np.float64)[:, None]
    for place in (p for p in places if p != target):
        column = order.index(place)
        start = int(shape.starts[column])
        law = model.theta[:, start : start + shape.sizes[column]].astype(np.float64)
        table = table.reshape(components, -1, 1) * law[:, None, :]
        table = table.reshape(components, -1)
    flat = table.sum(axis=0) * copy.rows
    others = [p for p in places if p != target]
    sizes = ([copy.domain.sizes[target]] if by_label and target is not None else [1]) + [
        copy.domain.sizes[p] for p in others
    ]
    shares: NDArray[np.float64] = flat.reshape(sizes)
    if not by_label:
        alone: NDArray[np.float64] = shares[0]
        return alone
    assert target is not None
    left = [target, *others]
    return np.transpose(shares, [left.index(place) for place in places])
