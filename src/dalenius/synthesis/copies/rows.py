"""Synthetic rows, and the ways to take them along: each says that they are synthetic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalenius.curator.answer.outcome import aligned
from dalenius.escape import escaped

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

LABEL = "synthetic"
_SHOWN = 10


@dataclass(frozen=True, slots=True, repr=False)
class SyntheticRows:
    """Columns by name, of rows that nobody is.

    >>> print(SyntheticRows({"age": [41, 27]}))
    synthetic rows: nobody's, drawn from released tables
    age
     41
     27
    """

    columns: dict[str, list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def to_arrow(self) -> "pa.Table":
        """As a pyarrow table, whose metadata say that it is synthetic."""
        import pyarrow as pa

        table = pa.table({name: pa.array(values) for name, values in self.columns.items()})
        return table.replace_schema_metadata({"dalenius": LABEL})

    def to_pandas(self) -> "pd.DataFrame":
        """As a pandas frame, whose `attrs` say that it is synthetic; needs pandas."""
        import pandas as pd

        frame = pd.DataFrame(self.columns)
        frame.attrs["dalenius"] = LABEL
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """As a polars frame, which has no place for a label; needs polars."""
        import polars as pl

        return pl.DataFrame(self.columns)

    @escaped
    def __repr__(self) -> str:
        first = {name: _shown_values(values[:_SHOWN]) for name, values in self.columns.items()}
        more = [f"… {len(self)} rows"] if len(self) > _SHOWN else []
        return "\n".join(["synthetic rows: nobody's, drawn from released tables", *aligned(first), *more])


def unit_column(rows: int, most: int) -> list[int]:
    """Synthetic people: no more than `most` rows of one."""
    return [row // most for row in range(rows)]


def _shown_values(values: Sequence[Any]) -> list[Any]:
    return [value if value is None or isinstance(value, str | int | float) else str(value) for value in values]
