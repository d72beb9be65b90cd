from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from dalenius.learning.solvers.l1_centre import half_gradient, linear_gap, nearly_least
from dalenius.learning.sums.gram import Equations


def problem(seed, d, times=1000, far=3.0):
    rng = np.random.default_rng(seed)
    half = rng.integers(-100, 100, (3 * d, d))
    matrix = half.T @ half * times + np.eye(d, dtype=np.int64)
    pointing = rng.normal(size=d)
    return Equations.of(matrix, np.round(matrix @ (pointing / np.abs(pointing).sum() * far)).astype(np.int64))


@pytest.mark.parametrize("far", [0.5, 1.0, 3.0, 1000.0])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_no_corner_of_the_ball_lies_further_below_than_the_gap(d, far):
    """A linear function is least at a corner: 2g·(corner − m) ≥ −s for all of them, in fractions."""
    made, slack = problem(d, d, far=far), Fraction(1, 1 << 20)
    m, s = nearly_least(made, Fraction(1), slack)
    assert sum(map(abs, m)) <= 1
    assert 0 <= s <= slack
    g = half_gradient(made, m)
    along = sum(a * b for a, b in zip(g, m, strict=True))
    assert min(2 * (sign * g[j] - along) for j in range(d) for sign in (1, -1)) == -s


@pytest.mark.parametrize("seed", range(4))
def test_the_point_is_the_one_that_scipy_finds(seed):
    made = problem(seed, 3)
    m, _ = nearly_least(made, Fraction(2), Fraction(1, 1000))
    P, Q = np.array(made.matrix, float), np.array(made.products, float)
    scale = np.abs(Q).max()

    def loss(parts):
        theta = parts[:3] - parts[3:]
        return (theta @ P @ theta - 2 * Q @ theta) / scale

    inside = {"type": "ineq", "fun": lambda parts: 2 - parts.sum()}
    found = minimize(loss, np.full(6, 0.1), bounds=[(0, None)] * 6, constraints=[inside], method="SLSQP").x
    assert [float(v) for v in m] == pytest.approx(found[:3] - found[3:], abs=1e-3)


def test_singular_and_huge_sums_have_a_centre_too():
    """All but singular, as large as int64 holds, or all zero beside a ridge of one step."""
    line = np.array([3, -2, 1])
    flat = Equations.of(np.outer(line, line) * 10**16 + np.eye(3, dtype=np.int64), line * 10**17)
    none = Equations.of(np.eye(3, dtype=np.int64), np.zeros(3, np.int64))
    for made in (flat, none):
        m, s = nearly_least(made, Fraction(1), Fraction(1, 1 << 20))
        assert s == linear_gap(made, m, Fraction(1)) <= Fraction(1, 1 << 20)
