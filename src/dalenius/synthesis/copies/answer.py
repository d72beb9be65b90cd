"""An answer over synthetic tables: labelled so at every exit, with the measured interval where it is one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from dalenius.curator import Release
from dalenius.curator.answer.outcome import aligned
from dalenius.curator.answer.receipts import receipt_to_dict
from dalenius.errors import UnprovenClaim
from dalenius.escape import escaped
from dalenius.numerics import Number, probability
from dalenius.synthesis.copies.copy import Copy
from dalenius.synthesis.copies.measured_counts import count_ends
from dalenius.synthesis.copies.rows import LABEL, SyntheticRows

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

WARNING = "synthetic: computed from rows that nobody is"
UNPROVED = "of this answer nothing is proved"
_SHOWN = 40
_LEVEL = "0.95"


class SyntheticAnswer(Release):
    """What ordinary SQL gives over copies, for nothing; the receipt is the first copy's.

    Where the answer is a table of counts that was measured, `interval` has the ends of the counts of the private rows,
    as they were bounded: all of them at once, since which cells are shown depends on the noise.
    """

    form: ClassVar[str] = "synthetic answer"

    table: dict[str, list[Any]]
    copies: tuple[Any, ...]
    asked: frozenset[str] | None
    keys: tuple[tuple[int, str], ...]
    count: int | None

    @classmethod
    def of(
        cls,
        copies: Sequence[Release],
        table: "pa.Table",
        asked: frozenset[str] | None = None,
        keys: tuple[tuple[int, str], ...] = (),
        count: int | None = None,
    ) -> "SyntheticAnswer":
        """The rows of an answer over these copies.

        `asked`: the columns it is about, in lower case, None for all. `keys`, `count`: where it is a table of counts,
        the place of each key in the answer with its column, and the place of the count.
        """
        answer = cls(copies[0].outcome, copies[0].receipt)
        held = {"table": _columns(table), "copies": tuple(copies), "asked": asked, "keys": keys, "count": count}
        for name, value in held.items():
            object.__setattr__(answer, name, value)
        return answer

    @property
    def columns(self) -> tuple[str, ...]:
        """Names, in the order shown."""
        return tuple(self.table)

    @property
    def value(self) -> dict[str, list[Any]]:
        return self.table

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """One tuple for each row."""
        return list(zip(*self.table.values(), strict=True))

    def table_of(self, intervals: bool = False, level: Any = 0.95) -> dict[str, list[Any]]:
        """Columns by name, and where counts were measured their ends at 95 %; synthetic rows have no other."""
        return self.told() if intervals else self.table

    @property
    def measured(self) -> bool:
        """Whether it is a table of counts that was measured."""
        return self._ends(_LEVEL) is not None

    @property
    def warnings(self) -> tuple[str, ...]:
        """That it is synthetic, and what of it is not kept."""
        apart = () if len(self.copies) == 1 else ("copies that were made apart have no people in common",)
        sentences = [sentence for copy in self.copies for sentence in copy.not_kept(self.asked)]
        if self.measured:
            return (WARNING, f"{self.columns[self.count or 0]} was measured: see its interval", *sentences, *apart)
        return (f"{WARNING}; {UNPROVED}", *sentences, *apart)

    def accuracy(self, beta: Number) -> None:
        """Nothing is proved of rows drawn from a model  [A Prop 3.1]."""
        return

    def interval(self, level: Number, joint: bool = False) -> dict[str, list[tuple[float, float]]]:
        """Ends of the private counts, all at once with this probability, where they were measured; else refused."""
        ends = self._ends(level)
        if ends is None:
            raise UnprovenClaim("an answer over synthetic rows has no interval unless it is a measured table of counts")
        return ends

    @property
    def bias(self) -> None:
        """Nothing is known of it."""
        return None

    def told(self, level: Number = _LEVEL) -> dict[str, list[Any]]:
        """The columns, and where counts were measured their ends at `level`."""
        columns = dict(self.table)
        for name, pairs in (self._ends(level) or {}).items():
            for place, end in enumerate(("lower", "upper")):
                columns.setdefault(f"{name}_{end}", [pair[place] for pair in pairs])
        return columns

    def to_arrow(self, intervals: bool = False, level: Any = 0.95) -> "pa.Table":
        """As a pyarrow table, whose metadata say that it is synthetic."""
        return SyntheticRows(self.told()).to_arrow()

    def to_pandas(self, intervals: bool = False, level: Any = 0.95) -> "pd.DataFrame":
        """As a pandas frame, whose `attrs` say that it is synthetic; needs pandas."""
        return SyntheticRows(self.told()).to_pandas()

    def to_polars(self, intervals: bool = False, level: Any = 0.95) -> "pl.DataFrame":
        """As a polars frame; needs polars."""
        return SyntheticRows(self.told()).to_polars()

    def to_dict(self) -> dict[str, Any]:
        """The answer, its label and its warnings, as JSON holds it."""
        return {
            LABEL: True,
            "columns": self.told(),
            "level": float(_LEVEL),
            "warnings": list(self.warnings),
            "measured": self.columns[self.count] if self.count is not None and self.measured else None,
            "receipt": receipt_to_dict(self.receipt),
        }

    @escaped
    def __repr__(self) -> str:
        columns = {
            name: [v if v is None or isinstance(v, float) else str(v) for v in values[:_SHOWN]]
            for name, values in self.told().items()
        }
        more = [f"… {len(self.rows)} rows"] if len(self.rows) > _SHOWN else []
        return "\n".join([*aligned(columns), *more, *self.warnings])

    def _ends(self, level: Number) -> dict[str, list[tuple[float, float]]] | None:
        if self.count is None or len(self.copies) != 1 or not isinstance(self.copies[0], Copy):
            return None
        keys = [(name, list(self.table.values())[place]) for place, name in self.keys]
        ends = count_ends(self.copies[0], keys, probability(level, "level"))
        return None if ends is None else {self.columns[self.count]: ends}


def _columns(table: "pa.Table") -> dict[str, list[Any]]:
    """By name; a name that comes twice gets a number, so that nothing is lost."""
    columns: dict[str, list[Any]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        unused, number = name, 1
        while unused in columns:
            unused, number = f"{name}_{number}", number + 1
        columns[unused] = column.to_pylist()
    return columns
