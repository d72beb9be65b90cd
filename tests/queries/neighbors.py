"""All neighbors of a small table, and how far apart the answers on them are."""

import math
from decimal import Decimal

from dalenius.neighbors import Metric, Relation
from dalenius.queries import Table

NUMBERS = [
    *(0, 5, -7, 10, 11, 0.5, 99.9, 3.25, -0.0, 5e-324, 1e308, -1e308, True, 2**63, -(2**63), 2**70),
    *(math.inf, -math.inf, math.nan, None, "text", b"x", Decimal("sNaN"), Decimal("2.5"), [1], 1j, 10**400),
]
"""What a column of numbers may hold."""
KEYS = ["a", "b", "c", None, 1, 1.0, math.nan, [], ("a",)]
UNITS = ["p", "q", 1, 1.0, True, 0, -0.0, None, math.nan, (1,), "1", 2**53, 2**53 + 1]
MEMBERS = ("x", "y", "k", "u")


def distances(query, rows, pool, unit):
    """ℓ1 distance between the answers on a table and on each neighbor of it that rows of the pool can make."""
    here = query.evaluate(table(rows)).tolist()
    return [
        distance(here, query.evaluate(table(other)).tolist(), Metric.L1) for other in row_neighbors(rows, pool, unit)
    ]


def row_neighbors(rows, pool, unit):
    """Every list of rows that one row makes of this one."""
    if unit.relation is Relation.ADD_REMOVE:
        return [[*rows, row] for row in pool] + [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
    return [[*rows[:i], row, *rows[i + 1 :]] for row in pool for i in range(len(rows))]


def unit_neighbors(rows, pool, unit):
    """All rows of one unit removed, or those of a new one added, or replaced by rows of the pool."""
    owners = {id(row): _owner(row[-1]) for row in rows}
    others = []
    for owner in {owner for owner in owners.values() if owner is not None}:
        without = [row for row in rows if owners[id(row)] != owner]
        mine = next(row[-1] for row in rows if owners[id(row)] == owner)
        if unit.relation is Relation.ADD_REMOVE:
            others.append(without)
        else:
            others += [without + [(*row[:-1], mine) for row in pool[i:]] for i in range(len(pool))]
            others += [without + [(*row[:-1], mine)] * n for row in pool for n in (1, 3)]
    nobody = [row for row in rows if owners[id(row)] is None]
    assert all(_owner(row[-1]) is None for row in nobody)
    if unit.relation is Relation.ADD_REMOVE:
        others += [rows + [(*row[:-1], "new") for row in pool[i:]] for i in range(len(pool))]
        others += [rows + [(*row[:-1], "new")] * n for row in pool for n in (1, 3)]
    return others


def _owner(value):
    """Who a row belongs to, told in another way than the code does: numbers by equality, text by itself."""
    if isinstance(value, str):
        return "text", value
    return None if not isinstance(value, int | float) or value != value else ("number", value)


def distance(one, other, metric):
    """The distance, squared in ℓ2 so that it is exact."""
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return {Metric.L1: sum(gaps), Metric.L2: sum(gap * gap for gap in gaps), Metric.LINF: max(gaps)}[metric]


def too_far(query, rows, others, unit, metrics=(Metric.L1, Metric.L2, Metric.LINF)):
    """The neighbors, with metric, whose answers lie further apart than the query says."""
    here = query.evaluate(table(rows)).tolist()
    answers = [query.evaluate(table(other)).tolist() for other in others]
    limits = {metric: query.sensitivity(unit, metric) for metric in metrics}
    return [
        (metric, other)
        for metric, limit in limits.items()
        for other, answer in zip(others, answers, strict=True)
        if distance(here, answer, metric) > (limit.square if metric is Metric.L2 else limit.value)
    ]


def table(rows):
    """A table of whatever the rows are, made as a caller makes it."""
    if rows and isinstance(rows[0], tuple) and len(rows[0]) == len(MEMBERS):
        return Table.of({name: [row[i] for row in rows] for i, name in enumerate(MEMBERS)})
    return Table.of({"x": rows} if rows else {name: [] for name in MEMBERS})
