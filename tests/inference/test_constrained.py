import numpy as np
import pytest
from scipy.optimize import minimize

from dalenius import inference
from dalenius.errors import InvalidParameter
from dalenius.inference.constrained import Constraints, covariance_under, nearest

MARGINS = np.vstack([np.eye(6), [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]])


def test_no_other_numbers_under_the_constraints_fit_better():
    """Against scipy's general solver, on the sum of squares that is made least."""
    rng = np.random.default_rng(0)
    for _ in range(15):
        y, v, total = rng.normal(2, 6, 8), rng.uniform(1, 5, 8), float(rng.uniform(3, 20))

        def misfit(x, y=y, v=v):
            return np.sum((y - MARGINS @ x) ** 2 / v)

        found = inference.least_squares(y, v, MARGINS, nonnegative=True, total=str(total))
        best = minimize(
            misfit,
            np.full(6, total / 6),
            bounds=[(0, None)] * 6,
            constraints=[{"type": "eq", "fun": lambda x, total=total: x.sum() - total}],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert misfit(found.values) <= best.fun + 1e-6
        assert found.values.min() >= 0
        assert found.values.sum() == pytest.approx(total)


def test_with_one_variance_it_is_the_projection():
    found = inference.least_squares([12, -3, 5, 1, -7, 20], [1] * 6, np.eye(6), nonnegative=True, total=25)
    assert found.values == pytest.approx([8, 0, 1, 0, 0, 16])
    assert found.biased
    assert found.interval()[1][0] == 0


def test_a_known_total_takes_its_part_of_the_covariance():
    """Of three numbers with variance 1 and a known sum, each keeps 2/3, and two of them have −1/3 together."""
    found = inference.least_squares([4, 5, 9], [1, 1, 1], np.eye(3), total=15)
    assert found.values == pytest.approx([3, 4, 8])
    assert found.covariance == pytest.approx(np.eye(3) - 1 / 3)
    assert not found.biased


def test_covariances_under_known_sums_are_those_of_draws():
    rng = np.random.default_rng(1)
    x, v = np.array([3.0, 5, 2, 4, 1, 6]), np.array([4.0] * 6 + [1.0] * 2)
    told = inference.least_squares(MARGINS @ x, v, MARGINS, total=21, sums=[([1, -1, 0, 0, 0, 0], -2.0)])
    drawn = np.array(
        [
            inference.least_squares(y, v, MARGINS, total=21, sums=[([1, -1, 0, 0, 0, 0], -2.0)]).values
            for y in MARGINS @ x + rng.normal(0, np.sqrt(v), (1500, 8))
        ]
    )
    assert drawn.mean(axis=0) == pytest.approx(x, abs=0.3)
    assert np.cov(drawn.T) == pytest.approx(told.covariance, abs=0.35)
    assert drawn[:, 0] - drawn[:, 1] == pytest.approx(np.full(1500, -2.0))


def test_holding_numbers_at_zero_brings_them_no_farther_from_the_truth():
    """In the metric of the inverse covariance, since the truth is among what they are held to."""
    rng, x, v = np.random.default_rng(2), np.array([0.0, 0, 7, 0, 1, 2]), np.array([4.0] * 6 + [1.0] * 2)
    for y in MARGINS @ x + rng.normal(0, np.sqrt(v), (40, 8)):
        free, held = (inference.least_squares(y, v, MARGINS, nonnegative=one) for one in (False, True))
        inverse = np.linalg.inv(free.covariance)
        away = [(found.values - x) @ inverse @ (found.values - x) for found in (free, held)]
        assert away[1] <= away[0] + 1e-9


def test_what_cannot_be_met_is_refused():
    one = ([1], [1], [[1.0]])
    for more in (
        {"total": -1, "nonnegative": True},
        {"sums": [([1, 2], 3)]},
        {"sums": [([1.0], float("nan"))]},
        {"total": 1, "sums": [([2.0], 5.0)]},
    ):
        with pytest.raises(InvalidParameter):
            inference.least_squares(*one, **more)


def test_without_constraints_nothing_changes():
    none = Constraints.of(2, False, None, ())
    assert not none.any
    covariance = np.array([[2.0, 1], [1, 3]])
    assert nearest(np.array([1.0, -2]), covariance, none)[0].tolist() == [1, -2]
    assert covariance_under(covariance, none, np.ones(2, bool)) is covariance
