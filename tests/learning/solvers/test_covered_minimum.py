from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.plans.objective import ObjectivePerturbation
from dalenius.learning.solvers import covered_minimum as module
from dalenius.learning.solvers.covered_minimum import CoveredMinimum, root
from dalenius.learning.solvers.solver import TOLERANCE
from dalenius.learning.sums.loss_bounds import Logistic
from dalenius.mechanisms import KNorm
from dalenius.noise import Bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
X = np.trunc(X / np.linalg.norm(X, axis=1, keepdims=True) * 2**18 * (1 - 1e-9))
Y = (X[:, 0] > 0).astype(float)


def released(monkeypatch, linear=(3, -5, 2)):
    """The answer under the cover: the noise is left out."""
    monkeypatch.setattr(KNorm, "noise", lambda self, bits, dimension: [0] * dimension)
    made = CoveredMinimum(Logistic(), Fraction(2), Fraction(1, 100))
    return made.release([(X, Y)], (3, 1), [v << 20 for v in linear], 20, Bits())


@pytest.mark.parametrize("failing", ["finds none", "leaves the floats"])
def test_where_floats_certify_nothing_the_exact_minimum_is_released(monkeypatch, failing):
    """Not a default: whether floats fail depends on the data, so an answer that shows it would be outside the proof."""
    usual = released(monkeypatch)
    if failing == "finds none":
        monkeypatch.setattr("dalenius.learning.solvers.solver._STEPS", 0)
    else:
        monkeypatch.setattr("dalenius.learning.solvers.solver._newton", lambda *_: 1 / 0)
    forced = released(monkeypatch)
    assert np.abs(usual).min() > 0.01
    assert np.linalg.norm(forced - usual) <= 2 * TOLERANCE / 2 + 1e-6


def test_a_default_for_failures_would_be_seen(monkeypatch):
    """The mutant that lets 0 stand in is further from the minimum than the cover hides."""
    usual = released(monkeypatch)
    monkeypatch.setattr(module, "minimum", lambda objective, shape: np.zeros(shape))
    assert np.linalg.norm(released(monkeypatch) - usual) > 1000 * TOLERANCE


def test_a_linear_term_too_large_for_floats_is_answered(monkeypatch):
    """Saturated by the lattice of the answer, and nothing fails."""
    found = released(monkeypatch, (1 << 200, 0, -(1 << 200)))
    assert np.all(np.isfinite(found))
    assert found[0, 0] < -1e6
    assert found[2, 0] > 1e6


def test_the_cover_is_for_twice_the_radius():
    made = CoveredMinimum(Logistic(), Fraction(2), Fraction(1, 100))
    mechanism, exponent = made._cover(Fraction(1, 1000), 9)
    scale = mechanism.scale / Fraction(2) ** exponent
    assert Fraction(2, 1000) * 100 <= scale <= Fraction(2, 1000) * 101
    assert root(9) >= 3
    assert root(2) ** 2 >= 2


def test_any_solver_state_gives_finite_weights(monkeypatch):
    monkeypatch.setattr("dalenius.learning.solvers.solver._STEPS", 0)
    made = ObjectivePerturbation.balanced(Logistic(), 1, 3)
    for rows in (X[:0], X[:5], np.repeat(X[:1], 8, axis=0)):
        found = made.release([(rows, np.full(len(rows), np.nan))], 3, Bits())
        assert np.all(np.isfinite(found))
