from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.plans.gaussian_objective import GaussianObjective
from dalenius.learning.plans.objective import SOLVER_SHARE
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson
from dalenius.mechanisms import Gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits

LOSSES = [Logistic(), Logistic(Fraction(1, 2)), Huber(Fraction(1, 2)), Poisson(4.0)]
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
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
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
    moved = Fraction(1) if relation is Relation.ADD_REMOVE else Fraction(2)
    scale = drawn[0].scale / Fraction(2) ** exponent
    assert moved**2 / made.square <= scale**2 <= moved**2 / made.square * Fraction(1001, 1000)
    assert made.guarantee().delta(1) <= 1e-5
    assert made.guarantee().relation is relation


class Uncornered(Huber):
    """Says it has many predictors, and names no corners."""

    outputs = 3

    def __init__(self, knee):
        super().__init__(Fraction(knee))


def minima(loss, rows, v, ridge):
    """The minimum for each drawn linear term, by Newton's steps, and log|det ∂V/∂a| there; (draws, width, outputs)."""
    a = np.zeros_like(v)
    for _ in range(25):
        gradient, hessian = slope_of(loss, rows, a, ridge)
        a = a - np.linalg.solve(hessian, (gradient + v).reshape(len(v), -1, 1)).reshape(v.shape)
    return a, np.linalg.slogdet(slope_of(loss, rows, a, ridge)[1])[1]


def slope_of(loss, rows, a, ridge):
    """Gradient and second derivative of Σ ω g + γ‖a‖²/2 at each a, written out from slopes and bends."""
    draws, width, outputs = a.shape
    gradient, hessian = ridge * a, np.tile(ridge * np.eye(width * outputs), (draws, 1, 1))
    for x, y, share in rows:
        m, told = np.einsum("w,dwk->dk", x, a), np.full(draws, float(y))
        gradient = gradient + share * np.einsum("w,dk->dwk", x, loss.slopes(m, told))
        bends = np.stack([loss.bend(m, told, np.tile(e, (draws, 1))) for e in np.eye(outputs)], axis=2)
        hessian += share * np.einsum("w,v,dkl->dwkvl", x, x, bends).reshape(draws, width * outputs, -1)
    return gradient, hessian


def hockey_stick(loss, one, two, epsilon, made, draws=4000):
    """E(1 − e^(ε − loss))⁺ of the minimum under `one` against `two`, by drawing V; the loss is exact for each draw."""
    v = np.random.default_rng().normal(size=(draws, len(one[0][0]), loss.outputs)) * made.deviation
    a, log_det = minima(loss, one, v, float(made.ridge))
    gradient, hessian = slope_of(loss, two, a, float(made.ridge))
    lost = (gradient**2).sum(axis=(1, 2)) - (v**2).sum(axis=(1, 2))
    lost = lost / (2 * made.deviation**2) + log_det - np.linalg.slogdet(hessian)[1]
    found = np.maximum(1 - np.exp(epsilon - lost), 0)
    return found.mean(), found.std() / draws**0.5


BASE = [(np.array([1.0, 0.0]), 0, 1.0), (np.array([-0.6, 0.8]), 1, 1.0)]


@pytest.mark.theorem("A §6.1 objective perturbation")
@pytest.mark.parametrize("relation", Relation)
def test_classes_stay_within_the_profile_of_their_corners(relation):
    """A mean of 4000 draws in [0, 1] lies 7 standard errors above its expectation with a chance below 1e-9."""
    loss = Softmax(3)
    made = GaussianObjective(loss, 1, 0.05, 2, relation)
    more = [(np.array([0.6, 0.8]), 2, 1.0)]
    other = BASE if relation is Relation.ADD_REMOVE else [*BASE, (np.array([0.6, 0.8]), 0, 1.0)]
    for pair in (([*BASE, *more], other), (other, [*BASE, *more])):
        mean, error = hockey_stick(loss, *pair, 0.99, made)
        assert mean <= made.profile(0.99) + 7 * error
    assert made.profile(0.99) <= 0.05


PERSON = [(np.array([1.0, 0.0]), 1), (np.array([0.8, 0.6]), 1), (np.array([0.6, -0.8]), 0), (np.array([0.0, 1.0]), 1)]


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=repr)
def test_a_person_of_many_rows_stays_within_delta_and_counted_one_by_one_does_not(loss):
    """False alarms as above; the mutant's δ is several times the bound, and must be seen."""
    made = GaussianObjective(loss, 1, 0.05, 3, rank=2 * loss.rank)
    for count in (2, 4):
        person = [(x, y, 1 / count) for x, y in PERSON[:count]]
        for pair in (([*BASE, *person], BASE), (BASE, [*BASE, *person])):
            mean, error = hockey_stick(loss, *pair, 0.99, made)
            assert mean <= 0.05 + 7 * error
    counted = [(x, 1, 1.0) for x, _ in PERSON[:2]] * 4
    mean, error = hockey_stick(loss, BASE, [*BASE, *counted], 0.99, made)
    assert mean > 0.05 + 7 * error


def test_moments_pay_for_what_is_claimed_of_them():
    """δ by the Rényi bound at the order that is best for the μ² found, with mpmath's numbers, is at most δ."""
    made = GaussianObjective(Logistic(), 1, 1e-5, 3, rank=4)
    mu2, left = float(made.square), float(made.noise_epsilon)
    orders = 1 + np.geomspace(0.01, 1e4, 4000)
    logs = (orders - 1) * (orders * mu2 / 2 - left) + (orders - 1) * np.log1p(-1 / orders) - np.log(orders)
    assert 0.97e-5 <= 2 * np.exp(logs.min()) <= 1e-5
    assert made.square < GaussianObjective(Logistic(), 1, 1e-5, 3).square


def test_what_was_spent_before_is_taken_from_the_linear_term():
    whole, part = (GaussianObjective(Logistic(), 1, 1e-5, 3, part=p) for p in (Fraction(1), Fraction(19, 20)))
    assert part.square == whole.square
    assert part.deviation == pytest.approx(whole.deviation / 0.95**0.5)
    assert part.mechanism(30).scale >= Fraction(part.deviation) * 2**30


def test_what_has_no_proof_is_refused():
    with pytest.raises(UnprovenClaim, match="one predictor"):
        GaussianObjective(Uncornered(3), 1, 1e-5, 1)
    with pytest.raises(UnprovenClaim, match="renyi"):
        GaussianObjective(Logistic(), 1, 1e-5, 5, rank=4).profile(1)
    with pytest.raises(InvalidParameter, match="part"):
        GaussianObjective(Logistic(), 1, 1e-5, 5, part=Fraction(0))
    with pytest.raises(InvalidParameter, match="delta"):
        GaussianObjective(Logistic(), 1, 0, 1)
    with pytest.raises(InvalidParameter, match="ridge is too small"):
        GaussianObjective(Logistic(), 1, 1e-5, 0.01)
