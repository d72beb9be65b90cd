"""The values that occur in a column, and how many units hold each: what is counted before any of them may be named."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Unit
from dalenius.queries.identity import identities, marks, mixed_with, named
from dalenius.queries.keys import Key
from dalenius.queries.numbers import doubles
from dalenius.queries.view import EXACT, Table, row_values


@dataclass(frozen=True, slots=True)
class Groups:
    """How many units have each value of `column`, each unit in at most `most` groups.

    Which groups of a unit count is the order of a public hash of salt, unit and value: the unit's own rows decide it,
    nobody else's. A value that no public key could be (NULL, NaN, infinities, numbers of 2⁵³ and more, text that UTF-8
    cannot hold, bytes, dates) is in no group. Equal numbers are one value, written one way: 1, 1.0 and True are 1, for
    how *one* row is written must not show in a key that it shares with others.
    """

    column: str
    unit: str | None = None
    most: int = 1
    salt: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise InvalidParameter(f"groups are those of a column, got {self.column!r}")
        if not isinstance(self.salt, str):
            raise InvalidParameter(f"salt must be text, got {self.salt!r}")
        if isinstance(self.most, bool) or not isinstance(self.most, int) or not 1 <= self.most < 1 << 30:
            raise InvalidParameter(f"groups must be a whole number from 1 to 2^30, got {self.most!r}")
        if self.unit is None and self.most != 1:
            raise InvalidParameter(f"a row is in one group, got groups={self.most}: leave it out")

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return (self.column,) if self.unit is None else (self.column, self.unit)

    def evaluate(self, view: Table) -> tuple[list[Key], NDArray[np.int64]]:
        """The values in their own order, numbers before text, and their units. It must not leave the curator."""
        values, codes = _coded(view.column(self.column))
        if self.unit is None:
            return values, np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.int64)
        units = identities(view.column(self.unit))
        final = (codes >= 0) & (units >= 0)
        # marks of a value and a unit: their order is the same whoever else is in the data
        joint = mixed_with(
            marks(view.column(self.unit), self.salt)[0], marks(view.column(self.column), self.salt)[0].view(np.int64)
        )
        codes = _first(units[final], codes[final], joint[final], self.most)
        return values, np.bincount(codes, minlength=len(values)).astype(np.int64)

    def check(self, unit: Unit) -> None:
        """Refuse another unit than the one whose groups are bounded."""
        if unit.column != self.unit:
            raise InvalidParameter(f"groups are bounded for each {self.unit or 'row'}, not for each {unit.name}")

    def facts(self) -> dict[str, Any]:
        """Column and salt, and in how many groups a unit counts."""
        return {"query": "groups", "column": self.column, "unit": self.unit, "most": self.most, "salt": self.salt}

    @escaped
    def __str__(self) -> str:
        return f"the values of {self.column}, {self.most} of each {self.unit or 'row'}"


def _coded(column: NDArray[Any]) -> tuple[list[Key], NDArray[np.int64]]:
    """The values that occur, ordered, and for each row the place of its own; −1 where it has none that a key can be."""
    if column.dtype.kind in "biuf":
        numbers = doubles(column)
        with np.errstate(all="ignore"):
            valid = np.abs(numbers) < EXACT  # not so for NaN
        codes = np.full(len(column), -1, np.int64)
        distinct, codes[valid] = np.unique(numbers[valid], return_inverse=True)
        return [_plain(number) for number in distinct.tolist()], codes
    rows = [_key(value) for value in row_values(column)]
    present = sorted({row for row in rows if row is not None}, key=lambda value: (isinstance(value, str), value))
    known: dict[Key | None, int] = {value: i for i, value in enumerate(present)} | {None: -1}
    return list(present), np.fromiter(map(known.__getitem__, rows), np.int64, len(rows))


def _key(value: Any) -> Key | None:
    """The one way to write the value, or None if it cannot be a key."""
    plain = named(value)
    if isinstance(plain, str):
        return None if not plain.isascii() and any("\ud800" <= letter <= "\udfff" for letter in plain) else plain
    if not isinstance(plain, int | float) or not abs(plain) < EXACT:
        return None
    return _plain(float(plain))


def _plain(number: float) -> Key:
    return int(number) if number.is_integer() else number


def _first(
    units: NDArray[np.int64], codes: NDArray[np.int64], joint: NDArray[np.uint64], most: int
) -> NDArray[np.int64]:
    """The first `most` different groups of each unit, by joint mark; where two are equal, by the values' own order."""
    order = np.lexsort((codes, joint, units))
    units, codes = units[order], codes[order]
    new = np.ones(len(units), np.bool_)
    new[1:] = (units[1:] != units[:-1]) | (codes[1:] != codes[:-1])
    units, codes = units[new], codes[new]
    starts = np.flatnonzero(np.diff(units, prepend=-1))
    rank = np.arange(len(units)) - np.repeat(starts, np.diff(np.append(starts, len(units))))
    return codes[rank < most]
