from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Labels
from dalenius.learning.plans.budget import Budget
from dalenius.learning.plans.gaussian_objective import GaussianObjective, GaussianPerturbation
from dalenius.learning.plans.objective import SOLVER_SHARE
from dalenius.learning.sums.loss_bounds import Huber, Logistic, Poisson, Softmax
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, labels, rows

LOSSES = [Logistic(), Huber(Fraction(1, 2)), Poisson(4.0)]
GRID = np.linspace(-30, 30, 12_001)


def density(loss, x, y, ridge, deviation):
    """Of the minimum in one dimension, on a grid: φ(V(a)/σ)/σ · V'(a), V' summed from `bend`; written out again."""
    margins = np.outer(GRID, x)
    v, bend = ridge * GRID, np.full_like(GRID, ridge)
    for i in range(len(x)):
        m = margins[:, i : i + 1]
        told = np.full(len(GRID), y[i])
        v = v + x[i] * loss.slopes(m, told)[:, 0]
        bend = bend + x[i] ** 2 * loss.bend(m, told, np.ones_like(m))[:, 0]
    return norm.pdf(v / deviation) / deviation * bend


def worst_delta(loss, epsilon, ridge, deviation, relation, trials=24):
    """The largest δ at ε between neighbors, integrated; both directions, hostile rows included."""
    rng, worst, step = np.random.default_rng(1), 0.0, GRID[1] - GRID[0]
    for trial in range(trials):
        n = rng.integers(0, 3)
        x = rng.choice([-1.0, 1.0, 0.5], n + 1)
        y = rng.integers(0, 2, n + 1).astype(float)
        if relation is Relation.ADD_REMOVE:
            pair = (x, y), (x[1:], y[1:])
        else:
            x2, y2 = x.copy(), y.copy()
            x2[0], y2[0] = -x[0] if trial % 2 else x[0], 1 - y[0]
            pair = (x, y), (x2, y2)
        one, two = (density(loss, *each, ridge, deviation) for each in pair)
        for p, q in ((one, two), (two, one)):
            worst = max(worst, np.maximum(p - np.exp(epsilon) * q, 0).sum() * step)
    return worst


@pytest.mark.theorem("A §6.1 objective perturbation")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_density_of_neighbors_stays_within_the_profile(loss, relation):
    made = GaussianObjective(loss, 1, 0.05, 2, relation)
    for epsilon in (0.6, 0.99, 1.5):
        found = worst_delta(loss, epsilon, float(made.ridge), made.deviation, relation)
        assert found <= made.profile(epsilon) * (1 + 1e-6) + 1e-9
    assert made.profile(float(made.epsilon * (1 - SOLVER_SHARE))) <= 0.05


def test_a_dropped_ridge_or_half_the_noise_is_seen():
    made = GaussianObjective(Logistic(), 1, 0.01, 2)
    at, limit = 0.99, made.profile(0.99)
    assert worst_delta(Logistic(), at, float(made.ridge), made.deviation / 2, Relation.ADD_REMOVE) > limit
    assert worst_delta(Logistic(), at, float(made.ridge) / 20, made.deviation, Relation.ADD_REMOVE) > limit


def test_the_profile_is_the_integral_of_the_bound_on_the_loss():
    """E(1 − e^(ε − c − μ|Z| − μ²/2))⁺ by quadrature, two signs."""
    made = GaussianObjective(Logistic(), 1, 1e-3, 3)
    mu, c = float(made.square) ** 0.5, np.log1p(0.25 / 3)
    for epsilon in (0.5, 1.0):
        spare = epsilon - c - mu**2 / 2
        start = max(0.0, spare / mu)
        real = 2 * quad(lambda z, s=spare: (1 - np.exp(s - mu * z)) * norm.pdf(z), start, start + 12, epsabs=1e-14)[0]
        assert made.profile(epsilon) == pytest.approx(real, rel=1e-6)


@pytest.mark.parametrize("relation", Relation)
def test_rényi_is_the_moment_of_the_bound_on_the_loss(relation):
    made = GaussianObjective(Logistic(), 2, 1e-4, 1, relation)
    mu, c = float(made.square) ** 0.5, np.log1p(0.25)
    for order in (1.5, 2, 8):
        a = order - 1
        moment = 2 * quad(lambda z, a=a: np.exp(a * mu * z) * norm.pdf(z), 0, 40)[0]
        many = 1 if relation is Relation.ADD_REMOVE else 2
        assert made.renyi(order) == pytest.approx(c + mu**2 / 2 + np.log(many * moment) / a, rel=1e-9)
    with pytest.raises(InvalidParameter):
        made.renyi(1)


@pytest.mark.parametrize("relation", Relation)
def test_the_noise_drawn_is_the_noise_of_the_proof(relation, monkeypatch):
    drawn = []
    real = Gaussian.release
    monkeypatch.setattr(Gaussian, "release", lambda self, x, bits: (drawn.append(self), real(self, x, bits))[1])
    made = GaussianObjective.balanced(Logistic(), 1, 1e-5, 5, relation)
    made.release([(np.zeros((0, 5)), np.zeros(0))], 5, Bits())
    exponent = 36 - int(np.floor(np.log2(made.deviation)))
    moved = Fraction(1, 2) if relation is Relation.ADD_REMOVE else Fraction(1)
    scale = drawn[0].scale / Fraction(2) ** exponent
    assert moved**2 / made.square <= scale**2 <= moved**2 / made.square * Fraction(1001, 1000)
    assert made.guarantee().delta(1) <= 1e-5
    assert made.guarantee().relation is relation


def test_what_has_no_proof_is_refused():
    with pytest.raises(UnprovenClaim, match="one predictor"):
        GaussianObjective(Softmax(3), 1, 1e-5, 1)
    with pytest.raises(InvalidParameter, match="delta"):
        GaussianObjective(Logistic(), 1, 0, 1)
    with pytest.raises(InvalidParameter, match="ridge is too small"):
        GaussianObjective(Logistic(), 1, 1e-5, 0.01)


def test_any_data_gives_finite_weights_for_the_price_asked():
    budget = Budget.of(0.5, 1e-6, Relation.ADD_REMOVE)
    plan = GaussianPerturbation(Box.declare((-1, 1), FEATURES), Logistic(), budget, True, (), Labels((0, 1)))
    for count in (0, 1, 60):
        data = np.tile(rows(), (2, 1))[-count:] if count else np.zeros((0, FEATURES))
        found = plan.run(Rows(data, labels(count)), Bits())
        assert np.all(np.isfinite(found.notes["weights"]))
    assert plan.guarantee.sum_form == (Fraction(1, 2), Fraction(1, 10**6))
    assert plan.facts()["method"] == "gaussian objective perturbation"
