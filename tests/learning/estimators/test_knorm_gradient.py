import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning import KNormGradient
from dalenius.learning.plans.pinball import PinballCells, PinballGradient
from dalenius.learning.plans.squared_gradient import SquaredGradient
from dalenius.learning.solvers import stopped_rejection as stopped


def model(**more):
    return KNormGradient(**({"epsilon": 2, "bounds": (0, 10), "target_bounds": (0, 100)} | more))


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, SquaredGradient),
        ({"loss": "quantile"}, PinballGradient),
        ({"loss": "quantile", "fit_intercept": False}, PinballCells),
    ],
)
def test_the_plan_is_the_one_that_the_loss_allows(more, kind, monkeypatch):
    seen = []
    monkeypatch.setattr(
        kind,
        "run",
        lambda self, view, bits: (
            seen.append(self) or self.outcome(np.ones((self.rows.width, 1)), None, 1, stopped=False)
        ),
    )
    model(**more).fit(np.ones((4, 1)), np.ones(4))
    assert type(seen[0]) is kind


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_a_quantile_line_is_found(level):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, 30_000)
    y = 20 + 3 * x + 40 * rng.uniform(size=30_000)
    made = model(loss="quantile", level=level).fit(x[:, None], y)
    assert np.mean(y <= made.predict(x[:, None])) == pytest.approx(level, abs=0.08)


def test_a_ridge_below_the_proof_is_refused():
    with pytest.raises(InvalidParameter, match="ridge must be at least"):
        model(ridge=0.1).fit(np.ones((4, 1)), np.ones(4))
    assert model(ridge=5).fit(np.ones((4, 1)), np.ones(4)).n_iter_ == 1


def test_a_solution_far_outside_stops_and_says_so(monkeypatch):
    monkeypatch.setattr(stopped, "STOP_EXPONENT", 8)
    x = np.linspace(0, 10, 2000)
    made = model(coefficient_bound=0.05).fit(x[:, None], 10 * x)
    assert made.stopped_
    assert made.coef_.tolist() == [0.0]
    assert made.intercept_ == 50
