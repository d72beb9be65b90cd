"""The interface of data: what a query may read."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries.columns import columns_of

EXACT = 2**53
"""Below it floats tell whole numbers apart. Integers with a gap may arrive as floats, so no key may be larger."""


class View:
    """Private data as a query sees it: an engine, or a table in memory. Its `repr` says nothing of what is inside."""

    __slots__ = ()

    def during_run(self) -> AbstractContextManager[None]:
        """For the length of one run, an engine may keep what it has read, so that several questions share a scan."""
        return nullcontext()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(private)"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Table(View):
    """Columns in memory, each element of which is the doing of its own row alone.

    >>> Table.of({"age": [39, 50]})
    Table(private)
    """

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any, names: Sequence[str] | None = None) -> "Table":
        """A dict of columns, a numpy array with fields, one of two dimensions with `names`, or a frame for narwhals."""
        columns = columns_of(data, names)
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


def row_values(column: NDArray[Any]) -> list[Any]:
    """What each row holds, as Python has it and whatever the other rows hold.

    A date is None here: numpy gives one of nanoseconds as an int, any other as a date.
    """
    if column.dtype.kind in "mM":
        return [None] * len(column)
    values = column.tolist()
    if column.dtype.kind != "O" or set(map(type, values)) <= _PLAIN:
        return values if column.dtype != np.longdouble else [float(value) for value in values]
    return [_plain(value) for value in values]


_PLAIN = {str, int, float, bool, bytes, type(None)}


def _plain(value: Any) -> Any:
    if isinstance(value, np.timedelta64):  # for numpy a kind of integer
        return None
    if isinstance(value, np.floating):
        return float(value)  # not item(), which leaves a long double what it is
    return value.item() if isinstance(value, np.integer | np.bool_) else value
