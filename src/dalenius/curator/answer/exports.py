"""What every answer can do with its columns, whatever its shape: iterate, index, convert, write to files and plot."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalenius.calls import Readable, shown
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.escape import csv_cell, csv_text, json_text

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl
    import pyarrow as pa

LEVEL = 0.95


class Exports(Readable, ABC):
    """An answer as a table of columns. Nothing here costs anything: it is made of what was released  [A Prop 3.1]."""

    __slots__ = ()

    _ARITHMETIC_INSTEAD = "it carries its error; float(answer) is the number alone, and a table has to_pandas()"

    _OTHERWISE = "a column of the answer is read by answer[{name!r}]"

    def __format__(self, form: str) -> str:
        """The answer as it is printed, or its one number in a form: f"{answer:.1f}"."""
        return format(float(self), form) if form else str(self)

    def __round__(self, digits: int | None = None) -> float:
        """Its one number, rounded."""
        return round(float(self), digits)

    @abstractmethod
    def table_of(self, intervals: bool = False, level: Any = LEVEL) -> Mapping[str, Sequence[Any]]:
        """The columns by name, one value for each row; with `intervals` also name_lower and name_upper."""

    def __len__(self) -> int:
        """How many rows it has."""
        return len(next(iter(self.table_of().values()), ()))

    def __bool__(self) -> bool:
        """An answer is there, also one without rows."""
        return True

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Row by row."""
        return iter(list(zip(*self.table_of().values(), strict=True)))

    def __getitem__(self, name: str | int) -> Any:
        """A column by its name, or a row by its number; of an answer of one row the value itself."""
        table = self.table_of()
        if not isinstance(name, str):
            return _row_of(list(zip(*table.values(), strict=True)), name)
        if name not in table:
            raise UnknownName(f"the answer has no column {name!r}; it has {', '.join(table)}")
        column = table[name]
        return column[0] if self._single and len(column) == 1 else tuple(column)

    @property
    def _single(self) -> bool:
        """Whether it has one row by its shape, not by chance."""
        return False

    def __float__(self) -> float:
        """The number, of an answer that is one."""
        table = self.table_of()
        if not self._single or len(table) != 1:
            listed = ", ".join(table)
            raise InvalidParameter(f"this answer is not one number: take a column by its name, of {listed}")
        (column,) = table.values()
        if len(column) != 1 or column[0] is None or isinstance(column[0], str):
            raise InvalidParameter("this answer has no number")
        return float(column[0])

    def __int__(self) -> int:
        """The number without its fraction, of an answer that is one."""
        return int(float(self))

    def to_arrow(self, intervals: bool = False, level: Any = LEVEL) -> "pa.Table":
        """As a pyarrow table; with `intervals` each number is followed by the ends of its interval at `level`."""
        import pyarrow as pa

        return pa.table({name: list(column) for name, column in self.table_of(intervals, level).items()})

    def to_pandas(self, intervals: bool = False, level: Any = LEVEL) -> "pd.DataFrame":
        """As a pandas frame; needs pandas. Whole numbers and booleans with a NULL among them keep their type."""
        import pandas as pd

        columns = self.table_of(intervals, level)
        return pd.DataFrame({name: _of_one_type(pd, values) for name, values in columns.items()})

    def to_polars(self, intervals: bool = False, level: Any = LEVEL) -> "pl.DataFrame":
        """As a polars frame; needs polars."""
        import polars as pl

        return pl.DataFrame({name: list(column) for name, column in self.table_of(intervals, level).items()})

    def to_csv(self, path: str | Path | None = None, intervals: bool = True, level: Any = LEVEL) -> str:
        """As CSV, in which no cell is a formula; written to `path` if there is one."""
        table = self.table_of(intervals, level)
        text = csv_text(table, zip(*table.values(), strict=True))
        if path is not None:
            _written(path, text)
        return text

    def to_json(self, path: str | Path | None = None, intervals: bool = True, level: Any = LEVEL) -> str:
        """As a JSON list with an object for each row; an end that is infinite is null."""
        table = self.table_of(intervals, level)
        rows = [dict(zip(table, map(_json_text, row), strict=True)) for row in zip(*table.values(), strict=True)]
        text = json_text(rows, indent=2)
        if path is not None:
            _written(path, text)
        return text

    def to_excel(self, path: str | Path, intervals: bool = True, level: Any = LEVEL) -> None:
        """As an Excel file (.xlsx), in which no cell is a formula; needs openpyxl."""
        try:
            import openpyxl
        except ImportError:
            raise InvalidParameter("an Excel file is written with openpyxl: pip install 'dalenius[excel]'") from None
        if not isinstance(path, str | Path) or Path(path).suffix.lower() != ".xlsx":
            raise InvalidParameter(f"an Excel file is called like answer.xlsx, got {shown(str(path))}")
        if not Path(path).absolute().parent.is_dir():
            raise InvalidParameter(_NO_PLACE.format(shown(str(path))))
        table = self.table_of(intervals, level)
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("answer")
        sheet.append([csv_cell(name) for name in table])
        for row in zip(*table.values(), strict=True):
            sheet.append([csv_cell(_json_value(value)) for value in row])
        book.save(path)

    def plot(self, level: Any = LEVEL, column: str | None = None) -> "alt.LayerChart | alt.Chart":
        """A chart of the answer with its intervals; needs altair. See `charts.answer`."""
        from dalenius import charts

        return charts.answer(self, level, column)  # type: ignore[arg-type]


def _of_one_type(pd: Any, values: Sequence[Any]) -> Any:
    """A column for pandas, which makes floats of whole numbers with a gap and objects of such booleans unless told."""
    present = {type(value) for value in values}
    if present == {int, type(None)} and all(value is None or abs(value) < 2**63 for value in values):
        return pd.array(list(values), dtype="Int64")
    return pd.array(list(values), dtype="boolean") if present == {bool, type(None)} else values


_NO_PLACE = "the answer cannot be written to {}: name a file, in a folder that exists and may be written to"


def _written(path: Any, text: str) -> None:
    if not isinstance(path, str | Path):
        raise InvalidParameter(f"an answer is written to a file by its path, such as 'answer.csv', got {shown(path)}")
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError:
        refusal = InvalidParameter(_NO_PLACE.format(shown(str(path))))
    else:
        return
    raise refusal


def _row_of(rows: list[tuple[Any, ...]], number: Any) -> Any:
    if isinstance(number, slice):
        return rows[number]
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidParameter(f"an answer is indexed by a column's name or a row's number, got {shown(number)}")
    if not -len(rows) <= number < len(rows):
        raise UnknownName(f"the answer has no row {number}; its {len(rows)} rows are counted from 0")
    return rows[number]


def _json_text(value: Any) -> Any:
    """A value as JSON holds it: a date or a time as a text."""
    return str(value) if isinstance(value, date) else _json_value(value)


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value
