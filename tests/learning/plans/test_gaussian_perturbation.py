from fractions import Fraction

import numpy as np

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.plans import gaussian_perturbation as module
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fading import FitTerms
from dalenius.learning.plans.gaussian_perturbation import GaussianPerturbation
from dalenius.learning.sums.loss_bounds import Logistic
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, labels, rows


def plan(count, budget=None, **more):
    budget = budget or FitBudget.of(1, 1e-5, Relation.ADD_REMOVE)
    box, terms = Box.declare((-1, 1), FEATURES), FitTerms(count, **more)
    return GaussianPerturbation(box, Logistic(), budget, True, (), ClassLabels((0, 1)), terms)


def test_any_data_gives_finite_weights_for_the_price_asked():
    budget = FitBudget.of(0.5, 1e-6, Relation.ADD_REMOVE)
    for known in (1, 10**4, 10**9):
        made = plan(known, budget)
        for count in (0, 1, 60):
            data = np.tile(rows(), (2, 1))[-count:] if count else np.zeros((0, FEATURES))
            found = made.run(Rows(data, labels(count)), Bits())
            assert np.all(np.isfinite(found.notes["weights"]))
        assert made.guarantee.sum_form == (Fraction(1, 2), Fraction(1, 10**6))
        assert made.facts()["method"] == "gaussian objective perturbation"


def test_centre_and_linear_term_together_spend_what_is_proved(monkeypatch):
    """Σ (Δ/σ)² as drawn: the centre's Δ is 1 in its own steps, the linear term's the bound on slopes."""
    drawn = []
    real = Gaussian.release
    monkeypatch.setattr(Gaussian, "release", lambda self, x, bits: (drawn.append(self), real(self, x, bits))[1])
    for known, centred in ((1, False), (500, True), (10**7, False)):
        drawn.clear()
        made = plan(known)
        made.run(Rows(np.zeros((0, FEATURES)), np.zeros(0)), Bits())
        assert made.centred is centred
        assert len(drawn) == 1 + centred
        term = made.mechanism()
        exponent = 36 - int(np.floor(np.log2(term.deviation)))
        spent = (term.loss.gradient * Fraction(2) ** exponent / drawn[-1].scale) ** 2
        if centred:
            spent += (Fraction(2**18) / drawn[0].scale) ** 2
        assert made.first.square * Fraction(99, 100) < spent <= made.first.square


def test_slopes_and_rows_are_let_go_as_rows_grow_in_number():
    held = [plan(n).run(Rows(np.zeros((0, FEATURES)), np.zeros(0)), Bits()).notes for n in (10, 10**3, 10**4, 10**6)]
    slopes = [found["slopes"] for found in held]
    assert slopes[0] == 0.5
    assert slopes == sorted(slopes)
    assert slopes[-1] == 1
    assert held[-1]["radius"] == np.sqrt(FEATURES + 1)
    declared = plan(10, row_norm=1.5).run(Rows(np.zeros((0, FEATURES)), np.zeros(0)), Bits()).notes
    assert declared["radius"] == np.hypot(1.5, 1)
    assert declared["centre"] is None


def test_a_centre_that_costs_nothing_is_seen(monkeypatch):
    monkeypatch.setattr(module, "CENTRE_SHARE", Fraction(0))
    assert plan(500).mechanism().part == 1
