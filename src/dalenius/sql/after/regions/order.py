"""The order of rows by numbers with noise: which surely come before which, and which may."""

from collections.abc import Sequence
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


def positions(rows: Sequence[Sorted], terms: Sequence[Term], region: JointRegion, ties: bool) -> list[tuple[int, int]]:
    """How many rows come before each, at least and at most; with `ties` also of those that may be equal to it."""
    if len(rows) > MOST_COMPARED:
        raise NoRule(f"an order of more than {MOST_COMPARED} rows by numbers with noise")
    ends = [[region.ends(key) for key in keys] for _, keys in rows]
    result = []
    for mine, (_, keys) in enumerate(rows):
        least = most = 0
        for other, (presence, others) in enumerate(rows):
            if other == mine or not presence.possible:
                continue
            before = _compared(others, ends[other], keys, ends[mine], terms)
            least += before == "before" and presence.sure
            most += before in ("before", "maybe") or (ties and before == "tie")
        result.append((least, most))
    return result


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
