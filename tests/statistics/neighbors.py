"""Every neighbor of a small table, and how far apart a plan's exact answers are on them, in units of its ε."""

import itertools
from fractions import Fraction

from dalenius.curator import Then
from dalenius.neighbors import Relation
from dalenius.queries import Table

NASTY = [
    0,
    1,
    2.5,
    -3,
    1e300,
    float("inf"),
    float("-inf"),
    float("nan"),
    None,
    "text",
    -0.0,
    5e-324,
    2**63,
    -(2**70),
    True,
]


def table(rows):
    """Columns x, y, g and u of rows (x, y, g, u)."""
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[], [], [], []]
    return Table.of(dict(zip("xygu", columns, strict=True)))


def neighbors(rows, pool, unit):
    """All tables that differ in one unit: in all rows of one u, or in one row."""
    if unit.column is None:
        removed = [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
        added = [[*rows, row] for row in pool]
        changed = [[*rows[:i], row, *rows[i + 1 :]] for i in range(len(rows)) for row in pool]
    else:
        people = {row[3] for row in rows}
        without = {person: [row for row in rows if row[3] != person] for person in people}
        owned = [[(*row[:3], "new") for row in group] for k in (1, 2, 3) for group in _groups(pool, k)]
        removed = list(without.values())
        added = [rows + own for own in owned]
        changed = [without[person] + [(*row[:3], person) for row in own] for person in people for own in owned]
    return removed + added if unit.relation is Relation.ADD_REMOVE else changed


def _groups(pool, size):
    return itertools.combinations(pool, size) if size == 1 else zip(*(pool[i:] for i in range(size)), strict=False)


def measures(plan):
    """The noisy sums that a plan releases; of two steps the first, and the second at several first releases."""
    if isinstance(plan, Then):
        return [*measures(plan.first), *(each for second in seconds(plan) for each in measures(second))]
    while hasattr(plan, "plan"):
        plan = plan.plan
    return [plan]


def seconds(plan):
    """Second plans for some choices that the first release may lead to."""
    rule = plan.next
    if hasattr(rule, "search"):
        edges = rule.search.edges
        return [rule.make(ends) for ends in ((edges[0], edges[-1]), (edges[0], edges[3]), edges[-3:-1], (-1, 1))]
    return [rule.make(most) for most in (1, 2, 4)]


def spent(plan):
    """The ε that a noisy sum must keep to: of two steps, what each may cost."""
    return plan.guarantee.sum_form[0]


def worst_loss(plan, rows, pool, scale=None):
    """The largest loss over all neighbors: geometric noise has loss ‖x − x'‖₁ / scale, attained at y = x."""
    here = plan.query.evaluate(table(rows)).tolist()
    worst = Fraction(0)
    for other in neighbors(rows, pool, plan.unit):
        there = plan.query.evaluate(table(other)).tolist()
        worst = max(worst, Fraction(sum(abs(a - b) for a, b in zip(here, there, strict=True))))
    return worst / (scale or plan.mechanism.scale)
