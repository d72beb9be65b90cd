"""Outputs of any kind as columns: one symbol for the whole, numbers and symbols for its parts.

What an encoder looks at (which places hold numbers, which keys exist) is learnt from the draws that choose the event,
never from those that certify it.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.parts import Parts, canonical, flat, kind_of, leaf_key, length_of, number
from dalenius.audit.screen import most_telling

Floats = NDArray[np.float64]
Symbols = NDArray[np.int64]

PLACES = 128
"""How many places of an output are looked at one by one: of more, the most telling."""
_CONSIDERED, _SCREENED = 2048, 600
_MIX = np.uint64(0x9E3779B97F4A7C15)
_WHOLE = frozenset({int, np.int64, np.int32})
_FLOATING = frozenset({float, np.float64, np.float32})


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """Draws as columns: `whole` tells equal outputs, `numbers` and `symbols` describe their parts.

    `matrix` holds all coordinates of vectors that have more than are looked at one by one.
    """

    whole: Symbols
    numbers: dict[str, Floats]
    symbols: dict[str, Symbols]
    matrix: Floats | None = None

    def __len__(self) -> int:
        return len(self.whole)

    def rows(self, part: slice) -> "OutcomeTable":
        """Some of the draws."""
        return OutcomeTable(
            self.whole[part],
            {name: column[part] for name, column in self.numbers.items()},
            {name: column[part] for name, column in self.symbols.items()},
            None if self.matrix is None else self.matrix[part],
        )


Row = tuple[str, int, Parts]
"""Type, length, and (place, what stands there) for all that an output holds."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Outputs, read once: a matrix if they are numbers or number arrays of one kind, else rows of places."""

    matrix: Floats | None
    rows: list[Row] | None
    source: Sequence[Any]

    @classmethod
    def read(cls, outputs: Sequence[Any]) -> "Outputs":
        """Each output on its own but for its kind, so that no draw changes how another is read."""
        matrix = as_matrix(outputs)
        return cls(matrix, _rows(outputs) if matrix is None else None, outputs)

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, part: slice) -> "Outputs":
        matrix, rows = self.matrix, self.rows
        return Outputs(
            None if matrix is None else matrix[part], None if rows is None else rows[part], self.source[part]
        )

    def as_rows(self) -> list[Row]:
        """Rows of places, whatever the outputs are."""
        return _rows(self.source) if self.rows is None else self.rows

    @property
    def kind(self) -> Any:
        """What all outputs of a matrix are; None if they are no matrix."""
        return None if self.matrix is None else plain_kind(self.source[0], isinstance(self.source, np.ndarray))


@dataclass(frozen=True, slots=True)
class OutcomeEncoder:
    """How outputs become columns: coordinates `kept` of vectors of one `kind`, or the `places` of anything else."""

    places: tuple[str, ...]
    kind: Any = None
    width: int = 0
    kept: tuple[int, ...] = ()

    @classmethod
    def fit(cls, first: Outputs, second: Outputs) -> "OutcomeEncoder":
        """The places that occur in these outputs."""
        a, b = first.matrix, second.matrix
        if a is not None and b is not None and a.shape[1] == b.shape[1] and first.kind == second.kind:
            width = a.shape[1]
            kept = tuple(range(width)) if width <= PLACES else most_telling(a, b, PLACES)
            return cls((), first.kind, width, kept)
        one, other = first.as_rows(), second.as_rows()
        seen: Counter[str] = Counter()
        for _, _, held in itertools.chain(one, other):
            seen.update([place for place, _ in held])
        places = tuple(place for place, _ in seen.most_common(_CONSIDERED))
        if len(places) <= PLACES:
            return cls(places)
        sides = (cls(places)._structured(side[:_SCREENED]) for side in (one, other))
        a, b = (np.column_stack([_seen(table, place) for place in places]) for table in sides)
        return cls(tuple(places[k] for k in most_telling(a, b, PLACES)))

    def __call__(self, outputs: Outputs) -> OutcomeTable:
        """The columns of these outputs."""
        if not self.width:
            return self._structured(outputs.as_rows())
        if outputs.matrix is None or outputs.kind != self.kind:
            return self._row_by_row(outputs.source)
        return self._plain(outputs.matrix, _row_symbols(outputs.matrix), np.zeros(len(outputs), np.int64))

    def _plain(self, matrix: Floats, whole: Symbols, odd: Symbols) -> OutcomeTable:
        names = ["output"] if self.width == 1 else [f"[{k}]" for k in self.kept]
        columns = {name: matrix[:, k] for name, k in zip(names, self.kept, strict=True)}
        return OutcomeTable(whole, columns, {"type": odd}, matrix if self.width > len(self.kept) else None)

    def _row_by_row(self, outputs: Sequence[Any]) -> OutcomeTable:
        """Plain rows as ever, the odd one as a symbol, so that how a draw is read depends on that draw alone."""
        values, whole = np.full((len(outputs), self.width), np.nan), np.zeros(len(outputs), np.int64)
        odd = np.zeros(len(outputs), np.int64)
        for row, output in enumerate(outputs):
            if plain_kind(output, isinstance(outputs, np.ndarray)) == self.kind:
                values[row] = np.asarray(output, np.float64).reshape(-1)
                whole[row] = _row_symbols(values[row : row + 1])[0]
            else:
                whole[row], odd[row] = hash(canonical(output)), 1
        return self._plain(values, whole, odd)

    def _structured(self, rows: list[Row]) -> OutcomeTable:
        index = {place: k for k, place in enumerate(self.places)}
        values = np.full((len(rows), len(index)), math.nan)
        signs = np.zeros((len(rows), len(index)), np.int64)
        whole = []
        for row, (kind, length, held) in enumerate(rows):
            keys = []
            for place, leaf in held:
                sign = hash(leaf_key(leaf))
                keys.append(sign)
                k = index.get(place)
                if k is not None:
                    values[row, k], signs[row, k] = number(leaf), sign
            whole.append(hash((kind, length, tuple([place for place, _ in held]), tuple(keys))))
        sign_columns = {place: signs[:, k] for place, k in index.items()}
        sign_columns["type"] = np.array([hash(kind) for kind, _, _ in rows])
        sign_columns["length"] = np.array([length for _, length, _ in rows])
        return OutcomeTable(np.array(whole), {place: values[:, k] for place, k in index.items()}, sign_columns)


def as_matrix(outputs: Sequence[Any]) -> Floats | None:
    """The outputs as a matrix of floats with a row each, if they are numbers or number arrays of one kind."""
    if isinstance(outputs, np.ndarray):
        if outputs.dtype.kind not in "fiub" or not outputs.size:
            return None
        return outputs.astype(np.float64, copy=False).reshape(len(outputs), -1)
    types = set(map(type, outputs))
    if not (types <= _WHOLE or types <= _FLOATING or len(types) == 1):
        return None
    kind = plain_kind(outputs[0])
    if kind is None or (types.isdisjoint(_FLOATING) and any(plain_kind(each) != kind for each in outputs)):
        return None
    return np.array(outputs, np.float64).reshape(len(outputs), -1)


def plain_kind(output: Any, of_array: bool = False) -> Any:
    """What can be told of a number or an array of numbers but for the values; None of anything else.

    Of a batch that is an array only the shape of a row counts: its type is the batch's, not the output's.
    """
    kind = type(output)
    if of_array:
        return np.shape(output)
    if kind in _FLOATING:
        return "float"
    if kind in _WHOLE:
        return "int" if abs(output) < 2**53 else None
    if kind is np.ndarray:
        return (output.shape, output.dtype.str) if output.dtype.kind in "fiub" and output.size else None
    if kind in (tuple, list) and output:
        inner = tuple([_leaf_kind(leaf) for leaf in output])
        return None if None in inner else (kind, inner)
    return None


def _leaf_kind(leaf: Any) -> str | None:
    kind = type(leaf)
    if kind in _FLOATING:
        return "f"
    if kind is bool:
        return "b"
    return "i" if kind in _WHOLE and abs(leaf) < 2**53 else None


def _rows(outputs: Sequence[Any]) -> list[Row]:
    return [(kind_of(each), length_of(each), flat(each)) for each in outputs]


def _seen(table: OutcomeTable, place: str) -> Floats:
    """A place by its numbers, or, where it has none, by its symbols in some order."""
    values = table.numbers[place]
    symbols = table.symbols[place]
    odd: Floats = np.where(np.isnan(values) & (symbols != 0), symbols.astype(np.float64), values)
    return odd


def _row_symbols(matrix: Floats) -> Symbols:
    """A hash of each row's bits, all NaN alike."""
    bits = np.where(np.isnan(matrix), np.nan, matrix).view(np.uint64)
    if matrix.shape[1] == 1:
        return bits[:, 0].astype(np.int64)
    mixed = np.zeros(len(matrix), np.uint64)
    for k in range(matrix.shape[1]):
        mixed = (mixed ^ bits[:, k]) * _MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed.astype(np.int64)
