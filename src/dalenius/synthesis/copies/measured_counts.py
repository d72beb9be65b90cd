"""Counts of SQL over a copy, beside the table that was measured of the same columns."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dalenius.synthesis.copies.marginal import marginal_of
from dalenius.synthesis.data.attributes import Levels

if TYPE_CHECKING:
    from dalenius.synthesis.copies.copy import Copy


def count_ends(copy: "Copy", keys: list[tuple[str, list[Any]]], level: Fraction) -> list[tuple[float, float]] | None:
    """Ends of the bounded private count of each row's keys, all of them at once; None if it was not measured.

    `keys` are columns by name with the value of each row. Which cells SQL shows depends on the noise, so what is said
    of a few holds only if it holds of all cells: a union bound.
    """
    names = {name.lower(): name for name in copy.domain.names}
    if not keys or not all(name.lower() in names for name, _ in keys):
        return None
    columns = tuple(names[name.lower()] for name, _ in keys)
    attributes = [copy.domain.attributes[copy.domain.place(name)] for name in columns]
    if not all(isinstance(attribute, Levels) for attribute in attributes) or len(set(columns)) != len(columns):
        return None
    if not any({copy.domain.place(name) for name in columns} <= set(table) for table in copy.marginals.tables):
        return None
    cells = int(np.prod([attribute.size for attribute in attributes]))
    table = marginal_of(copy, columns, 1 - (1 - level) / cells)
    assert table.lower is not None
    assert table.upper is not None
    ends = []
    for values in zip(*(values for _, values in keys), strict=True):
        places = tuple(_place(attribute, value) for attribute, value in zip(attributes, values, strict=True))
        ends.append((float(table.lower[places]), float(table.upper[places])))
    return ends


def _place(attribute: Any, value: Any) -> int:
    return len(attribute.values) if value is None else attribute.values.index(value)
