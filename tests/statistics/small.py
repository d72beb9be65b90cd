"""Every small table with its neighbors, and the exact laws of what a plan chooses on them."""

import itertools
from fractions import Fraction

from dalenius.neighbors import Relation
from dalenius.queries import Table
from tests.contracts.selection_laws import number, permute_and_flip, softmax, violates
from tests.mechanisms.test_quantile import loss_range
from tests.mechanisms.test_rank_choice import law

GRID = [Fraction(k, 10) for k in range(0, 21, 4)]


MANY = [0.5, 1.5, 2.5, 3.5] * 8
"""Rows enough for one more to move ranks as far as it can."""


def breaks(p, q, claim, grid=()):
    """Whether two laws are further apart than a bounded range and its profile allow, in either direction."""
    return violates(p, q, claim, grid) or loss_range(p, q) > number(claim.budget) * (1 + number("1e-30"))


def row_pairs(pool, most, relation):
    """All neighbors whose unit is the row, with at most so many rows; a table is a list of rows."""
    for size in range(most + 1):
        for rows in itertools.combinations_with_replacement(range(len(pool)), size):
            data = [pool[at] for at in rows]
            if relation is Relation.ADD_REMOVE:
                yield from ((data, [*data, row]) for row in pool)
            else:
                changed = [at for at in range(size) if at == 0 or rows[at] != rows[at - 1]]
                yield from ((data, [*data[:at], *data[at + 1 :], row]) for at in changed for row in pool)


def unit_pairs(units, base, relation):
    """Neighbors that differ in all rows of one unit: a base of other units, and each of `units` or none."""
    if relation is Relation.ADD_REMOVE:
        return [(base, [*base, unit]) for unit in units]
    return [([*base, one], [*base, other]) for one, other in itertools.combinations(units, 2)]


def column(rows):
    return Table.of({"x": rows})


def owned(units):
    """A table of units, each a list of its rows."""
    rows = [(f"u{at}", row) for at, unit in enumerate(units) for row in unit] or [("nobody", None)]
    return Table.of({"u": [None if name == "nobody" else name for name, _ in rows], "x": [row for _, row in rows]})


def rank_law(plan, view):
    """The law of the chosen cell, from the definition, on the ranks that the plan itself found."""
    ranks, mechanism = plan.query.evaluate(view), plan.mechanism
    cells = ranks.rows.tolist()
    weights = [1] * len(cells) if ranks.weights is None else ranks.weights.tolist()
    target = mechanism.level * sum(weights) + mechanism.shift
    return law(cells, weights, mechanism.cells, target, mechanism.scale)


def mode_law(plan, view):
    return permute_and_flip(plan.query.evaluate(view), plan.mechanism.scale)


def top_law(plan, view):
    """Peeling: every order of k different keys, from the definition."""
    scores, mechanism = plan.query.evaluate(view), plan.mechanism
    masses = []
    for order in itertools.permutations(range(len(scores)), mechanism.k):
        left, chance = list(range(len(scores))), 1
        for index in order:
            among = softmax([scores[i] for i in left], mechanism.selection.scale)
            chance = chance * among[left.index(index)]
            left.remove(index)
        masses.append(chance)
    return masses
