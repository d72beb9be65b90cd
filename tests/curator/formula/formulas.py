"""Random formulas over two columns, and the same in Python's own arithmetic, one cell at a time."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from dalenius.curator import formula as f

NAMES = ("a", "b")
constants = st.fractions(min_value=-8, max_value=8, max_denominator=4).map(f.Number)
leaves = st.sampled_from([f.Cell(name) for name in NAMES]) | constants


def _numbers(inner):
    pairs = st.sampled_from([f.Plus, f.Minus, f.Times, f.Over])
    return (
        st.builds(lambda kind, left, right: kind(left, right), pairs, inner, inner)
        | st.builds(f.Root, inner)
        | st.builds(lambda of: f.Times(of, of), inner)
        | st.builds(lambda of, low, width: f.Held(of, low, low + width), inner, st.integers(-4, 4), st.integers(0, 4))
        | st.builds(f.IfPositive, inner, inner, inner)
        | st.builds(
            lambda a, b: f.Ratio(f.Cell(a), f.Plus(f.Cell(b), f.Number(1)), -2, 3),
            st.sampled_from(NAMES),
            st.sampled_from(NAMES),
        )
    )


numbers = st.recursive(leaves, _numbers, max_leaves=8)
comparisons = st.builds(f.Compare, st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]), numbers, numbers)
conditions = st.recursive(
    comparisons | st.builds(f.IsAbsent, numbers),
    lambda inner: (
        st.builds(f.Opposite, inner)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(f.Every)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(f.Some)
    ),
    max_leaves=4,
)
cases = st.builds(
    f.Case, st.lists(st.tuples(conditions, numbers), min_size=1, max_size=3).map(tuple), numbers | st.just(f.Absent())
)
formulas = numbers | conditions | cases


class Box:
    """Cells anywhere between given ends."""

    def __init__(self, ends):
        self.cells = ends

    def linear(self, form):
        low = high = np.array([0.0])
        for name, factor in form.terms:
            a, b = (float(factor) * end for end in self.cells[name])
            low, high = low + np.minimum(a, b), high + np.maximum(a, b)
        slack = 1e-12 * (1 + np.abs(low) + np.abs(high))
        return low + float(form.constant) - slack, high + float(form.constant) + slack

    def ratio(self, part, whole, low, high):
        (a, b), (c, d) = self.linear(part), self.linear(whole)
        with np.errstate(all="ignore"):
            ends = np.stack([x / y for x in (a, b) for y in (c, d)])
        least, most = (np.clip(end, float(low), float(high)) for end in (ends.min(axis=0), ends.max(axis=0)))
        return np.where(c > 0, least, float(low)), np.where(c > 0, most, float(high))


def truth(node, cells):
    """The value at one cell, by SQL's rules: a number, True, False or None; Fractions where there is no root."""
    known = {
        f.Cell: lambda: cells[node.name],
        f.Number: lambda: node.number,
        f.Absent: lambda: None,
        f.Plus: lambda: _pair(node, cells, lambda x, y: x + y),
        f.Minus: lambda: _pair(node, cells, lambda x, y: x - y),
        f.Times: lambda: _pair(node, cells, lambda x, y: x * y),
        f.Over: lambda: _pair(node, cells, lambda x, y: None if y == 0 else x / y),
        f.Ratio: lambda: _ratio(node, truth(node.part, cells), truth(node.whole, cells)),
        f.Root: lambda: _root(truth(node.of, cells)),
        f.Held: lambda: None if (v := truth(node.of, cells)) is None else min(max(v, node.low), node.high),
        f.IfPositive: lambda: truth(_chosen(node, cells), cells),
        f.Compare: lambda: _pair(node, cells, _COMPARED[node.sign]) if hasattr(node, "sign") else None,
        f.Every: lambda: _every([truth(part, cells) for part in node.of]),
        f.Some: lambda: _not(_every([_not(truth(part, cells)) for part in node.of])),
        f.Opposite: lambda: _not(truth(node.of, cells)),
        f.IsAbsent: lambda: truth(node.of, cells) is None,
        f.Case: lambda: (
            next(
                (truth(result, cells) for test, result in node.branches if truth(test, cells) is True),
                None,
            )
            if any(truth(test, cells) is True for test, _ in node.branches)
            else truth(node.otherwise, cells)
        ),
    }
    return known[type(node)]()


_COMPARED = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "=": lambda x, y: x == y,
    "<>": lambda x, y: x != y,
}


def _chosen(node, cells):
    test = truth(node.test, cells)
    return node.then if test is not None and test > 0 else node.otherwise


def _pair(node, cells, operation):
    left, right = truth(node.left, cells), truth(node.right, cells)
    return None if left is None or right is None else operation(left, right)


def _ratio(node, part, whole):
    if whole <= 0:
        return (node.low + node.high) / 2
    return min(max(part / whole, node.low), node.high)


def _root(value):
    if value is None or value < 0:
        return None
    return Fraction(math.isqrt(value.numerator * value.denominator << 200), value.denominator << 100)


def _every(terms):
    if any(term is False for term in terms):
        return False
    return None if any(term is None for term in terms) else True


def _not(term):
    return None if term is None else not term
