"""All neighbors of a small table."""

from dalenius.neighbors import Relation
from dalenius.queries import Table


def distances(query, rows, pool, unit):
    """ℓ1 distance between the answers on a table and on each neighbor of it that rows of the pool can make."""
    if unit.relation is Relation.ADD_REMOVE:
        others = [[*rows, row] for row in pool] + [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
    else:
        others = [[*rows[:i], row, *rows[i + 1 :]] for row in pool for i in range(len(rows))]
    here = query.evaluate(table(rows))
    return [int(abs(here - query.evaluate(table(other))).sum()) for other in others]


def table(rows):
    """A table with one column of whatever they are, made as a caller makes it."""
    return Table.of({"x": rows})
