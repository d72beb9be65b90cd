"""The order of rows by numbers with noise: which surely come before which, and which may."""

from collections.abc import Callable, Sequence
from typing import Any

from dalenius.sql.after.regions.region import JointRegion, nullable
from dalenius.sql.after.regions.rows import Presence
from dalenius.sql.after.regions.values import MISSING, Between, Exact, NoRule, Value

Term = tuple[bool, bool]
"""Whether a term of ORDER BY descends, and whether NULL comes first."""
Sorted = tuple[Presence, tuple[Value, ...]]
MOST_COMPARED = 1500


def in_order(rows: Sequence[Sorted], terms: Sequence[Term]) -> list[int]:
    """The places of rows in what was released, in their order; the sort is stable."""
    places = list(range(len(rows)))
    for number in reversed(range(len(terms))):
        descending, nulls_first = terms[number]
        points = [keys[number].point for _, keys in rows]
        if MISSING in points:
            raise NoRule("an order that the engine alone knows")
        absent = [place for place in places if points[place] is None]
        present = [place for place in places if points[place] is not None]
        present.sort(key=lambda place: points[place], reverse=descending)
        places = absent + present if nulls_first else present + absent
    return places


def is_exact(rows: Sequence[Sorted]) -> bool:
    """Whether public facts decide which rows there are, and their order."""
    return all(presence.exact and all(isinstance(key, Exact) for key in keys) for presence, keys in rows)


def is_total(rows: Sequence[Sorted]) -> bool:
    """Whether public values put the rows into one order, and leave none of it open."""
    points = [tuple(key.point for key in keys) for _, keys in rows if all(isinstance(key, Exact) for key in keys)]
    return len(points) == len(rows) == len(set(points))


def comparisons(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion) -> Callable[[int, int], str]:
    """Whether one row comes before another, after it, beside it by public keys, or in any order."""
    if len(rows) > MOST_COMPARED:
        raise NoRule(f"an order of more than {MOST_COMPARED} rows by numbers with noise")
    ends = [[region.ends(key) for key in keys] for _, keys in rows]
    return lambda one, other: _compared(rows[one][1], ends[one], rows[other][1], ends[other], terms)


def positions(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion, ties: bool) -> list[tuple[int, int]]:
    """How many rows come before each, at least and at most; with `ties` also of those that may be equal to it."""
    compared = comparisons(rows, terms, region)
    result = []
    for mine in range(len(rows)):
        least = most = 0
        for other, (presence, _) in enumerate(rows):
            if other == mine or not presence.possible:
                continue
            before = compared(other, mine)
            least += before == "before" and presence.sure
            most += before in ("before", "maybe") or (ties and before == "tie")
        result.append((least, most))
    return result


def tiled(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion, tiles: int) -> list[Value]:
    """NTILE: a function of the number of the row that never falls, where public facts say how many rows there are."""
    size, larger = divmod(len(rows), tiles)

    def tile(number: int) -> int:
        before = number - 1
        if before < larger * (size + 1):
            return before // (size + 1) + 1
        return larger + (before - larger * (size + 1)) // size + 1

    numbers = ranked(rows, terms, region, "ROW_NUMBER")
    return [
        Exact(tile(one.point))
        if isinstance(one, Exact)
        else Between(float(tile(int(one.low))), float(tile(int(one.high))), tile(one.point))
        for one in numbers
        if isinstance(one, Exact | Between)
    ]


def shares_up_to(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion) -> list[Value]:
    """CUME_DIST: the share of rows that come before a row or are equal to it, of a public number of rows."""
    size, places = len(rows), in_order(rows, terms)
    points: dict[int, int] = {}
    last: dict[tuple[Any, ...], int] = {
        tuple(key.point for key in rows[place][1]): number for number, place in enumerate(places, 1)
    }
    for place in places:
        points[place] = last[tuple(key.point for key in rows[place][1])]
    if is_exact(rows):
        return [Exact(points[place] / size) for place in range(size)]
    compared = comparisons(rows, terms, region)
    values: list[Value] = []
    for mine in range(size):
        others = [compared(other, mine) for other in range(size) if other != mine]
        least = 1 + sum(one in ("before", "tie") for one in others)
        most = size - sum(one == "after" for one in others)
        values.append(Between(least / size, most / size, points[mine] / size))  # as the engine divides
    return values


def ranked(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion, kind: str) -> list[Value]:
    """RANK, DENSE_RANK or ROW_NUMBER of each row."""
    points = _point_ranks(rows, terms, kind)
    if is_exact(rows):
        return [Exact(point) for point in points]
    bounds = positions(rows, terms, region, ties=kind == "ROW_NUMBER")
    if kind == "DENSE_RANK":
        bounds = [(min(least, 1), most) for least, most in bounds]
    return [Between(1.0 + least, 1.0 + most, point) for (least, most), point in zip(bounds, points, strict=True)]


def _point_ranks(rows: Sequence[Sorted], terms: Sequence[Term], kind: str) -> list[Any]:
    ranks: list[Any] = [None] * len(rows)
    number = rank = dense = 0
    last: Any = MISSING
    for place in in_order(rows, terms):
        presence, keys = rows[place]
        if not presence.point:
            continue
        number += 1
        points = tuple(key.point for key in keys)
        if points != last:
            rank, dense, last = number, dense + 1, points
        ranks[place] = {"RANK": rank, "DENSE_RANK": dense, "ROW_NUMBER": number}[kind]
    return ranks


Ends = tuple[float, float] | None


def _compared(
    a: Sequence[Value], a_ends: Sequence[Ends], b: Sequence[Value], b_ends: Sequence[Ends], terms: Sequence[Term]
) -> str:
    """Whether a comes before b, after it, beside it, or in any order."""
    for x, y, mine, other, (descending, nulls_first) in zip(a, b, a_ends, b_ends, terms, strict=True):
        if isinstance(x, Exact) and isinstance(y, Exact):
            if x.point == y.point:
                continue
            if x.point is None or y.point is None:
                return "before" if (x.point is None) == nulls_first else "after"
            return "before" if (x.point < y.point) != descending else "after"
        if nullable(x) or nullable(y) or mine is None or other is None:
            return "maybe"
        if mine[1] < other[0]:
            return "after" if descending else "before"
        if mine[0] > other[1]:
            return "before" if descending else "after"
        return "maybe"
    return "tie"
