"""All that leaves the curator."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalenius.curator.outcome import Measured, Outcome, Value, shown, shown_above
from dalenius.errors import UnprovenClaim
from dalenius.guarantees import Guarantee
from dalenius.ledger import Receipt, from_form, to_form
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Key, Keys

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True, repr=False)
class Release(ABC):
    """A private answer, how far off it may be, and what it cost.

    The error is that of the noise: how far the released number may lie from the query's own, bounded answer.
    """

    outcome: Outcome
    receipt: Receipt

    @property
    @abstractmethod
    def value(self) -> Any:
        """The released number, or the released columns by name."""

    @abstractmethod
    def accuracy(self, beta: Number) -> Any:
        """With probability 1 − beta the noise is at most this."""

    @abstractmethod
    def interval(self, level: Number, joint: bool = False) -> Any:
        """Ends that hold the bounded answer with probability at least `level`."""

    @property
    def guarantee(self) -> Guarantee:
        """What was proved, and paid; whatever is made of the release costs nothing more  [A Prop 3.1]."""
        return self.receipt.guarantee

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.receipt.unit

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; `from_dict` gives it back."""
        receipt = self.receipt
        return {
            "outcome": self.outcome.to_dict(),
            "receipt": {
                "dataset": receipt.dataset,
                "guarantee": to_form(receipt.guarantee),
                "unit": receipt.unit.column,
                "head": receipt.head,
                "length": receipt.length,
            },
        }

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> "Release":
        """A release that was written down."""
        kept = stored["receipt"]
        guarantee = from_form(kept["guarantee"])
        unit = Unit(kept["unit"], guarantee.relation)
        receipt = Receipt(kept["dataset"], guarantee, unit, kept["head"], kept["length"])
        return released(Outcome.from_dict(stored["outcome"]), receipt)

    def __str__(self) -> str:
        return repr(self)


@dataclass(frozen=True, slots=True, repr=False)
class NumberRelease(Release):
    """One released number."""

    @property
    def value(self) -> Value:
        """The released number."""
        return self._measured.values[0]

    def accuracy(self, beta: Number) -> Value:
        """With probability 1 − beta the noise is at most this  [D Def 2.1]."""
        return self._measured.accuracy(beta)

    def interval(self, level: Number, joint: bool = False) -> tuple[Value, Value]:
        """Ends that hold the bounded answer with probability at least `level`."""
        return self._measured.interval(level, joint)[0]

    def __repr__(self) -> str:
        return f"{shown(self.value)} ± {shown_above(self.accuracy(0.05))} (95 %), {self.guarantee}"

    @property
    def _measured(self) -> Measured:
        return self.outcome.measured[0]


@dataclass(frozen=True, slots=True, repr=False)
class NumbersRelease(Release):
    """Several released numbers, each by its name."""

    @property
    def value(self) -> dict[str, Value]:
        """The released numbers."""
        return {measured.name: measured.values[0] for measured in self.outcome.measured}

    def accuracy(self, beta: Number) -> dict[str, Value]:
        """Each number: with probability 1 − beta its noise is at most this  [D Def 2.1]."""
        return {measured.name: measured.accuracy(beta) for measured in self.outcome.measured}

    def interval(self, level: Number, joint: bool = False) -> dict[str, tuple[Value, Value]]:
        """Each number: ends that hold its bounded answer with probability at least `level`; never of all at once."""
        if joint:
            raise UnprovenClaim("the intervals of several questions do not hold at once: ask for each on its own")
        return {measured.name: measured.interval(level)[0] for measured in self.outcome.measured}

    def __repr__(self) -> str:
        errors = self.accuracy(0.05)
        lines = [f"{name}  {shown(value)} ± {shown_above(errors[name])} (95 %)" for name, value in self.value.items()]
        return "\n".join([*lines, str(self.guarantee)])


@dataclass(frozen=True, slots=True, repr=False)
class TableRelease(Release):
    """Released columns: the public keys, then one number for each key and question."""

    keys: Keys

    @property
    def columns(self) -> tuple[str, ...]:
        """Names, the key first."""
        return (self.keys.column, *(column.name for column in self.outcome.measured))

    @property
    def value(self) -> dict[str, tuple[Key | Value, ...]]:
        """Columns by name."""
        return {self.keys.column: self.keys.values} | {column.name: column.values for column in self.outcome.measured}

    @property
    def rows(self) -> list[tuple[Key | Value, ...]]:
        """One tuple for each key, in the order declared."""
        return list(zip(*self.value.values(), strict=True))

    def accuracy(self, beta: Number, joint: bool = False) -> dict[str, Value]:
        """Each column: with probability 1 − beta the noise of a cell (jointly: of all) is within this  [D Def 2.1]."""
        return {column.name: column.accuracy(beta, joint) for column in self.outcome.measured}

    def interval(self, level: Number, joint: bool = False) -> dict[str, tuple[tuple[Value, Value], ...]]:
        """Each column: ends for each cell, or for all its cells at once if `joint`."""
        return {column.name: column.interval(level, joint) for column in self.outcome.measured}

    def intervals(self, level: Number, joint: bool = False) -> dict[str, tuple[Key | Value, ...]]:
        """The table with two more columns for each question: name_lower and name_upper."""
        table = self.value
        for name, ends in self.interval(level, joint).items():
            table[f"{name}_lower"] = tuple(low for low, _ in ends)
            table[f"{name}_upper"] = tuple(high for _, high in ends)
        return table

    def to_arrow(self) -> "pa.Table":
        """As a pyarrow table."""
        import pyarrow as pa

        return pa.table({name: list(column) for name, column in self.value.items()})

    def to_pandas(self) -> "pd.DataFrame":
        """As a pandas frame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.value)

    def to_polars(self) -> "pl.DataFrame":
        """As a polars frame; needs polars."""
        import polars as pl

        return pl.DataFrame(self.value)

    def __repr__(self) -> str:
        errors = self.accuracy(0.05)
        lines = ["  ".join(self.columns)]
        lines += ["  ".join(map(shown, row)) for row in self.rows]
        lines += [f"± {shown_above(error)} for each {name} (95 %)" for name, error in errors.items()]
        return "\n".join([*lines, str(self.guarantee)])


def released(outcome: Outcome, receipt: Receipt) -> Release:
    """The release that a committed outcome is: one number, several by name, or a table where there are keys."""
    if outcome.keys is None:
        return (NumberRelease if len(outcome.measured) == 1 else NumbersRelease)(outcome, receipt)
    return TableRelease(outcome, receipt, outcome.keys)
