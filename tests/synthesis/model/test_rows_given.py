import numpy as np
import pytest

from dalenius.synthesis.model.mixture import Mixture, Shape
from dalenius.synthesis.model.public_coins import PublicCoins
from dalenius.synthesis.model.rows_given import rows_given


def test_rows_follow_the_law_of_the_mixture_given_the_known_columns():
    """Bayes by hand: P(component | x) ∝ w θ(x), then the second column; within six standard errors (1e-9)."""
    theta = np.array([[0.9, 0.1, 0.8, 0.2], [0.3, 0.7, 0.1, 0.9]], np.float32)
    mixture = Mixture(np.array([[0.25], [0.75]], np.float32), theta)
    times = np.full(20_000, 2)
    for level in (0, 1):
        first = 0.25 * theta[0, level] / (0.25 * theta[0, level] + 0.75 * theta[1, level])
        expected = first * 0.8 + (1 - first) * 0.1
        drawn = rows_given(mixture, Shape((2, 2), (False, False)), np.full((20_000, 1), level), times, PublicCoins("x"))
        assert drawn.shape == (40_000, 1)
        assert np.mean(drawn == 0) == pytest.approx(expected, abs=6.2 * 0.5 / 200)


def test_nobody_gets_no_rows():
    mixture = Mixture(np.array([[1.0]], np.float32), np.array([[0.5, 0.5, 0.5, 0.5]], np.float32))
    shape = Shape((2, 2), (False, False))
    assert rows_given(mixture, shape, np.zeros((3, 1), int), np.array([0, 2, 0]), PublicCoins("x")).shape == (2, 1)
    assert rows_given(mixture, shape, np.zeros((0, 1), int), np.zeros(0, int), PublicCoins("x")).shape == (0, 1)
