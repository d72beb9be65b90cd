from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.estimators import selection
from dalenius.learning.solvers.frank_wolfe import exact_least


def problem(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    x = np.trunc(rng.uniform(-1, 1, (n, d)) * 16) / 16
    y = np.trunc((x @ rng.normal(size=d) + 0.2 * rng.normal(size=n)) * 16) / 16
    return x.T @ x, x.T @ y, float(y @ y)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [Fraction(1, 4), Fraction(1)])
def test_the_minimum_over_the_ball_is_met_up_to_the_gap(seed, size):
    a, b, c = problem(seed)
    found = float(exact_least(a, b, c, size, Fraction(1, 100)))
    rng = np.random.default_rng(9)
    beta = rng.laplace(size=(20000, 3))
    beta *= float(size) * rng.uniform(0, 1, (20000, 1)) / np.abs(beta).sum(axis=1, keepdims=True)
    scan = ((beta @ a) * beta).sum(axis=1) - 2 * beta @ b + c
    assert found <= scan.min() + 0.01
    assert found >= selection.least(a, b, c, float(size)) - float((1 + size) ** 2) * 2.0**-10


def test_where_floats_certify_nothing_the_score_hardly_moves(monkeypatch):
    """Twice the gap is paid for; a value that stood in would move further."""
    a, b, c = problem(1)
    usual = selection.least(a, b, c, 1.0)
    monkeypatch.setattr(selection, "_attempts", lambda *_: iter(()))
    forced = selection.least(a, b, c, 1.0)
    assert abs(forced - usual) <= 4 * 2.0**-10
    assert c - usual > 1
    monkeypatch.setattr(selection, "_attempts", lambda *_: (_ for _ in ()).throw(np.linalg.LinAlgError))
    assert selection.least(a, b, c, 1.0) == forced


def test_nothing_to_learn_ends_at_once():
    zero = np.zeros((2, 2))
    assert exact_least(zero, np.zeros(2), 5.0, Fraction(1), Fraction(1, 2)) == 5
