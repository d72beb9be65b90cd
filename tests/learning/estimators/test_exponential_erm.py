import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import ExponentialERM, KNormGradient
from dalenius.learning.solvers import stopped_rejection


def model(**more):
    return ExponentialERM(**({"epsilon": 2, "bounds": (0, 10), "target_bounds": (0, 100)} | more))


def test_a_solution_far_outside_is_drawn_at_the_rim(monkeypatch):
    monkeypatch.setattr(stopped_rejection, "STOP_EXPONENT", 31)  # few tries are accepted here: 2⁻¹³ stops one fit in 40
    x = np.linspace(0, 10, 2000)
    made = model(coefficient_bound=0.05).fit(x[:, None], 10 * x)
    assert not made.stopped_
    assert 0 < made.coef_[0] < 1


def test_a_median_line_is_found():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, 30_000)
    y = 20 + 3 * x + 40 * rng.uniform(size=30_000)
    made = model(loss="quantile").fit(x[:, None], y)
    assert np.mean(y <= made.predict(x[:, None])) == pytest.approx(0.5, abs=0.15)


def test_a_ridge_that_leaves_nothing_of_epsilon_is_refused():
    with pytest.raises(InvalidParameter, match="ridge"):
        model(epsilon="0.1", ridge="0.01").fit(np.ones((4, 1)), np.ones(4))


@pytest.mark.theorem("A Rem 7.4", "A Rem 7.6")
def test_the_gradient_is_the_better_guide():
    """80 fits each of 20 000 rows: the medians of the errors differ by a factor of about 15.

    The logarithm of the factor has a deviation of .2, so that it is below 3 with a probability below 1e-12.
    """
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (20_000, 1))
    y = np.clip(0.5 * x[:, 0] + 0.1 * rng.normal(size=20_000), -1, 1)
    plain = np.polyfit(x[:, 0], y, 1)[0]
    errors = [
        np.median([abs(kind(1, bounds=(-1, 1), target_bounds=(-1, 1)).fit(x, y).coef_[0] - plain) for _ in range(80)])
        for kind in (KNormGradient, ExponentialERM)
    ]
    assert errors[0] < errors[1] / 3


def test_in_an_l1_ball_many_features_cost_less_noise():
    """20 fits each of 10 000 rows and 8 features: the medians differ by a factor of about 2."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, (10_000, 8))
    y = np.clip(x @ [0.3, -0.2, 0, 0, 0, 0, 0, 0] + 0.1 * rng.normal(size=10_000), -1, 1)
    plain = np.linalg.lstsq(np.column_stack([x, np.ones(10_000)]), y, rcond=None)[0][:8]
    given, errors = {"epsilon": 1, "bounds": (-1, 1), "target_bounds": (-1, 1)}, []
    for name in ("l1", "l2"):
        made = [model(coefficient_norm=name, **given).fit(x, y) for _ in range(20)]
        errors.append(np.median([np.linalg.norm(one.coef_ - plain) for one in made]))
        assert not any(one.stopped_ for one in made)
    assert errors[0] < 0.8 * errors[1]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"coefficient_norm": "l3"}, "one of l2, l1"),
        ({"coefficient_norm": "l1", "loss": "quantile"}, "for the squared loss"),
        ({"coefficient_norm": "l1", "ridge": "0.01", "epsilon": "0.1"}, "ridge"),
    ],
)
def test_what_an_l1_ball_has_no_rule_for_is_refused(more, told):
    with pytest.raises(InvalidParameter, match=told):
        model(**more).fit(np.ones((4, 1)), np.ones(4))


def test_more_coefficients_than_an_l1_ball_can_be_drawn_in_are_refused():
    with pytest.raises(InvalidParameter, match="at most 32"):
        model(coefficient_norm="l1").fit(np.ones((4, 32)), np.ones(4))
