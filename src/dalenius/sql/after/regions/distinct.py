"""DISTINCT rows and values, where public values tell them apart, or where noise may make two of them equal.

Of rows that are equal the first is kept, in the order in which they stand here. So a row is surely kept if no row
before it can be equal to it, and may be kept otherwise. Values are different if their ends do not meet: the largest
number of ends that do not meet in pairs is the least number of different values, and is found by taking, again and
again, the one that ends first.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dalenius.sql.after.regions.order import MOST_COMPARED
from dalenius.sql.after.regions.region import JointRegion, nullable
from dalenius.sql.after.regions.rows import HERE, Presence, Row, RowRelation
from dalenius.sql.after.regions.values import MISSING, Between, Exact, NoRule, Unknown, Value, choices

Ends = tuple[float, float] | None


def distinct(relation: RowRelation, region: JointRegion) -> RowRelation:
    """Each row once."""
    if all(isinstance(value, Exact) for row in relation.rows for value in row.values):
        return _public(relation)
    if len(relation.rows) > MOST_COMPARED:
        raise NoRule(f"DISTINCT of more than {MOST_COMPARED} rows with noise has no rule for regions")
    if any(value.point is MISSING for row in relation.rows for value in row.values):
        raise NoRule("DISTINCT of what the engine alone has computed has no rule for regions")
    ends = [[region.ends(value) for value in row.values] for row in relation.rows]
    points = [tuple(value.point for value in row.values) for row in relation.rows]
    rows: list[Row] = []
    for mine, row in enumerate(relation.rows):
        earlier = [
            other
            for other in range(mine)
            if _may_be_equal(relation.rows[other].values, ends[other], row.values, ends[mine])
        ]
        if not earlier:
            rows.append(row)
            continue
        presence = row.presence
        hidden = any(relation.rows[other].presence.point and points[other] == points[mine] for other in earlier)
        surely = presence.sure and not any(relation.rows[other].presence.possible for other in earlier)
        rows.append(replace(row, presence=Presence(False, surely, presence.possible, presence.point and not hidden)))
    return replace(relation, rows=_as_public_facts_say(relation, rows))


def _as_public_facts_say(relation: RowRelation, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows that public values tell apart from all others stay as they are; all others are picked by noise.

    Which rows noise may pick must not depend on what was released, though the ends of two rows do.
    """
    groups: dict[tuple[Any, ...], int] = {}
    keys = []
    for row in relation.rows:
        key = tuple(value.point if isinstance(value, Exact) else MISSING for value in row.values)
        keys.append(key)
        groups[key] = groups.get(key, 0) + 1
    alone = all(len({type(value) is Exact for value in column}) == 1 for column in zip(*_values(relation), strict=True))
    return tuple(
        row if alone and groups[key] == 1 else replace(row, presence=replace(row.presence, exact=False))
        for row, key in zip(rows, keys, strict=True)
    )


def _values(relation: RowRelation) -> list[tuple[Value, ...]]:
    return [row.values for row in relation.rows]


def _public(relation: RowRelation) -> RowRelation:
    kept: dict[tuple[Any, ...], Presence] = {}
    for row in relation.rows:
        key = tuple(value.point for value in row.values)
        known = kept.get(key)
        kept[key] = row.presence if known is None else _either(known, row.presence)
    rows = tuple(Row(tuple(map(Exact, key)), there) for key, there in kept.items())
    return RowRelation(relation.names, rows, relation.ordered_by_noise)


def _either(one: Presence, other: Presence) -> Presence:
    if (one.exact and one.sure) or (other.exact and other.sure):
        return HERE
    return Presence(False, one.sure or other.sure, one.possible or other.possible, one.point or other.point)


def _may_be_equal(a: Sequence[Value], a_ends: Sequence[Ends], b: Sequence[Value], b_ends: Sequence[Ends]) -> bool:
    """Whether two rows may have the same values; for DISTINCT two NULLs are the same."""
    for x, y, mine, other in zip(a, b, a_ends, b_ends, strict=True):
        listed = choices(x), choices(y)
        if listed[0] is not None and listed[1] is not None:
            is_apart = not listed[0] & listed[1]
        elif mine is None or other is None or (nullable(x) and nullable(y)):
            is_apart = False
        else:
            is_apart = mine[1] < other[0] or other[1] < mine[0]
        if is_apart:
            return False
    return True


def counted_distinct(members: Sequence[tuple[Presence, Value]], region: JointRegion) -> Value:
    """COUNT(DISTINCT x)."""
    values = [
        (presence, value) for presence, value in members if not (isinstance(value, Exact) and value.point is None)
    ]
    points = [value.point for presence, value in values if presence.point and value.point is not None]
    point: Any = MISSING if MISSING in points else len(set(points))
    if all(presence.exact and isinstance(value, Exact) for presence, value in values):
        return Exact(len({value.point for _, value in values}))
    ends = [region.ends(value) for _, value in values]
    if None in ends:
        return Unknown("DISTINCT values of texts that noise picks have no rule for regions", point)
    sure = sorted(
        (pair[1], pair[0])
        for pair, (presence, value) in zip(ends, values, strict=True)
        if pair is not None and presence.sure and not nullable(value)
    )
    least, last = 0, -float("inf")
    for high, low in sure:
        if not least or low > last:
            least, last = least + 1, high
    return Between(float(least), float(sum(presence.possible for presence, _ in values)), point)
