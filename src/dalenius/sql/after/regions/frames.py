"""The frame of a window: which rows of its partition, in their public order, a value is made of.

Frames by ROWS count rows, those by GROUPS count rows with equal keys as one, and those by RANGE compare keys: all keys
are public, so a frame is the same whatever the noise. Keys are sorted, hence a frame is a run of rows, and each of its
ends is found by bisection: the first row whose key is not before the least one of the frame, and the last whose key is
not after the largest.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions import dates
from dalenius.sql.after.regions.order import Sorted, Term
from dalenius.sql.after.regions.values import NoRule, is_number

Run = tuple[int, int]
"""The first row of a frame in the order of its partition, and the one behind its last."""


@dataclass(frozen=True, slots=True)
class _Places:
    """Rows in their order: where those with an equal key begin and end, and which group of equals each is in."""

    first: list[int]
    behind: list[int]
    group: list[int]
    starts: list[int]

    @classmethod
    def of(cls, keys: Sequence[tuple[Any, ...]]) -> "_Places":
        starts = [place for place, key in enumerate(keys) if not place or keys[place - 1] != key]
        ends = [*starts[1:], len(keys)]
        sizes = [end - start for start, end in zip(starts, ends, strict=True)]
        return cls(
            [start for start, size in zip(starts, sizes, strict=True) for _ in range(size)],
            [end for end, size in zip(ends, sizes, strict=True) for _ in range(size)],
            [number for number, size in enumerate(sizes) for _ in range(size)],
            [*starts, len(keys)],
        )


def runs(places: Sequence[int], rows: Sequence[Sorted], ways: Sequence[Term], spec: exp.Expr | None) -> list[Run]:
    """The frame of every row, in order: by default all up to its equals, or all if there is no order."""
    size = len(places)
    if spec is None and not ways:
        return [(0, size)] * size
    keys = [tuple(key.point for key in rows[place][1]) for place in places]
    equals = _Places.of(keys)
    if spec is None:
        return [(0, end) for end in equals.behind]
    if spec.args.get("exclude"):
        raise NoRule("EXCLUDE in a window has no rule for regions")
    edge = _EDGES.get(str(spec.args.get("kind")).upper())
    if edge is None:
        raise NoRule(f"a frame of {spec.args.get('kind')} has no rule for regions")
    start, start_side, end, end_side = (spec.args.get(name) for name in ("start", "start_side", "end", "end_side"))
    starts = edge(start, str(start_side), keys, ways, equals, False)
    ends = edge(end or "CURRENT ROW", str(end_side), keys, ways, equals, True)
    return [(max(0, a), max(0, a, min(size, b))) for a, b in zip(starts, ends, strict=True)]


def _by_rows(
    edge: Any, side: str, keys: Sequence[tuple[Any, ...]], ways: Sequence[Term], equals: _Places, is_end: bool
) -> list[int]:
    size = len(keys)
    if edge == "UNBOUNDED":
        return [size if side == "FOLLOWING" else 0] * size
    step = 0 if edge == "CURRENT ROW" else _signed(_whole(edge), side)
    return [place + step + is_end for place in range(size)]


def _by_groups(
    edge: Any, side: str, keys: Sequence[tuple[Any, ...]], ways: Sequence[Term], equals: _Places, is_end: bool
) -> list[int]:
    if edge == "UNBOUNDED":
        return _by_rows(edge, side, keys, ways, equals, is_end)
    step = 0 if edge == "CURRENT ROW" else _signed(_whole(edge), side)
    last = len(equals.starts) - 1
    return [equals.starts[min(last, max(0, group + step + is_end))] for group in equals.group]


def _by_range(
    edge: Any, side: str, keys: Sequence[tuple[Any, ...]], ways: Sequence[Term], equals: _Places, is_end: bool
) -> list[int]:
    """By keys: those that are NULL are equal to each other, and no distance from any other."""
    if edge == "UNBOUNDED":
        return _by_rows(edge, side, keys, ways, equals, is_end)
    if edge == "CURRENT ROW" or not keys:
        return list(equals.behind if is_end else equals.first)
    if len(ways) != 1:
        raise NoRule("a frame of RANGE with a distance is over one term of ORDER BY")
    descending = ways[0][0]
    present = [key for (key,) in keys if key is not None]
    first = 0 if not keys or keys[0][0] is not None else len(keys) - len(present)
    moved = _moved(edge, present, back=(side == "PRECEDING") != descending)
    ascending = [_negative(key) for key in present] if descending else present
    find = bisect_right if is_end else bisect_left
    result = list(equals.behind if is_end else equals.first)
    for place, key in enumerate(present):
        target = moved(key)
        result[first + place] = first + find(ascending, _negative(target) if descending else target)
    return result


@dataclass(frozen=True, slots=True, order=False)
class _Reversed:
    """A key that compares the other way round."""

    key: Any

    def __lt__(self, other: "_Reversed") -> bool:
        return bool(other.key < self.key)


def _negative(key: Any) -> _Reversed:
    return _Reversed(key)


def _moved(edge: Any, keys: Sequence[Any], back: bool) -> Callable[[Any], Any]:
    """A key, further by what a frame says."""
    if isinstance(edge, exp.Interval) and all(isinstance(key, datetime) for key in keys):
        move = dates.mover(edge, back)
        if move is None:
            raise NoRule("a frame by this interval has no rule for regions")

        def checked(key: datetime) -> datetime:
            moment = move(key)
            if moment is None:
                raise NoRule("a frame beyond the years that dates have has no rule for regions")
            return moment

        return checked
    if isinstance(edge, exp.Literal) and not edge.is_string and all(map(is_number, keys)):
        by = Fraction(str(edge.this)) * (-1 if back else 1)
        return lambda key: Fraction(key) + by
    raise NoRule("a frame of RANGE takes a number, or an interval of dates, that is written out")


def _whole(edge: Any) -> int:
    if not isinstance(edge, exp.Literal) or not str(edge.this).isdigit():
        raise NoRule("a frame takes whole numbers that are written out")
    return int(edge.this)


def _signed(step: int, side: str) -> int:
    return step if side == "FOLLOWING" else -step


_EDGES = {"ROWS": _by_rows, "GROUPS": _by_groups, "RANGE": _by_range}
