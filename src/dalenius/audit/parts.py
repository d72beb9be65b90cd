"""What an output holds: the places inside any object, and a form by which equal ones are known."""

import dataclasses
import datetime
import decimal
import functools
import itertools
import math
import numbers
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from dalenius.audit.draw import Raised

MOST = 4096
"""How many leaves of one output are looked at."""
_DEPTH = 6
_PLAIN = frozenset({bool, int, float, str, bytes, type(None), np.float64, np.int64})
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NUMBERS_IN_TEXT, _LONGEST = 8, 2000

Parts = list[tuple[str, Any]]


def canonical(value: Any, depth: int = 0) -> Any:
    """A hashable form: two outputs have the same exactly when no caller could tell them apart.

    NaN is one symbol, −0.0 another than 0.0, a type part of the value; an object without a form of its own counts
    by its type and attributes, or by what it shows.
    """
    if value is None or isinstance(value, bool | str | bytes | Raised):
        return (type(value).__name__, value)
    if isinstance(value, numbers.Number | np.generic):
        return _canonical_number(value)
    parts = parts_of(value) if depth < _DEPTH else None
    if parts is None:
        return (type(value).__name__, _shown(value))
    inner = [(key, canonical(part, depth + 1)) for key, part in parts]
    return (type(value).__name__, frozenset(inner) if isinstance(value, set | frozenset) else tuple(inner))


def flat(value: Any) -> Parts:
    """(place, what stands there) for all that an output holds; the common shapes without recursion."""
    kind = type(value)
    if kind in _PLAIN:
        return [("output", value), *_in_text("output", value)] if kind is str else [("output", value)]
    if kind in (list, tuple) and set(map(type, value)) <= _PLAIN - {str}:
        return list(zip(_indices(len(value)), value, strict=True))
    if kind is dict and set(map(type, value.values())) <= _PLAIN - {str} and set(map(type, value)) == {str}:
        return [(place, value[key]) for key, place in _keyed(tuple(value))]
    return list(itertools.islice(leaves(value), MOST))


def leaves(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(place, what stands there) for all that an output holds."""
    parts = parts_of(value) if depth < _DEPTH else None
    if parts is None:
        yield place or "output", value
        if type(value) is str:
            yield from _in_text(place or "output", value)
        return
    for key, part in parts:
        yield from leaves(part, f"{place}{key}", depth + 1)


def leaf_key(leaf: Any) -> Any:
    """A hashable form of what holds no parts."""
    if type(leaf) is float and (leaf != leaf or leaf == 0):
        return canonical(leaf)
    return (type(leaf), leaf) if type(leaf) in _PLAIN else canonical(leaf)


def parts_of(value: Any) -> Parts | None:
    """What a container holds, by place; None if it is no container."""
    if type(value) in _PLAIN or isinstance(value, type | Raised):
        return None
    try:
        return _held(value)
    except Exception:  # a property or a repr of the object's own that fails: it counts by what it shows
        return None


def _held(value: Any) -> Parts | None:
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in sorted(value.items(), key=lambda item: repr(item[0]))]
    if isinstance(value, set | frozenset):
        return [(f" has {part!r}", True) for part in sorted(value, key=repr)]
    if isinstance(value, list | tuple):
        return list(zip(_indices(len(value)), value, strict=True))
    if isinstance(value, np.ndarray):
        return list(zip(_indices(len(value)), value.tolist(), strict=True)) if value.ndim else None
    if hasattr(value, "columns") or hasattr(value, "to_pydict"):  # a frame of pandas, polars or arrow
        return _columns(value)
    if dataclasses.is_dataclass(value):
        return [(f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value)]
    return _inside(value)


def number(leaf: Any) -> float:
    """A leaf as a number; NaN where it is none."""
    if type(leaf) is float:
        return leaf
    if leaf is None:
        return math.nan
    if type(leaf) is bool or (type(leaf) is int and -(2**60) < leaf < 2**60):
        return float(leaf)
    if isinstance(leaf, numbers.Real | np.bool_ | decimal.Decimal):
        return _real(leaf)
    if isinstance(leaf, datetime.date | datetime.time | datetime.timedelta):
        return _moment(leaf)
    return float(len(leaf)) if isinstance(leaf, str | bytes) else math.nan


def _real(leaf: Any) -> float:
    try:
        return float(leaf)
    except OverflowError:
        return math.inf if leaf > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def kind_of(value: Any) -> str:
    """The type of an output; of an error, which."""
    return f"{type(value).__name__}: {value.kind}" if isinstance(value, Raised) else type(value).__name__


def length_of(value: Any) -> int:
    """How much an output holds; −1 if it holds nothing."""
    try:
        return len(value)
    except Exception:  # whatever an object's own len does
        return -1


@functools.lru_cache(maxsize=256)
def _indices(size: int) -> tuple[str, ...]:
    return tuple(f"[{k}]" for k in range(size))


@functools.lru_cache(maxsize=256)
def _keyed(keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((key, f"[{key!r}]") for key in sorted(keys, key=repr))


def _in_text(place: str, text: str) -> Parts:
    """The numbers that a text holds, and the text without them."""
    matches = list(itertools.islice(_NUMBER.finditer(text[:_LONGEST]), _NUMBERS_IN_TEXT))
    if not matches:
        return []
    numbers: Parts = [(f"{place} number {k}", float(match[0])) for k, match in enumerate(matches)]
    return [*numbers, (f"{place} words", _Words(_NUMBER.sub("#", text[:_LONGEST])))]


class _Words(str):
    """A text without its numbers: told by its letters alone, not searched again."""

    __slots__ = ()


def _inside(value: Any) -> Parts | None:
    """What a series, a tensor or an object with attributes holds."""
    for method in ("to_list", "tolist"):
        if hasattr(value, method) and not isinstance(value, np.generic):
            try:
                held = getattr(value, method)()
            except Exception:
                break
            return list(zip(_indices(len(held)), held, strict=True)) if isinstance(held, list) else None
    if isinstance(value, complex):
        return [(".real", value.real), (".imag", value.imag)]
    held = getattr(value, "__dict__", None)
    if callable(value) or not isinstance(held, dict) or not held:
        return None
    return [(f".{name}", part) for name, part in sorted(held.items())]


def _columns(frame: Any) -> Parts | None:
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
    return (name, str(plain) if plain != plain else plain)


def _moment(leaf: Any) -> float:
    """Days, or seconds of a day."""
    if isinstance(leaf, datetime.timedelta):
        return leaf / datetime.timedelta(days=1)
    if isinstance(leaf, datetime.time):
        return leaf.hour * 3600 + leaf.minute * 60 + leaf.second + leaf.microsecond / 1e6
    whole = float(leaf.toordinal())
    return whole + _moment(leaf.time()) / 86400 if isinstance(leaf, datetime.datetime) else whole


def _shown(value: Any) -> str:
    """What an object shows, without the address that tells equal ones apart."""
    try:
        shown = repr(value)
    except Exception:
        return type(value).__name__
    return type(value).__name__ if " at 0x" in shown else shown
