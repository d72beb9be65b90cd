from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.plans import centre
from dalenius.learning.plans import descent as module
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.descent import Descent, schedule
from dalenius.learning.sums.gradient import GradientSum
from dalenius.learning.sums.losses import ClippedLogistic, ClippedSoftmax
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, labels, rows


def plan(relation=Relation.ADD_REMOVE, rows=1000, epsilon=1, delta=1e-5, loss=None):
    budget = FitBudget.of(epsilon, delta, relation, counted=rows is None)
    return Descent(
        Box.declare((-1, 1), FEATURES), loss or ClippedLogistic(), budget, True, rows, (), ClassLabels((0, 1))
    )


def spent(plan, monkeypatch):
    """Σ (Δ/σ)² over all that a run releases but the count: σ as drawn, Δ from what a row of the unit ball does."""
    view, total, now = Rows(rows(), labels(len(rows()))), Fraction(0), {"mean": False}
    unit, mean, at = centre.UnitRows, module.noisy_mean, GradientSum.at

    def noted(box, digits, *more, **named):
        now["digits"] = digits
        return unit(box, digits, *more, **named)

    def meant(*given):
        now["mean"] = True
        found = mean(*given)
        now["mean"] = False
        return found

    def summed(self, weights):
        now["gradient"] = -self.step_exponent
        return at(self, weights)

    def watched(self, answer, bits):
        nonlocal total
        longest = Fraction(2 ** now["digits"]) if now["mean"] else Fraction(plan.loss.clip) * 2 ** now["gradient"]
        moved = longest * (1 if plan.budget.relation is Relation.ADD_REMOVE else 2)
        total += moved**2 / self.scale**2
        return np.asarray(answer, np.int64)

    monkeypatch.setattr(centre, "UnitRows", noted)
    monkeypatch.setattr(module, "noisy_mean", meant)
    monkeypatch.setattr(GradientSum, "at", summed)
    monkeypatch.setattr(Gaussian, "release", watched)
    plan.run(view, Bits())
    return total


@pytest.mark.theorem("A Thm 13.1", "A §13.8 GDP composition")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(("known", "epsilon"), [(50, 1), (1000, 1), (10**6, 1), (300, 0.01), (300, 30)])
def test_what_a_run_releases_stays_within_the_price(relation, known, epsilon, monkeypatch):
    made = plan(relation, known, epsilon)
    total = spent(made, monkeypatch)
    assert 0 < total <= made.budget.total
    if epsilon <= 1:
        assert total > made.budget.total * Fraction(99, 100)


def test_halved_sensitivity_overspends(monkeypatch):
    monkeypatch.setattr(
        GradientSum,
        "sensitivity",
        lambda self, relation, real=GradientSum.sensitivity: Sensitivity.root(
            real(self, relation).square / 4, real(self, relation).metric
        ),
    )
    made = plan()
    assert spent(made, monkeypatch) > made.budget.total


def test_the_price_is_fixed_before_data_and_implies_what_was_asked():
    made = plan(rows=None, epsilon="0.7", delta=1e-6)
    assert made.guarantee.delta(0.7) <= 1e-6
    assert made.guarantee.sum_form == (Fraction(7, 10), Fraction(1, 10**6))
    assert made.budget.rest + made.budget.total / 50 == made.budget.total


def test_the_schedule_grows_with_the_signal():
    steps = [schedule(n, 31, 1, 1.9).steps for n in (10, 200, 500, 2000, 10**5, 10**7)]
    assert steps == sorted(steps)
    assert steps[0] < steps[-1]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_no_data_makes_a_run_fail(count):
    data = rows()[len(rows()) - 12 :][:count]
    for loss in (ClippedLogistic(), ClippedSoftmax(3)):
        for known in (None, 5, 10**5):
            found = plan(rows=known, loss=loss).run(Rows(data, np.full(count, np.nan)), Bits())
            assert np.all(np.isfinite(found.notes["weights"]))


def test_a_clear_rule_is_learned():
    x = np.random.default_rng(0).uniform(-1, 1, (20_000, FEATURES))
    y = (x[:, 0] - x[:, 1] > 0.2).astype(float)
    found = np.array(plan(rows=20_000).run(Rows(x, y), Bits()).notes["weights"])[:, 0]
    assert found[0] > 5 > abs(found[2])
    assert found[1] < -5
    assert found[4] < 0
