"""What a run leaves: released columns, and what an answer shows of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.answer.bias import NOTE, Bias, CutOff
from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.computed import Computed
from dalenius.curator.answer.key_types import typed
from dalenius.curator.answer.labels import Labels
from dalenius.curator.answer.measured import Measured, Value
from dalenius.curator.answer.shown import AS_RELEASED, Arrangement, Item, Order, Shown, ShownKey, item_of
from dalenius.curator.answer.spread import Spread
from dalenius.curator.answer.whole import NOTE as WHOLE
from dalenius.curator.answer.whole import WholeAnswer
from dalenius.curator.formula import Cell, Formula
from dalenius.curator.formula.base import Ends
from dalenius.escape import terminal
from dalenius.numerics import Number, digits_above, probability
from dalenius.queries import Key, Keys

BY_THRESHOLD = "shown from this noisy count on"
"""The name under which an outcome's notes keep the threshold that its own noisy counts had to reach to be shown."""
FOUND_KEYS = "keys that nobody declared were found"
"""The name under which an outcome's notes say that there may be keys besides those that are shown."""
Released = Measured | Chosen | Computed
Told = Key | Value | None
_KINDS: dict[str, type[Measured] | type[Chosen] | type[Computed]] = {
    **{"measured": Measured, "chosen": Chosen, "computed": Computed}
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a run releases, before it has a receipt: numbers, or columns over keys.

    `columns` is what was randomized. The answer shows `layout`, made from it by formulas, arranged; without a layout
    the keys and the columns as they are.
    """

    columns: tuple[Released, ...]
    keys: Keys | None = None
    layout: tuple[Item, ...] = ()
    arrangement: Arrangement = AS_RELEASED
    notes: dict[str, Any] = field(default_factory=dict)
    """What else was released on the way and paid for, as JSON holds it: bounds that were found, for one."""
    looks: int = 1
    """Among how many outcomes, at most, this one was picked by what it shows: every statement holds for all of them."""
    labels: Labels | None = None
    """In the place of keys, of an answer that was computed from released tables."""
    tables: tuple["Outcome", ...] = ()
    """The outcomes of several plans that were charged as one; then there is nothing else in it."""

    @property
    def shown(self) -> tuple[Item, ...]:
        """The columns of the answer."""
        if self.layout:
            return self.layout
        groups = self.labels or self.keys
        names = () if groups is None else groups.columns
        keys = (ShownKey(name, number) for number, name in enumerate(names))
        return (*keys, *(Shown(column.name, Cell(column.name)) for column in self.columns))

    @property
    def numbers(self) -> tuple[Shown, ...]:
        """The columns of the answer that are no keys."""
        return tuple(item for item in self.shown if isinstance(item, Shown))

    def column(self, item: Item) -> tuple[Told, ...]:
        """A column of the answer, in the order shown; None where it is absent."""
        values = self._values(item)
        return tuple(values[row] for row in self.rows().tolist())

    def typed_column(self, item: Item) -> tuple[Any, ...]:
        """A column as it leaves: a key that is a date or a time has that type."""
        told = self.column(item)
        return typed(self.notes, item.key, told) if isinstance(item, ShownKey) else told

    def accuracy(self, item: Shown, beta: Number, joint: bool = False) -> Value | None:
        """One radius for every cell of a column released as it is; None for one that a formula made  [D Def 2.1]."""
        bare = self._bare(item.formula)
        if bare is None or isinstance(bare, Computed) or (joint and self.made):
            return None
        if joint and self.shown_by_threshold:
            return math.inf
        return bare.accuracy(probability(beta, "beta") / self.looks, self._cells if joint else self._picked)

    def interval(self, item: Shown, level: Number, joint: bool = False) -> tuple[tuple[Value, Value], ...] | None:
        """Ends for each cell of the column; None for a choice, whose error is in other units than itself.

        A formula holds when all statements that it makes about the noise do, each at its part of what may fail;
        `joint` asks that of all cells of the outcome. Where noise picked the cells that are shown, the column's hold
        all at once.
        """
        bare = self._bare(item.formula)
        if isinstance(bare, Chosen):
            return None
        if isinstance(bare, Computed):
            ends = bare.interval(level, joint)
            return None if ends is None else tuple(ends[row] for row in self.rows().tolist())
        if joint and self.shown_by_threshold:
            return ((-math.inf, math.inf),) * len(self.rows())
        if bare is not None and not (joint and self.made):
            alone = 1 - (1 - probability(level, "level")) / self.looks
            pairs: Sequence[tuple[Value, Value]] = bare.interval(alone, self._cells if joint else self._picked)
        else:
            spread = Spread(self._noisy, self._each(item, level, joint))
            low, high = self._spread(item.formula.ends(spread))
            pairs = list(zip(low.tolist(), high.tolist(), strict=True))
        return tuple(pairs[row] for row in self.rows().tolist())

    def errors(self, item: Shown, level: Number, joint: bool = False) -> tuple[Value | None, ...]:
        """How far each cell may lie from what the bounded data give, or None if that is not told in its own units."""
        ends = self.interval(item, level, joint)
        if ends is None:
            return (None,) * len(self.rows())
        uniform = self.accuracy(item, 1 - probability(level, "level"), joint)
        if uniform is not None:
            return (uniform,) * len(ends)
        values = self.column(item)
        return tuple(_reach(value, low, high) for value, (low, high) in zip(values, ends, strict=True))

    @property
    def cut_off(self) -> CutOff | None:
        """What bounding has cut off, where that was estimated; whoever asked has noted it."""
        return CutOff.from_dict(self.notes[NOTE]) if NOTE in self.notes else None

    def bias(self, item: Shown) -> tuple[Bias | None, ...]:
        """What bounding has cut off each cell of a column, from released numbers alone; None where it is not known."""
        cut, rows = self.cut_off, self.rows().tolist()
        if cut is None or not self.columns:
            return (None,) * len(rows)
        biases = cut.bias(item.formula, self._floats(item.formula), len(self.columns[0].values))
        return tuple(biases[row] for row in rows)

    def whole(self, item: Shown, level: Number) -> tuple[tuple[Value, Value], ...] | None:
        """Ends that hold the whole answer of each cell, where ceilings give it any; None where they do not."""
        noted = self.notes.get(WHOLE)
        return None if noted is None else WholeAnswer.from_dict(noted).ends(self, item, level)

    def rows(self) -> NDArray[np.intp]:
        """The cells that the answer shows, in its order."""
        if self.arrangement.rows is not None:
            return np.array(self.arrangement.rows, np.intp)
        size = len(self.columns[0].floats()) if self.columns else len(self.labels or self.keys or ())
        rows = np.arange(size)
        having = self.arrangement.having
        if having is not None:
            rows = rows[self._spread((having.value(self._floats(having)),) * 2)[0][rows] == 1]
        for term in reversed(self.arrangement.order):
            rows = _sorted(rows, self._values(term.by), term)
        stop = None if self.arrangement.limit is None else self.arrangement.offset + self.arrangement.limit
        return rows[self.arrangement.offset : stop]

    def to_dict(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        stored: dict[str, Any] = {
            "version": 2,
            "keys": None if self.keys is None else self.keys.facts(),
            "columns": [column.to_dict() for column in self.columns],
        }
        if self.layout:
            stored["layout"] = [item.to_dict() for item in self.layout]
        if self.arrangement != AS_RELEASED:
            stored["arrangement"] = self.arrangement.to_dict()
        if self.notes:
            stored["notes"] = self.notes
        if self.looks != 1:
            stored["looks"] = self.looks
        if self.labels is not None:
            stored["labels"] = self.labels.facts()
        if self.tables:
            stored["tables"] = [table.to_dict() for table in self.tables]
        return stored

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Outcome":
        """The inverse of `to_dict`, for every version ever stored."""
        keys = None if stored["keys"] is None else Keys.from_facts(stored["keys"])
        if stored["version"] == 1:
            return cls(tuple(Measured.from_dict(column) for column in stored["measured"]), keys)
        arranged = stored.get("arrangement")
        return cls(
            tuple(_KINDS[column["kind"]].from_dict(column) for column in stored["columns"]),
            keys,
            tuple(map(item_of, stored.get("layout", ()))),
            AS_RELEASED if arranged is None else Arrangement.from_dict(arranged),
            stored.get("notes", {}),
            stored.get("looks", 1),
            None if "labels" not in stored else Labels.from_facts(stored["labels"]),
            tuple(map(cls.from_dict, stored.get("tables", ()))),
        )

    def _values(self, item: Item) -> Sequence[Told]:
        """A column over all cells."""
        if isinstance(item, ShownKey):
            groups = self.labels or self.keys
            return [row[item.key] for row in groups.rows] if groups is not None else []
        bare = self._bare(item.formula)
        if bare is not None:
            return bare.values
        values = self._spread((item.formula.value(self._floats(item.formula)),) * 2)[0].tolist()
        return [None if value != value else value for value in values]

    def is_count(self, item: Shown) -> bool:
        """Whether a column is released as it is and counts rows or people."""
        bare = self._bare(item.formula)
        return isinstance(bare, Measured) and bare.counts

    def _bare(self, formula: Formula) -> Released | None:
        """The column that a formula is, if it is no more than that."""
        return self._named(formula.name) if isinstance(formula, Cell) else None

    def _named(self, name: str) -> Released:
        return next(column for column in self.columns if column.name == name)

    def _floats(self, formula: Formula) -> dict[str, NDArray[np.float64]]:
        return {name: self._named(name).floats() for name in formula.names}

    @property
    def made(self) -> bool:
        """Whether a formula made one of the columns shown: then their errors are not independent of each other."""
        return any(self._bare(item.formula) is None for item in self.numbers)

    @property
    def ordered_by_noise(self) -> bool:
        """Whether released numbers put the rows into their order: then the first few are picked by noise."""
        return self.arrangement.ordered_by_noise or any(isinstance(term.by, Shown) for term in self.arrangement.order)

    @property
    def shown_by_threshold(self) -> bool:
        """Whether a count is there because it, noise included, is large: nothing is known of all cells at once.

        Of each key it holds that it is shown and missed with at most the chance that its noise is so large.
        """
        return BY_THRESHOLD in self.notes

    @property
    def has_found_keys(self) -> bool:
        """Whether noise had a part in which keys are shown: rows of other keys are in none of the cells."""
        return self.shown_by_threshold or FOUND_KEYS in self.notes

    @property
    def picked_by_noise(self) -> bool:
        """Whether released numbers decide which cells are shown: a cell is there, perhaps, since its noise is large."""
        arranged = self.arrangement
        cut = self.ordered_by_noise and (arranged.limit is not None or arranged.offset > 0)
        return arranged.picked_by_noise or arranged.having is not None or cut

    @property
    def _noisy(self) -> dict[str, Measured | Chosen]:
        return {column.name: column for column in self.columns if not isinstance(column, Computed)}

    @property
    def _cells(self) -> int:
        return max(1, sum(len(column.values) for column in self.columns))

    @property
    def _picked(self) -> int:
        """Among how many cells noise may have picked those shown: only what holds for all of them holds for these."""
        return max(1, len(self.columns[0].values)) if self.columns and self.picked_by_noise else 1

    def _each(self, item: Shown, level: Number, joint: bool) -> Fraction:
        """What may fail of each statement, so that all of them hold at `level`: a union bound."""
        every = frozenset().union(*(other.formula.statements for other in self.numbers))
        size = len(self.columns[0].values)
        count = len(every) * size if joint else len(item.formula.statements) * self._picked
        return (1 - probability(level, "level")) / (max(1, count) * self.looks)

    def _spread(self, ends: Ends) -> Ends:
        """A constant formula has one value: that of every cell."""
        size = len(self.columns[0].values)
        return np.broadcast_to(ends[0], size), np.broadcast_to(ends[1], size)


def shown(value: Any) -> str:
    """A released value as a person reads it: a number that is not whole to three places, what is absent as –."""
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else terminal(str(value))


def aligned(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Lines of a table: texts start where their column's name does, numbers end where it does."""
    padded = []
    for name, values in columns.items():
        cells = [terminal(name), *map(shown, values)]
        width = max(map(len, cells))
        texts = any(isinstance(value, str) for value in values)
        padded.append([cell.ljust(width) if texts else cell.rjust(width) for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def shown_above(radius: Value | None) -> str:
    """An error radius as a person reads it, rounded up."""
    if radius is None or radius == float("inf"):
        return "–" if radius is None else "∞"
    if isinstance(radius, int):
        return str(radius)
    # the context has 28 digits, and a radius may have three hundred before its point
    return str(Decimal(radius).quantize(Decimal("0.001"), ROUND_CEILING)) if radius < 1e16 else digits_above(radius, 4)


def _reach(value: Any, low: Value, high: Value) -> Value | None:
    if value is None or low == value == high:
        return None if value is None else 0
    return float(np.nextafter(max(value - low, high - value), np.inf))


def _sorted(rows: NDArray[np.intp], values: Sequence[Told], term: Order) -> NDArray[np.intp]:
    """Stable; numbers before text, what is absent at the end that was asked for, either way."""
    present = [row for row in rows.tolist() if values[row] is not None]
    absent = [row for row in rows.tolist() if values[row] is None]
    present.sort(key=lambda row: (isinstance(values[row], str), values[row]), reverse=term.descending)
    return np.array(absent + present if term.nulls_first else present + absent, np.intp)
