"""All that leaves the curator."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from dalenius.curator.answer.bias import Bias
from dalenius.curator.answer.error_parts import LEFT_OUT, ErrorParts
from dalenius.curator.answer.exports import LEVEL, Exports
from dalenius.curator.answer.measured import Value
from dalenius.curator.answer.outcome import Outcome, Told, shown_above
from dalenius.curator.answer.receipts import receipt_from_dict, receipt_to_dict
from dalenius.curator.answer.rendered import number_text, table_text, text_columns, whole_text
from dalenius.curator.answer.rounded import Digits
from dalenius.curator.answer.shown import Shown
from dalenius.curator.answer.told import not_carried, told_of_answer, unit_of_error
from dalenius.curator.answer.with_ends import with_ends
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped, html_table, terminal
from dalenius.guarantees import Guarantee
from dalenius.ledger import Receipt
from dalenius.neighbors import Unit
from dalenius.numerics import Number, probability

if TYPE_CHECKING:
    from dalenius.inference import Estimate, HypothesisTest, Population

T = TypeVar("T")
_ANYWHERE = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True, repr=False)
class Release(Exports, ABC):
    """A private answer, how far off it may be, and what it cost.

    The error is that of the noise: how far the released number may lie from the query's own, bounded answer. How far
    that one may lie from the answer without bounds is `bias`, where it could be estimated.
    """

    form: ClassVar[str] = "answer"
    """Which reader gives back what `to_dict` wrote."""

    outcome: Outcome
    receipt: Receipt

    @property
    @abstractmethod
    def value(self) -> Any:
        """The released number, or the released columns by name."""

    @abstractmethod
    def accuracy(self, beta: Number) -> Any:
        """With probability 1 − beta the noise is at most this."""

    def told(self, level: Number) -> Mapping[str, Sequence[Any]]:
        """The answer's columns as programs read them, each number followed by its ends at `level`."""
        return with_ends(self.outcome, level, typed=True)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before relying on the answer; none for a private answer."""
        return ()

    @abstractmethod
    def interval(self, level: Number, joint: bool = False) -> Any:
        """Ends that hold the bounded answer with probability at least `level`."""

    @property
    @abstractmethod
    def bias(self) -> Any:
        """What bounding each unit has cut off, answer minus truth; None where nothing is known of it."""

    @property
    def error(self) -> dict[str, ErrorParts]:
        """Each number: the noise of its cells at 95 %, what is estimated to be cut off, and what is not told.

        The interval of the noise is one of the bounded answer. One of the whole answer that is private and finite
        exists only under ceilings; `whole` has it then, at 95 %.
        """
        left_out = self.outcome.notes.get(LEFT_OUT)
        return {
            item.name: ErrorParts(
                self.outcome.errors(item, LEVEL),
                self.outcome.bias(item),
                left_out if isinstance(left_out, str) else None,
                self.outcome.whole(item, LEVEL),
            )
            for item in self.outcome.numbers
        }

    def whole(self, level: Number = LEVEL) -> dict[str, tuple[tuple[Value, Value], ...]]:
        """Ends that hold the whole answer of each cell with probability at least `level`, for numbers that have any.

        The whole answer counts all rows and values; only one that ceilings bound, `most_rows` and `limits`, has ends.
        """
        ends = {item.name: self.outcome.whole(item, level) for item in self.outcome.numbers}
        return {name: pairs for name, pairs in ends.items() if pairs is not None}

    @property
    def guarantee(self) -> Guarantee:
        """What was proved, and paid; whatever is made of the release costs nothing more  [A Prop 3.1]."""
        return self.receipt.guarantee

    @property
    def paid(self) -> str:
        """What it cost, and that it was free this time if it had been paid before."""
        return f"cost {self.guarantee.cost}{', paid before: free this time' if self.receipt.repeated else ''}"

    @property
    def notes(self) -> dict[str, Any]:
        """What else was released on the way, such as the bounds that were found."""
        return self.outcome.notes

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.receipt.unit

    def population(self, level: Number = 0.95, joint: bool = False) -> "Population":
        """Intervals about the population for every share and mean of the answer; see `inference.population`."""
        from dalenius import inference

        return inference.population(self, level, joint)

    def compare(self, a: Any, b: Any, level: Number = 0.95, **how: Any) -> "Estimate":
        """The difference of the means of two keys, or their ratio with kind="ratio"; see `inference.compare`."""
        from dalenius import inference

        return inference.compare(self, a, b, level, **how)

    def independent(self) -> "HypothesisTest":
        """A test that the two keys of a table of counts are independent; see `inference.test_independence`."""
        from dalenius import inference

        return inference.test_independence(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; `from_dict` gives it back."""
        return {"outcome": self.outcome.to_dict(), "receipt": receipt_to_dict(self.receipt)}

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> "Release":
        """A release that was written down."""
        return released(Outcome.from_dict(stored["outcome"]), receipt_from_dict(stored["receipt"]))

    def table_of(self, intervals: bool = False, level: Number = LEVEL) -> Mapping[str, Sequence[Any]]:
        """The columns by name, one value for each row; with `intervals` also name_lower and name_upper."""
        if intervals:
            return with_ends(self.outcome, level, typed=True)
        return {item.name: self.outcome.typed_column(item) for item in self.outcome.shown}

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        columns = text_columns(self.outcome)
        rows = zip(*(column.cells for column in columns), strict=True)
        return html_table([column.name for column in columns], rows, self._below())

    def _below(self) -> list[str]:
        """What is said below the numbers: what they cost, and what bounding has cut off."""
        return [self.paid, *told_of_answer(self.outcome)]


@dataclass(frozen=True, slots=True, repr=False)
class NumberRelease(Release):
    """One released number, or one choice."""

    @property
    def value(self) -> Told:
        """The released number; None where a formula has no value, or where HAVING or LIMIT leaves none."""
        return _first(self.outcome.column(self._item))

    def accuracy(self, beta: Number) -> Value:
        """With probability 1 − beta the error is at most this  [D Def 2.1].

        That of the noise for a number; for one that a formula made, the farther end of its interval; for a choice in
        ranks or rows, as `repr` says  [A Thm 7.2].
        """
        uniform = self.outcome.accuracy(self._item, beta)
        if uniform is not None:
            return uniform
        error = _first(self.outcome.errors(self._item, 1 - probability(beta, "beta")))
        return math.inf if error is None else error

    def interval(self, level: Number, joint: bool = False) -> tuple[Value, Value]:
        """Ends that hold the bounded answer with probability at least `level`."""
        ends = self.outcome.interval(self._item, level, joint)
        if ends is None:
            if (reason := not_carried(self.outcome, self._item)) is not None:
                raise UnprovenClaim(f"{self._item.name!r} has no interval: {reason}")
            raise UnprovenClaim(
                f"the error of {self._item.name!r} is in {unit_of_error(self.outcome, self._item)}, not in its own "
                "units: see accuracy(beta), or release quantiles on either side of it"
            )
        return ends[0] if ends else _ANYWHERE

    @property
    def bias(self) -> Bias | None:
        """An estimate of what bounding has cut off the number; None where nothing is known of it."""
        return _first(self.outcome.bias(self._item))

    @escaped
    def __repr__(self) -> str:
        return "\n".join([_line(self.outcome, self._item), *self._below()])

    @property
    def _single(self) -> bool:
        return True

    @property
    def _item(self) -> Shown:
        return self.outcome.numbers[0]


@dataclass(frozen=True, slots=True, repr=False)
class NumbersRelease(Release):
    """Several released numbers, each by its name."""

    @property
    def value(self) -> dict[str, Told]:
        return {item.name: _first(self.outcome.column(item)) for item in self.outcome.numbers}

    def accuracy(self, beta: Number) -> dict[str, Value]:
        """Each number: with probability 1 − beta its error is at most this  [D Def 2.1]."""
        alone = (NumberRelease(replace(self.outcome, layout=(item,)), self.receipt) for item in self.outcome.numbers)
        return {one._item.name: one.accuracy(beta) for one in alone}

    def interval(self, level: Number, joint: bool = False) -> dict[str, tuple[Value, Value]]:
        """Each number: ends that hold its bounded answer with probability at least `level`, if `joint` all at once.

        A choice has none, its error being in other units.
        """
        ends = {item.name: self.outcome.interval(item, level, joint) for item in self.outcome.numbers}
        return {name: pairs[0] if pairs else _ANYWHERE for name, pairs in ends.items() if pairs is not None}

    @property
    def bias(self) -> dict[str, Bias | None]:
        """Each number: an estimate of what bounding has cut off it; None where nothing is known of it."""
        return {item.name: _first(self.outcome.bias(item)) for item in self.outcome.numbers}

    @escaped
    def __repr__(self) -> str:
        lines = [f"{terminal(item.name)}  {_line(self.outcome, item)}" for item in self.outcome.numbers]
        return "\n".join([*lines, *self._below()])

    @property
    def _single(self) -> bool:
        return True


@dataclass(frozen=True, slots=True, repr=False)
class TableRelease(Release):
    """Released columns: the keys, then one number for each key and question."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names, in the order shown."""
        return tuple(item.name for item in self.outcome.shown)

    @property
    def value(self) -> dict[str, tuple[Told, ...]]:
        return {item.name: self.outcome.typed_column(item) for item in self.outcome.shown}

    @property
    def rows(self) -> list[tuple[Told, ...]]:
        """One tuple for each key, in the order shown."""
        return list(zip(*self.value.values(), strict=True))

    def accuracy(self, beta: Number, joint: bool = False) -> dict[str, Value | tuple[Value | None, ...]]:
        """Each column: with probability 1 − beta the error of a cell (jointly: of all) is within this  [D Def 2.1].

        One number where it is the same for every cell; one for each cell where a formula made them.
        """
        level = 1 - probability(beta, "beta")
        radii: dict[str, Value | tuple[Value | None, ...]] = {}
        for item in self.outcome.numbers:
            uniform = self.outcome.accuracy(item, beta, joint)
            radii[item.name] = self.outcome.errors(item, level, joint) if uniform is None else uniform
        return radii

    def errors(self, level: Number) -> dict[str, tuple[Value | None, ...]]:
        """Each column: how far each cell may lie off, at this level; None where that is not told in its own units."""
        return {item.name: self.outcome.errors(item, level) for item in self.outcome.numbers}

    def interval(self, level: Number, joint: bool = False) -> dict[str, tuple[tuple[Value, Value], ...]]:
        """Each column: ends for each cell, or for all cells at once if `joint`; a choice has none.

        Where noisy numbers decide which cells are shown (HAVING, or ORDER BY with LIMIT), the ends of a column hold for
        all of its cells at once: the largest of many noisy numbers is the one whose noise is large.
        """
        ends = {item.name: self.outcome.interval(item, level, joint) for item in self.outcome.numbers}
        return {name: pairs for name, pairs in ends.items() if pairs is not None}

    def intervals(self, level: Number, joint: bool = False) -> dict[str, tuple[Told, ...]]:
        """The table with two more columns for each question: name_lower and name_upper."""
        table = self.value
        for name, ends in self.interval(level, joint).items():
            table[f"{name}_lower"] = tuple(low for low, _ in ends)
            table[f"{name}_upper"] = tuple(high for _, high in ends)
        return table

    @property
    def bias(self) -> dict[str, tuple[Bias | None, ...]]:
        """Each column: an estimate of what bounding has cut off each cell; None where nothing is known of it."""
        return {item.name: self.outcome.bias(item) for item in self.outcome.numbers}

    def biases(self) -> dict[str, tuple[Told, ...]]:
        """The table with three more columns for each question: name_bias, name_bias_low and name_bias_high.

        All three are estimates that take noisy counts as true; the last two are no interval.
        """
        table = self.value
        for name, biases_of_rows in self.bias.items():
            table[f"{name}_bias"] = tuple(None if one is None else one.estimate for one in biases_of_rows)
            table[f"{name}_bias_low"] = tuple(None if one is None else one.low for one in biases_of_rows)
            table[f"{name}_bias_high"] = tuple(None if one is None else one.high for one in biases_of_rows)
        return table

    @escaped
    def __repr__(self) -> str:
        return "\n".join([table_text(text_columns(self.outcome)), *self._below()])


@dataclass(frozen=True, slots=True, repr=False)
class TablesRelease(Release):
    """Several released tables that were charged as one, in the order of their plans."""

    @property
    def tables(self) -> tuple[Release, ...]:
        """Each as a release of its own; the receipt is that of all."""
        return tuple(released(outcome, self.receipt) for outcome in self.outcome.tables)

    @property
    def value(self) -> tuple[Any, ...]:
        return tuple(table.value for table in self.tables)

    def accuracy(self, beta: Number) -> tuple[Any, ...]:
        """Table by table, each on its own  [D Def 2.1]."""
        return tuple(table.accuracy(beta) for table in self.tables)

    def interval(self, level: Number, joint: bool = False) -> tuple[Any, ...]:
        """Table by table; if `joint`, all cells of all tables at once, by a union bound."""
        each = 1 - (1 - probability(level, "level")) / len(self.tables) if joint else level
        return tuple(table.interval(each, joint) for table in self.tables)

    @property
    def bias(self) -> tuple[Any, ...]:
        """Table by table."""
        return tuple(table.bias for table in self.tables)

    def table_of(self, intervals: bool = False, level: Number = LEVEL) -> Mapping[str, Sequence[Any]]:
        """Refused: there are several tables."""
        raise InvalidParameter("these are several tables: take one of .tables")

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.tables))


def released(outcome: Outcome, receipt: Receipt) -> Release:
    """The release that a committed outcome is: one number, several by name, or a table where there are keys."""
    if outcome.tables:
        return TablesRelease(outcome, receipt)
    if outcome.keys is None and outcome.labels is None:
        return (NumberRelease if len(outcome.numbers) == 1 else NumbersRelease)(outcome, receipt)
    return TableRelease(outcome, receipt)


def _first(column: Sequence[T]) -> T | None:
    return column[0] if column else None


def _line(outcome: Outcome, item: Shown) -> str:
    """A number with its error, both rounded as the error says; of a choice the error is in other units."""
    value = _first(outcome.column(item))
    errors = outcome.errors(item, LEVEL)
    digits = Digits.of(errors, outcome.is_count(item))
    if errors and errors[0] is None and (uniform := outcome.accuracy(item, 1 - Fraction(repr(LEVEL)))) is not None:
        text = number_text(outcome, item, digits)(value)
        return f"{text} ± {shown_above(uniform)} ({unit_of_error(outcome, item)})"
    if value is None:
        return f"– ± ∞ ({unit_of_error(outcome, item)})"
    text = f"{digits.number(value)} ± {digits.radius(_first(errors))} ({unit_of_error(outcome, item)})"
    ends = _first(outcome.whole(item, LEVEL) or ())
    return text if ends is None else f"{text}; whole answer {whole_text(*ends, digits.places)} (95 %)"
