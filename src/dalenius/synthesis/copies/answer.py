"""An answer over synthetic tables: labelled so at every exit, with the measured interval where it is one."""

from typing import TYPE_CHECKING, Any

from dalenius.curator import Release
from dalenius.curator.answer.outcome import aligned
from dalenius.errors import UnprovenClaim
from dalenius.escape import escaped
from dalenius.numerics import Number
from dalenius.synthesis.copies.rows import LABEL, SyntheticRows

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

WARNING = "synthetic: computed from rows that nobody is; of this answer nothing is proved"
_SHOWN = 40


class SyntheticAnswer(Release):
    """What ordinary SQL gives over a copy, for nothing; the receipt is the copy's."""

    table: dict[str, list[Any]]

    @classmethod
    def of(cls, copy: Release, table: "pa.Table") -> "SyntheticAnswer":
        """The rows of an answer over this copy."""
        answer = cls(copy.outcome, copy.receipt)
        object.__setattr__(answer, "table", table.to_pydict())
        return answer

    @property
    def columns(self) -> tuple[str, ...]:
        """Names, in the order shown."""
        return tuple(self.table)

    @property
    def value(self) -> dict[str, list[Any]]:
        """Columns by name."""
        return self.table

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """One tuple for each row."""
        return list(zip(*self.table.values(), strict=True))

    def table_of(self, intervals: bool = False, level: Any = 0.95) -> dict[str, list[Any]]:
        """Columns by name; there are no intervals of synthetic rows."""
        return self.table

    @property
    def warning(self) -> str:
        """What is not proved; a measured table with its intervals is `copy.marginal([...])`."""
        return WARNING

    def accuracy(self, beta: Number) -> None:
        """Nothing is proved of rows drawn from a model  [A Prop 3.1]."""
        return

    def interval(self, level: Number, joint: bool = False) -> Any:
        """Refused: intervals exist for measured tables alone."""
        raise UnprovenClaim("an answer over synthetic rows has no interval: ask copy.marginal([...])")

    @property
    def bias(self) -> None:
        """Nothing is known of it."""
        return None

    def to_arrow(self, intervals: bool = False, level: Any = 0.95) -> "pa.Table":
        """As a pyarrow table, whose metadata say that it is synthetic."""
        return SyntheticRows(self.table).to_arrow()

    def to_pandas(self, intervals: bool = False, level: Any = 0.95) -> "pd.DataFrame":
        """As a pandas frame, whose `attrs` say that it is synthetic; needs pandas."""
        return SyntheticRows(self.table).to_pandas()

    def to_polars(self, intervals: bool = False, level: Any = 0.95) -> "pl.DataFrame":
        """As a polars frame; needs polars."""
        return SyntheticRows(self.table).to_polars()

    def to_dict(self) -> dict[str, Any]:
        """The answer and its label, as JSON holds it."""
        return {LABEL: True, "columns": self.table, "warning": self.warning}

    @escaped
    def __repr__(self) -> str:
        first = {name: [None if v is None else str(v) for v in values[:_SHOWN]] for name, values in self.table.items()}
        return "\n".join([*aligned(first), self.warning])
