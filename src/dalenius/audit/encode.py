"""Outputs of any kind as columns: one symbol for the whole, numbers and symbols for its parts.

What an encoder looks at (which places hold numbers, which keys exist) is learnt from the draws that choose the event,
never from those that certify it.
"""

import dataclasses
import functools
import itertools
import math
import numbers
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.draw import Raised

Floats = NDArray[np.float64]
Symbols = NDArray[np.int64]

PLACES = 128
"""How many places of a structured output are looked at, the most frequent first."""
_DEPTH = 6
_PLAIN = frozenset({bool, int, float, str, bytes, type(None), np.float64, np.int64})
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Table:
    """Draws as columns: `whole` tells equal outputs, `numbers` and `symbols` describe their parts."""

    whole: Symbols
    numbers: dict[str, Floats]
    symbols: dict[str, Symbols]

    def __len__(self) -> int:
        return len(self.whole)

    def rows(self, part: slice) -> "Table":
        """Some of the draws."""
        return Table(
            self.whole[part],
            {name: column[part] for name, column in self.numbers.items()},
            {name: column[part] for name, column in self.symbols.items()},
        )


Row = tuple[str, int, list[tuple[str, Any]]]
"""Type, length, and (place, what stands there) for all that an output holds."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Outputs, read once: a matrix if they are numbers or number vectors of one length, else rows of places."""

    matrix: Floats | None
    rows: list[Row] | None
    source: Sequence[Any]

    @classmethod
    def read(cls, outputs: Sequence[Any]) -> "Outputs":
        """Each output on its own but for its width, so that no draw changes how another is read."""
        matrix = as_matrix(outputs)
        rows = [(_kind(each), _length(each), flat(each)) for each in outputs] if matrix is None else None
        return cls(matrix, rows, outputs)

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, part: slice) -> "Outputs":
        matrix, rows = self.matrix, self.rows
        return Outputs(
            None if matrix is None else matrix[part], None if rows is None else rows[part], self.source[part]
        )

    def as_rows(self) -> list[Row]:
        """Rows of places, whatever the outputs are."""
        if self.rows is not None:
            return self.rows
        return [(_kind(each), _length(each), flat(each)) for each in self.source]


@dataclass(frozen=True, slots=True)
class Encoder:
    """How outputs become columns: the coordinates of vectors of `width`, or the `places` of anything else."""

    places: tuple[str, ...]
    width: int

    @classmethod
    def fit(cls, first: Outputs, second: Outputs) -> "Encoder":
        """The places that occur in these outputs."""
        if first.matrix is not None and second.matrix is not None and first.matrix.shape[1] == second.matrix.shape[1]:
            return cls((), first.matrix.shape[1])
        seen: Counter[str] = Counter()
        for _, _, held in itertools.chain(first.as_rows(), second.as_rows()):
            seen.update([place for place, _ in held])
        return cls(tuple(place for place, _ in seen.most_common(PLACES)), 0)

    def __call__(self, outputs: Outputs) -> Table:
        """The columns of these outputs."""
        if not self.width:
            return self._structured(outputs.as_rows())
        if outputs.matrix is None or outputs.matrix.shape[1] != self.width:
            return self._row_by_row(outputs.source)
        plain = outputs.matrix
        return Table(_row_symbols(plain), _coordinates(plain), {"type": np.zeros(len(plain), np.int64)})

    def _row_by_row(self, outputs: Sequence[Any]) -> Table:
        """Plain rows as ever, the odd one as a symbol, so that how a draw is read depends on that draw alone."""
        values, whole = np.full((len(outputs), self.width), np.nan), np.zeros(len(outputs), np.int64)
        odd = np.zeros(len(outputs), np.int64)
        for row, output in enumerate(outputs):
            plain = as_matrix([output])
            if plain is not None and plain.shape[1] == self.width:
                values[row], whole[row] = plain[0], _row_symbols(plain)[0]
            else:
                whole[row], odd[row] = hash(canonical(output)), 1
        return Table(whole, _coordinates(values), {"type": odd})

    def _structured(self, rows: list[Row]) -> Table:
        index = {place: k for k, place in enumerate(self.places)}
        values = [[math.nan] * len(index) for _ in rows]
        signs = [[0] * len(index) for _ in rows]
        whole = []
        for (kind, length, held), numbers_, symbols_ in zip(rows, values, signs, strict=True):
            keys = []
            for place, leaf in held:
                sign = hash(leaf_key(leaf))
                keys.append(sign)
                k = index.get(place)
                if k is not None:
                    numbers_[k], symbols_[k] = _number(leaf), sign
            whole.append(hash((kind, length, tuple([place for place, _ in held]), tuple(keys))))
        matrix, symbols = np.array(values, np.float64), np.array(signs, np.int64)
        told = {place: symbols[:, k] for place, k in index.items()}
        told["type"] = np.array([hash(kind) for kind, _, _ in rows])
        told["length"] = np.array([length for _, length, _ in rows])
        return Table(np.array(whole), {place: matrix[:, k] for place, k in index.items()}, told)


def as_matrix(outputs: Sequence[Any]) -> Floats | None:
    """The outputs as a matrix of floats with a row each, if they are numbers or number vectors of one length."""
    if isinstance(outputs, np.ndarray):
        if outputs.dtype.kind not in "fiub" or outputs.ndim > 2:
            return None
        return outputs.astype(np.float64, copy=False).reshape(len(outputs), -1) if outputs.size else None
    first = outputs[0]
    kinds = set(map(type, outputs))
    if kinds <= {float, int, np.float64, np.int64, np.float32, np.int32} and all(
        abs(value) < 2**53 for value in outputs if isinstance(value, int)
    ):
        return np.array(outputs, np.float64).reshape(-1, 1)
    if kinds == {np.ndarray} and first.dtype.kind in "fiub" and first.ndim == 1 and first.size:
        if all(value.shape == first.shape and value.dtype == first.dtype for value in outputs):
            return np.array(outputs, np.float64)
        return None
    if kinds in ({tuple}, {list}) and first and len({len(output) for output in outputs}) == 1:
        inner = {type(leaf) for output in outputs for leaf in output}
        if inner <= {float, int, np.float64, np.int64} or inner == {bool}:
            return np.array(outputs, np.float64)
    return None


def canonical(value: Any, depth: int = 0) -> Any:
    """A hashable form: two outputs have the same exactly when no caller could tell them apart.

    NaN is one symbol, −0.0 another than 0.0, a type part of the value; an object without a form of its own counts
    by its type and what it shows.
    """
    if value is None or isinstance(value, bool | str | bytes | Raised):
        return (type(value).__name__, value)
    if isinstance(value, numbers.Number | np.generic):
        return _canonical_number(value)
    if depth >= _DEPTH:
        return (type(value).__name__, _shown(value))
    parts = _parts(value)
    if parts is None:
        return (type(value).__name__, _shown(value))
    inner = [(key, canonical(part, depth + 1)) for key, part in parts]
    return (type(value).__name__, frozenset(inner) if isinstance(value, set | frozenset) else tuple(inner))


def flat(value: Any) -> list[tuple[str, Any]]:
    """(place, what stands there) for all that an output holds; the common shapes without recursion."""
    if type(value) in _PLAIN:
        return [("output", value)]
    if type(value) in (list, tuple) and set(map(type, value)) <= _PLAIN:
        return list(zip(_indices(len(value)), value, strict=True))
    return list(leaves(value))


def leaves(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(place, what stands there) for all that an output holds."""
    parts = _parts(value) if depth < _DEPTH else None
    if parts is None:
        yield place or "output", value
        return
    for key, part in parts:
        yield from leaves(part, f"{place}{key}", depth + 1)


def leaf_key(leaf: Any) -> Any:
    """A hashable form of what holds no parts."""
    if type(leaf) is float and (leaf != leaf or leaf == 0):
        return canonical(leaf)
    return (type(leaf), leaf) if type(leaf) in _PLAIN else canonical(leaf)


@functools.lru_cache(maxsize=256)
def _indices(size: int) -> tuple[str, ...]:
    return tuple(f"[{k}]" for k in range(size))


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What a container holds, by place; None if it is no container."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in sorted(value.items(), key=lambda item: repr(item[0]))]
    if isinstance(value, set | frozenset):
        return [(f" has {part!r}", True) for part in sorted(value, key=repr)]
    if isinstance(value, list | tuple):
        return [(f"[{k}]", part) for k, part in enumerate(value)]
    if isinstance(value, np.ndarray):
        return [(f"[{k}]", part) for k, part in enumerate(value.tolist())] if value.ndim else None
    if hasattr(value, "columns") or hasattr(value, "to_pydict"):  # a frame of pandas, polars or arrow
        return _columns(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def _columns(frame: Any) -> list[tuple[str, Any]] | None:
    """A frame by its columns."""
    try:
        if hasattr(frame, "to_pydict"):
            return [(f"[{name!r}]", column) for name, column in frame.to_pydict().items()]
        return [(f"[{name!r}]", list(frame[name].to_list())) for name in frame.columns]
    except Exception:
        return None  # no frame after all: it counts by what it shows


def _canonical_number(value: Any) -> Any:
    name = type(value).__name__
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float):
        return (name, "nan" if math.isnan(plain) else "-0.0" if plain == 0 and math.copysign(1, plain) < 0 else plain)
    try:
        hash(plain)
    except TypeError:
        return (name, str(plain))
    return (name, plain)


def _number(leaf: Any) -> float:
    """A leaf as a number; NaN where it is none."""
    if type(leaf) is float:
        return leaf
    if leaf is None:
        return math.nan
    if type(leaf) is bool or (type(leaf) is int and -(2**60) < leaf < 2**60):
        return float(leaf)
    if isinstance(leaf, numbers.Real | np.bool_):
        try:
            return float(leaf)
        except OverflowError:
            return math.copysign(math.inf, leaf)
    return float(len(leaf)) if isinstance(leaf, str | bytes) else math.nan


def _kind(value: Any) -> str:
    return f"{type(value).__name__}: {value.kind}" if isinstance(value, Raised) else type(value).__name__


def _length(value: Any) -> int:
    try:
        return len(value)
    except TypeError:
        return -1


def _shown(value: Any) -> str:
    """What an object shows, without the address that tells equal ones apart."""
    shown = repr(value)
    return type(value).__name__ if " at 0x" in shown else shown


def _coordinates(matrix: Floats) -> dict[str, Floats]:
    if matrix.shape[1] == 1:
        return {"output": matrix[:, 0]}
    if matrix.shape[1] <= PLACES:
        return {f"[{k}]": matrix[:, k] for k in range(matrix.shape[1])}
    kept = np.linspace(0, matrix.shape[1] - 1, PLACES).astype(int)
    return {f"[{k}]": matrix[:, k] for k in kept}


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
