from fractions import Fraction

import numpy as np
import pytest
from sklearn import linear_model

from dalenius.learning import PoissonRegression
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson


def test_the_bound_holds_what_the_plain_loss_exceeds():
    margins, counts = np.log([[1e-6], [1.0], [8.0], [1e9]]), np.array([8.0, 3.0, 0.0, 0.0])
    assert Poisson(8.0).slopes(margins, counts)[:, 0] == pytest.approx([-1, -0.25, 1, 1], abs=1e-6)
    assert Poisson(8.0, Fraction(1, 2)).slopes(margins, counts)[:, 0] == pytest.approx([-0.5, -0.25, 0.5, 0.5])
    assert Poisson(8.0).gradient == 1
    assert Huber(Fraction(1, 4)).slopes(np.array([[3.0]]), np.zeros(1))[0, 0] == 0.25


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_with_many_rows_counts_are_the_plain_model_s(delta):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (100_000, 2))
    y = rng.poisson(np.exp(X @ [0.8, -0.5] + 0.3))
    made = PoissonRegression(3, delta=delta, bounds=(-1, 1), ceiling=12).fit(X, y)
    plain = linear_model.PoissonRegressor(alpha=0).fit(X, np.minimum(y, 12))
    assert made.coef_ == pytest.approx(plain.coef_, abs=0.1)
    assert made.intercept_ == pytest.approx(plain.intercept_, abs=0.1)
    firm = PoissonRegression(3, delta=delta, bounds=(-1, 1), ceiling=12, alpha=0.5).fit(X, y)
    plain = linear_model.PoissonRegressor(alpha=0.5).fit(X, np.minimum(y, 12))
    assert firm.coef_ == pytest.approx(plain.coef_, abs=0.1)
