"""What a column of the copy can hold: declared levels, or cells of declared bounds; never read off the data."""

import datetime
import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.numerics import rational
from dalenius.queries import Key, Keys, Table
from dalenius.queries.cells import cells_of
from dalenius.queries.instants import instant, instants
from dalenius.queries.numbers import doubles, readable
from dalenius.synthesis.model.public_coins import PublicCoins

Codes = NDArray[np.int64]
Kind = Literal["number", "integer", "date", "datetime"]
KINDS = ("number", "integer", "date", "datetime")
MOST_LEVELS = 2048
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_TIMES = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
_DAY = 86_400 * 10**6
_FARTHEST = 10**300
"""How far from 0 a number may be declared: differences of two such are finite."""


class Attribute(Protocol):
    """A column with finitely many levels, the last of which may be NULL."""

    @property
    def name(self) -> str:
        """What the column is called."""

    @property
    def nulls(self) -> bool:
        """Whether NULL is a level; else a row without a value is left out."""

    @property
    def size(self) -> int:
        """The number of levels, NULL among them."""

    @property
    def ordered(self) -> bool:
        """Whether neighboring levels are alike."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What each level is called."""

    def codes(self, view: Table) -> Codes:
        """The level of each row, −1 where it has none; the row's own value alone decides."""

    def decode(self, codes: Codes, coins: PublicCoins) -> list[Any]:
        """A value for each level drawn."""

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Declared keys. A value that nobody declared counts as NULL if that is a level, and else its row is left out.

    >>> Levels("sex", ("F", "M"), nulls=True).labels
    ('F', 'M', 'NULL')
    """

    name: str
    values: tuple[Key, ...]
    nulls: bool = False

    def __post_init__(self) -> None:
        Keys(self.name, self.values)
        if None in self.values:
            raise InvalidParameter(
                f"NULL among the keys of {self.name!r} is declared by nulls=[{self.name!r}], not by None"
            )
        kinds = {_sort(value) for value in self.values}
        if len(kinds) > 1:
            raise InvalidParameter(f"keys of {self.name!r} must be of one kind, got {' and '.join(sorted(kinds))}")
        _limited(self.name, len(self.values))

    @property
    def size(self) -> int:
        """The keys, and NULL."""
        return len(self.values) + self.nulls

    @property
    def ordered(self) -> bool:
        """Whether they are more than two numbers that rise."""
        numbers = [value for value in self.values if isinstance(value, int | float) and not isinstance(value, bool)]
        return len(numbers) == len(self.values) > 2 and numbers == sorted(numbers) and not self.nulls

    @property
    def labels(self) -> tuple[str, ...]:
        """The keys as text."""
        return (*map(str, self.values), *(("NULL",) if self.nulls else ()))

    def codes(self, view: Table) -> Codes:
        """The place of each row's value among the keys."""
        cells = cells_of(view, Keys(self.name, self.values))
        return cells if self.nulls else np.where(cells == len(self.values), -1, cells)

    def decode(self, codes: Codes, coins: PublicCoins) -> list[Any]:
        """The keys themselves."""
        table = [*self.values, None]
        return [table[code] for code in codes.tolist()]

    def facts(self) -> dict[str, Any]:
        """Name, keys and NULL."""
        return {"name": self.name, "values": list(self.values), "nulls": self.nulls}


@dataclass(frozen=True, slots=True)
class Cells:
    """Equal cells of declared bounds: numbers, or dates and times as microseconds since 1970.

    A number outside counts in the nearest cell. A value is drawn uniformly in its cell: nothing finer is kept.
    """

    name: str
    lower: Fraction
    upper: Fraction
    cells: int
    kind: Kind = "number"
    nulls: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.cells, bool) or not isinstance(self.cells, int) or self.cells < 1:
            raise InvalidParameter(f"bins of {self.name!r} must be a whole number ≥ 1, got {self.cells!r}")
        if self.kind not in KINDS:
            raise InvalidParameter(f"{self.name!r} must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if not float(self.lower) < float(self.upper):
            raise InvalidParameter(f"bounds of {self.name!r} must be two different values, the lower first")
        farthest = _FARTHEST if self.kind == "number" else 2**62
        if max(abs(self.lower), abs(self.upper)) > farthest:
            raise InvalidParameter(f"bounds of {self.name!r} must lie within ± {float(farthest):.3g}")
        _limited(self.name, self.cells)

    @classmethod
    def between(cls, name: str, bounds: tuple[Any, Any], cells: int, kind: Kind, nulls: bool) -> "Cells":
        """Cells of declared bounds: numbers, dates, or text such as "2020-01-31" for dates."""
        if kind in ("date", "datetime"):
            ends = [_micros(name, end) for end in bounds]
            return cls(name, Fraction(ends[0]), Fraction(ends[1] + (_DAY if kind == "date" else 0)), cells, kind, nulls)
        lower, upper = (rational(end, f"bounds of {name!r}") for end in bounds)
        return cls(name, lower, upper, cells, kind, nulls)

    @property
    def size(self) -> int:
        """The cells, and NULL."""
        return self.cells + self.nulls

    @property
    def ordered(self) -> bool:
        """Cells are; where NULL is a level it stands at the end, and is smoothed with the last cell."""
        return self.cells > 2

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells as half-open intervals."""
        edges = [self.lower + (self.upper - self.lower) * i / self.cells for i in range(self.cells + 1)]
        edge_texts = [self._edge_text(edge) for edge in edges]
        named = tuple(f"[{low}, {high})" for low, high in itertools.pairwise(edge_texts))
        return (*named, *(("NULL",) if self.nulls else ()))

    def codes(self, view: Table) -> Codes:
        """The cell of each row's number, found in doubles."""
        column = view.column(self.name)
        numbers = _times(column) if self.kind in ("date", "datetime") else doubles(readable(column))
        with np.errstate(all="ignore"):  # a warning is an output too
            at = (numbers - float(self.lower)) * (self.cells / (float(self.upper) - float(self.lower)))
            missing = np.isnan(at)
            cells = np.clip(np.where(missing, 0.0, at), 0, self.cells - 1).astype(np.int64)
        cells[missing] = self.cells if self.nulls else -1
        return cells

    def decode(self, codes: Codes, coins: PublicCoins) -> list[Any]:
        """A value in each cell: uniform, whole where the column is."""
        width = (float(self.upper) - float(self.lower)) / self.cells
        low = float(self.lower) + codes * width
        at = coins.uniforms(len(codes))
        if self.kind == "number":
            drawn: list[Any] = (low + at * width).tolist()
        else:
            step = _DAY if self.kind == "date" else 1
            first, last = np.ceil(low / step), np.ceil((low + width) / step) - 1
            # a cell may hold no whole value; then the nearest one stands for it
            whole = np.where(last >= first, first + np.floor(at * (last - first + 1)), np.round(low / step))
            drawn = self._whole(whole.astype(np.int64))
        if self.nulls:
            return [None if code == self.cells else value for code, value in zip(codes.tolist(), drawn, strict=True)]
        return drawn

    def facts(self) -> dict[str, Any]:
        """Name, bounds, cells, kind and NULL."""
        bounds = {"lower": str(self.lower), "upper": str(self.upper)}
        return {"name": self.name} | bounds | {"cells": self.cells, "kind": self.kind, "nulls": self.nulls}

    def _whole(self, whole: Codes) -> list[Any]:
        if self.kind == "integer":
            held: list[Any] = whole.tolist()
            return held
        unit = "D" if self.kind == "date" else "us"
        dates: list[Any] = whole.astype(f"datetime64[{unit}]").tolist()
        return dates

    def _edge_text(self, edge: Fraction) -> str:
        if self.kind in ("date", "datetime"):
            moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(edge))
            return moment.date().isoformat() if self.kind == "date" else moment.isoformat(" ", "seconds")
        return str(edge) if edge.denominator == 1 else f"{float(edge):.6g}"


def attribute_of(facts: dict[str, Any]) -> Attribute:
    """The inverse of `facts`."""
    if "values" in facts:
        return Levels(facts["name"], tuple(facts["values"]), facts["nulls"])
    ends = Fraction(facts["lower"]), Fraction(facts["upper"])
    return Cells(facts["name"], *ends, facts["cells"], facts["kind"], facts["nulls"])


def _sort(value: Key) -> str:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if numeric else type(value).__name__


def kind_of(type_name: str) -> Kind:
    """What a column of an engine's type holds.

    >>> kind_of("BIGINT"), kind_of("date"), kind_of("DOUBLE")
    ('integer', 'date', 'number')
    """
    plain = type_name.upper()
    if plain in _INTEGERS:
        return "integer"
    return "date" if plain == "DATE" else "datetime" if plain in _TIMES else "number"


def _limited(name: str, levels: int) -> None:
    if levels > MOST_LEVELS:
        raise InvalidParameter(
            f"{name!r} has {levels} levels, and a copy holds at most {MOST_LEVELS} of all its columns: group them, "
            "take fewer bins, or leave the column out"
        )


def _micros(name: str, end: Any) -> int:
    given = end
    if isinstance(end, str):
        try:
            given = datetime.datetime.fromisoformat(end)
        except ValueError:
            given = None
    moment = instant(given)
    if not isinstance(moment, np.datetime64):
        raise InvalidParameter(f"bounds of {name!r} must be dates, or texts such as '2020-01-31', got {end!r}")
    return int(moment.view(np.int64))


def _times(column: NDArray[Any]) -> NDArray[np.float64]:
    """Microseconds since 1970 for each row, NaN where it holds no date."""
    if column.dtype.kind == "M":
        moments: list[Any] = instants(column)
    else:
        moments = [_moment(value) for value in column.tolist()]
    return np.array([np.nan if at is None else float(at.view(np.int64)) for at in moments], np.float64)


def _moment(value: Any) -> Any:
    moment = instant(value) if isinstance(value, datetime.date) else None
    return moment if isinstance(moment, np.datetime64) else None
