from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.targets import Span
from dalenius.learning.sums.gram import DIGITS, Equations, NormalSums
from dalenius.numerics import precision
from tests.learning.adversary import FEATURES, rows

SPAN = Span.declare((-2, 2))


def sums_of(features, target, ridge=Fraction(3, 2)):
    made = NormalSums.of(UnitRows(Box.declare((-1, 1), FEATURES), DIGITS), SPAN, ridge)
    return made, *made.sums([(features, target)])


def test_sums_are_those_of_whole_numbers():
    X = rows()
    y = np.resize([0.5, -2, 1e300, np.nan, -np.inf], len(X))
    made, matrix, products = sums_of(X, y)
    x, t = made.rows.steps_with(X, SPAN.codes(y))
    whole = [[int(v) for v in row] for row in x]
    for i in range(FEATURES + 1):
        for j in range(FEATURES + 1):
            assert matrix[i, j] == sum(row[i] * row[j] for row in whole) + (i == j) * made.ridge
        assert products[i] == sum(row[i] * int(v) for row, v in zip(whole, t, strict=True))
    assert made.ridge == 4**DIGITS * 3 // 2


def test_one_row_is_as_short_as_the_proof_takes_it():
    """The part of each hostile row alone: ‖x‖ ≤ 1 and |y| ≤ 1, in steps; so leverage and gradient are bounded."""
    X = rows()
    for y in (1e300, -7.0, 0.3, np.inf):
        made, _, _ = sums_of(X[:1], np.array([y]))
        x, t = made.rows.steps_with(X, SPAN.codes(np.full(len(X), y)))
        assert np.all((x * x).sum(axis=1) <= 4**DIGITS)
        assert np.all(np.abs(t) <= 2**DIGITS)


def test_a_row_moves_the_sums_by_its_own_part_alone():
    X = rows()
    y = np.linspace(-3, 3, len(X))
    _, matrix, products = sums_of(X, y)
    _, one, part = sums_of(X[:1], y[:1])
    _, rest, left = sums_of(X[1:], y[1:])
    ridge = sums_of(X[:0], y[:0])[1]
    assert np.array_equal(matrix, one + rest - ridge)
    assert np.array_equal(products, part + left)


def test_enclosures_hold_the_solution():
    rng = np.random.default_rng(3)
    half = rng.integers(-50, 50, (6, 4))
    matrix, products = half.T @ half + 5 * np.eye(4, dtype=np.int64), rng.integers(-99, 99, 4)
    equations = Equations.of(matrix, products)
    assert equations.size == 4
    with precision(128):
        found = equations.solved([arb(int(q)) for q in products])
        inverse, root = equations.inverse(), equations.root()
    assert [float(v) for v in found] == pytest.approx(np.linalg.solve(matrix, products), rel=1e-9)
    assert np.array([[float(v) for v in row] for row in inverse]) == pytest.approx(np.linalg.inv(matrix), rel=1e-9)
    lower = np.linalg.cholesky(matrix.astype(float))
    for i, row in enumerate(root):
        assert [float(v) for v in row] == pytest.approx(lower[i, : i + 1], rel=1e-9)


def test_too_little_precision_is_told_apart_from_an_answer():
    near = Equations.of(np.array([[2**60, 2**60 - 1], [2**60 - 1, 2**60]]), np.array([1, 2]))
    with precision(30):
        assert near.inverse() is None
        assert near.root() is None
    with precision(256):
        assert near.inverse() is not None
