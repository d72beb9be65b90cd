"""What a query may read."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName

EXACT = 2**53
"""Below it floats tell whole numbers apart. Integers with a gap may arrive as floats, so no answer may use more."""


class View:
    """Private data as a query sees it: an engine, or a table in memory. Its `repr` says nothing of what is inside."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(private)"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Table(View):
    """Columns in memory: a dict of arrays, or a pyarrow, pandas or polars frame.

    >>> Table.of({"age": [39, 50]})
    Table(private)
    """

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any) -> "Table":
        """The columns of anything that has names and gives a column for a name."""
        names = _names(data)
        columns = {name: np.asarray(data[name]) for name in names}
        if any(column.ndim != 1 for column in columns.values()):
            raise InvalidParameter("every column must be one-dimensional")
        if len({len(column) for column in columns.values()}) != 1:
            raise InvalidParameter("a table needs columns, all of one length")
        return cls(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def column(self, name: str) -> NDArray[Any]:
        """The column of that name."""
        if name not in self.columns:
            raise UnknownName(f"the data has no column {name!r}; it has {', '.join(map(repr, self.columns))}")
        return self.columns[name]


def _names(data: Any) -> Iterable[str]:
    # pyarrow calls them column_names, pandas and polars columns; a dict has keys
    for attribute in ("column_names", "columns"):
        if hasattr(data, attribute):
            return list(getattr(data, attribute))
    if hasattr(data, "keys"):
        return list(data.keys())
    raise InvalidParameter(f"data must be a dict of columns or a frame, got {type(data).__name__}")
