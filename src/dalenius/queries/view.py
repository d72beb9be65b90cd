"""What a query may read."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
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

    def during_run(self) -> AbstractContextManager[None]:
        """For the length of one run, an engine may keep what it has read, so that several questions share a scan."""
        return nullcontext()

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
        columns = {name: _column(name, data[name]) for name in _names(data)}
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
    return [None] * len(column) if column.dtype.kind in "mM" else [_plain(value) for value in column.tolist()]


def _plain(value: Any) -> Any:
    if isinstance(value, np.timedelta64):  # for numpy a kind of integer
        return None
    if isinstance(value, np.floating):
        return float(value)  # not item(), which leaves a long double what it is
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def _column(name: str, values: Any) -> NDArray[Any]:
    try:
        return _array(values)
    except Exception:  # its words may hold a value
        failed = InvalidParameter(f"column {name!r} is neither an array nor a list of values")
    raise failed


def _array(values: Any) -> NDArray[Any]:
    """The column, each element of which is the doing of its own row alone.

    numpy would turn all numbers of a list into text where one row holds text: such an answer has no sensitivity.
    """
    kind: Any = getattr(values, "type", None)
    if hasattr(kind, "index_type"):  # pyarrow's dictionary, whose NULLs would turn into some other row's value
        values = values.cast(kind.value_type)
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if isinstance(values, str | bytes | Mapping):
        raise TypeError
    return np.fromiter(values, object)


def _names(data: Any) -> Iterable[str]:
    # pyarrow calls them column_names, pandas and polars columns; a dict has keys
    for attribute in ("column_names", "columns"):
        if hasattr(data, attribute):
            return list(getattr(data, attribute))
    if hasattr(data, "keys"):
        return list(data.keys())
    raise InvalidParameter(f"data must be a dict of columns or a frame, got {type(data).__name__}")
