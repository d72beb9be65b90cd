"""The density of the minimum is written down and compared between neighbors."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.fading import FitTerms
from dalenius.learning.plans.gaussian_objective import GaussianObjective
from dalenius.learning.plans.objective import SOLVER_SHARE, ObjectivePerturbation, Perturbation, least_ridge
from dalenius.learning.solvers.convex_terms import BallDomain, Separable
from dalenius.learning.solvers.solver import Objective, minimum
from dalenius.learning.sums.hinge import HuberHinge
from dalenius.learning.sums.loss_bounds import Logistic, Softmax
from dalenius.learning.sums.regression_loss_bounds import Huber, Poisson
from dalenius.mechanisms import KNorm
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, labels, rows

LOSSES = [Logistic(), Logistic(Fraction(1, 2)), Softmax(3), Huber(Fraction(1, 2)), Poisson(4.0)]
LOSSES.append(HuberHinge(Fraction(1, 2)))


def log_density(loss, x, y, at, ridge, scale):
    """log of exp(−Σ‖V_k‖/scale)·|det ∂V/∂a| at weights `at` of shape (d, outputs), by the formulas of the notes."""
    d, k = at.shape
    margins = x @ at
    v = x.T @ loss.slopes(margins, y) + ridge * at
    hessian = ridge * np.eye(d * k)
    for i in range(len(x)):
        curve = np.column_stack(
            [loss.bend(margins[i : i + 1], y[i : i + 1], np.eye(k)[j : j + 1])[0] for j in range(k)]
        )
        hessian += np.kron(np.outer(x[i], x[i]), curve)
    return -np.linalg.norm(v, axis=0).sum() / scale + np.linalg.slogdet(hessian)[1]


def worst_loss(loss, epsilon, ridge, scale, relation, seed=0):
    """The largest log ratio found over neighbors and outputs, hostile rows of the unit sphere included."""
    rng, worst = np.random.default_rng(seed), 0.0
    for trial in range(300):
        n, d = rng.integers(0, 3), rng.integers(1, 3)
        x = rng.normal(size=(n + 1, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        y = rng.integers(0, max(2, loss.outputs), n + 1).astype(float)
        at = rng.normal(size=(d, loss.outputs)) * 10.0 ** rng.uniform(-3, 2)
        if trial % 2:
            at = np.outer(x[0], rng.normal(size=loss.outputs)) * 10.0 ** rng.uniform(-2, 1)
        if relation is Relation.ADD_REMOVE:
            pair = (x, y), (x[1:], y[1:])
        else:
            x2, y2 = x.copy(), y.copy()
            x2[0], y2[0] = -x[0] if trial % 3 else x[0], (y[0] + 1) % max(2, loss.outputs)
            pair = (x, y), (x2, y2)
        one, two = (log_density(loss, *each, at, ridge, scale) for each in pair)
        worst = max(worst, abs(one - two))
    return worst


@pytest.mark.theorem("A Thm 6.1", "A §6.1 objective perturbation")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_no_neighbors_are_told_apart_by_more_than_epsilon(loss, epsilon, relation):
    for made in (
        ObjectivePerturbation.balanced(loss, epsilon, 2 * loss.outputs, relation),
        ObjectivePerturbation(loss, epsilon, least_ridge(loss, epsilon) * Fraction(11, 10), relation),
    ):
        scale = float(moved(loss, relation) / made.noise_epsilon)
        limit = float(made.epsilon * (1 - SOLVER_SHARE))
        assert worst_loss(loss, epsilon, float(made.ridge), scale, relation) <= limit * (1 + 1e-9)


def moved(loss, relation):
    return loss.gradient * (1 if relation is Relation.ADD_REMOVE else 2)


@pytest.mark.parametrize("loss", [Logistic(Fraction(1, 2)), Huber(Fraction(1, 2))], ids=repr)
def test_a_dropped_ridge_or_half_the_noise_is_seen(loss):
    made = ObjectivePerturbation(loss, 1, least_ridge(loss, 1) * 2)
    scale = float(loss.gradient / made.noise_epsilon)
    limit = float(made.epsilon * (1 - SOLVER_SHARE))
    assert worst_loss(loss, 1, float(made.ridge) / 20, scale, Relation.ADD_REMOVE) > limit
    assert worst_loss(loss, 1, float(made.ridge), scale / 2, Relation.ADD_REMOVE) > limit


def test_the_printed_form_for_a_loss_of_higher_rank_is_seen():
    """With λ and rank one, as the notes state it, a softmax of many classes would cost more than ε."""
    loss, ridge = Softmax(6), 0.05
    claimed = np.log1p(0.5 / ridge)  # λ = ½ is the largest eigenvalue of diag p − ppᵀ
    uniform = np.zeros((1, 6))
    one = log_density(loss, np.ones((1, 1)), np.zeros(1), uniform, ridge, 1e9)
    none = log_density(loss, np.ones((0, 1)), np.zeros(0), uniform, ridge, 1e9)
    assert one - none > claimed
    assert one - none <= 5 * np.log1p(float(loss.trace) / (5 * ridge)) * (1 + 1e-12)


def test_the_noise_drawn_is_the_noise_of_the_proof(monkeypatch):
    drawn = []
    monkeypatch.setattr(KNorm, "noise", lambda self, bits, dimension: (drawn.append(self), [0] * dimension)[1])
    made = ObjectivePerturbation.balanced(Logistic(), 1, 5, Relation.CHANGE_ONE)
    made.release([(np.zeros((0, 5)), np.zeros(0))], 5, Bits())
    linear, cover = drawn
    exponent = 36 - int(np.floor(np.log2(float(2 / made.noise_epsilon))))
    assert linear.scale / 2**exponent >= Fraction(2) / made.noise_epsilon  # Δ = 2 · 1
    radius = Fraction(2) ** -16 / made.ridge
    assert cover.scale / Fraction(2) ** (24 - int(np.floor(np.log2(float(2 * radius / made.epsilon * 100))))) >= (
        2 * radius / (made.epsilon * SOLVER_SHARE)
    )


def test_what_is_proved_of_the_ridge_is_what_is_run():
    made = ObjectivePerturbation(Logistic(), 1, Fraction(10, 3))
    assert made.ridge >= Fraction(10, 3)
    assert Fraction(float(made.ridge)) == made.ridge


class NotConvex(Logistic):
    convex = False


def test_losses_that_state_nothing_or_are_not_convex_are_refused():
    with pytest.raises(UnprovenClaim, match="must state"):
        ObjectivePerturbation(object(), 1, 1)
    with pytest.raises(UnprovenClaim, match="convex"):
        ObjectivePerturbation(NotConvex(), 1, 1)
    with pytest.raises(InvalidParameter, match="ridge is too small"):
        ObjectivePerturbation(Logistic(), 1, least_ridge(Logistic(), 1) / 2)
    assert 0.85 < ObjectivePerturbation.balanced(Logistic(), 1, 31).q < 1
    assert ObjectivePerturbation.balanced(Softmax(4), 2, 31).guarantee().budget == 2


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=repr)
def test_any_data_gives_finite_weights(loss):
    plan = Perturbation(
        Box.declare((-1, 1), FEATURES),
        loss,
        FitBudget.of(0.5, 0, Relation.ADD_REMOVE),
        True,
        (),
        ClassLabels((0, 1, 2)[: max(2, loss.outputs)]),
        FitTerms(1000),
    )
    for count in (0, 1, 200):
        data = np.tile(rows(), (5, 1))[-count:] if count else np.zeros((0, FEATURES))
        found = plan.run(Rows(data, labels(count)), Bits())
        assert np.all(np.isfinite(found.notes["weights"]))
    assert plan.guarantee.epsilon(0) == 0.5


@pytest.mark.theorem("A §6.2 error rate", "A Rem 6.3", "A Rem 6.2")
def test_the_error_falls_as_one_over_the_rows_and_grows_with_the_dimension():
    """Noise of length about Δ·m/(εq) over a Hessian that grows with n: four times the rows, a quarter of the error."""

    def error(n, d):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(n, d))
        x = np.trunc(x / np.linalg.norm(x, axis=1, keepdims=True) * 2**18 * (1 - 1e-9))
        y = (x[:, 0] + rng.normal(size=n) * 2**18 > 0).astype(float)
        made = ObjectivePerturbation(Logistic(), 4, 3)
        plain = minimum(Objective([(x, y)], 18, Logistic(), 3.0, np.zeros((d, 1))), (d, 1))
        gaps = [np.linalg.norm(made.release([(x, y)], d, Bits()) - plain) for _ in range(60)]
        return np.mean(gaps)

    few, many, wide = error(500, 2), error(2000, 2), error(2000, 8)
    assert 2 < few / many < 8
    assert wide > 3 * many


def person_s_loss(loss, made, weights):
    """The largest log ratio between data with and without a person of two orthogonal rows, of these weights."""
    scale, worst = float(loss.gradient / made.noise_epsilon), 0.0
    rng = np.random.default_rng(0)
    for _ in range(400):
        x = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        y = rng.integers(0, max(2, loss.outputs), 2).astype(float)
        at = rng.normal(size=(2, loss.outputs)) * 10.0 ** rng.uniform(-3, 2)
        found = []
        for share in (np.zeros(2), weights):
            margins = x @ at
            v = x.T @ (share[:, None] * loss.slopes(margins, y)) + float(made.ridge) * at
            hessian = float(made.ridge) * np.eye(2 * loss.outputs)
            for i in range(2):
                eye = np.eye(loss.outputs)
                bend = [loss.bend(margins[i : i + 1], y[i : i + 1], eye[j : j + 1])[0] for j in range(loss.outputs)]
                hessian += share[i] * np.kron(np.outer(x[i], x[i]), np.column_stack(bend))
            found.append(-np.linalg.norm(v, axis=0).sum() / scale + np.linalg.slogdet(hessian)[1])
        worst = max(worst, abs(found[0] - found[1]))
    return worst


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3), Huber(Fraction(1, 2))], ids=repr)
def test_a_person_of_many_rows_costs_no_more_than_epsilon_and_counted_one_by_one_does(loss):
    made = ObjectivePerturbation.balanced(loss, 1, 2 * loss.outputs, rank=2 * loss.rank)
    limit = float(made.epsilon * (1 - SOLVER_SHARE))
    assert person_s_loss(loss, made, np.full(2, 0.5)) <= limit * (1 + 1e-9)
    assert person_s_loss(loss, made, np.array([1.0, 0.0])) <= limit * (1 + 1e-9)
    assert person_s_loss(loss, made, np.full(2, 20.0)) > limit
    assert made.noise_epsilon < ObjectivePerturbation(loss, 1, made.ridge).noise_epsilon  # the rank is paid for


def test_a_loss_too_steep_for_exact_sums_is_refused():
    with pytest.raises(UnprovenClaim, match="rescale"):
        ObjectivePerturbation(Huber(Fraction(9)), 1, 5)
    assert ObjectivePerturbation(Huber(Fraction(8)), 1, 5).guarantee().budget == 1


INF = float("inf")
TERMS = [
    Separable((0.7, 0.3), (-INF, -0.4), (INF, 0.5)),
    Separable((0.0, 0.0), (0.0, 0.0), (INF, 1.0)),
    BallDomain(0.6),
]


def log_density_of_subgradients(loss, term, x, y, z, ridge, scale):
    """log density of z = w + s, s a subgradient of r at w = prox(z); Jacobians by differences, none of the proof."""

    def linear_term(z):
        w = term.nearest(z, 1.0)
        return x.T @ loss.slopes(x @ w, y) + ridge * w + (z - w)

    step = 1e-6
    turn = [(linear_term(z + step * e) - linear_term(z - step * e))[:, 0] / (2 * step) for e in np.eye(2)[:, :, None]]
    return -np.linalg.norm(linear_term(z)) / scale + np.linalg.slogdet(np.column_stack(turn))[1]


def worst_loss_with(term, loss, ridge, scale, seed=0):
    rng, worst = np.random.default_rng(seed), 0.0
    for _ in range(400):
        x = rng.normal(size=(rng.integers(1, 4), 2))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        y = rng.integers(0, 2, len(x)).astype(float)
        z = rng.normal(size=(2, 1)) * 10.0 ** rng.uniform(-2, 1)
        pair = ((x, y), (x[1:], y[1:]))
        one, two = (log_density_of_subgradients(loss, term, *each, z, ridge, scale) for each in pair)
        worst = max(worst, abs(one - two))
    return worst


@pytest.mark.theorem("A Thm 6.1")
@pytest.mark.parametrize("term", TERMS, ids=repr)
@pytest.mark.parametrize("loss", [Logistic(), HuberHinge(Fraction(1, 2))], ids=repr)
def test_a_convex_term_and_a_region_of_weights_cost_nothing_more(loss, term):
    made = ObjectivePerturbation(loss, 1, least_ridge(loss, 1) * 2)
    scale, limit = float(loss.gradient / made.noise_epsilon), float(made.epsilon * (1 - SOLVER_SHARE))
    assert worst_loss_with(term, loss, float(made.ridge), scale) <= limit * (1 + 1e-4)
    assert worst_loss_with(term, loss, float(made.ridge) / 50, scale) > limit  # the ridge is what pays


def test_the_chance_of_an_exact_zero_and_of_the_rim_is_within_epsilon():
    """One weight with a lasso in [−1, 1]: atoms at 0 and at both ends, from the law of the linear term alone."""
    loss, pull = Logistic(), 2.0
    made = ObjectivePerturbation(loss, 1, least_ridge(loss, 1) * 2)
    scale, ridge = float(loss.gradient / made.noise_epsilon), float(made.ridge)

    def atoms(x, y):
        def force(w):
            return float((x[:, 0] * loss.slopes(x * w, y)[:, 0]).sum() + ridge * w)

        def below(v):
            return 0.5 * np.exp(min(v, 0) / scale) if v < 0 else 1 - 0.5 * np.exp(-v / scale)

        ends = below(-force(1) - pull), 1 - below(pull - force(-1))
        return np.array([below(pull - force(0)) - below(-pull - force(0)), *ends])

    for x, y in ((1.0, 1.0), (-1.0, 1.0), (0.5, 0.0)):
        more, less = np.array([[0.3], [-0.9], [x]]), np.array([[0.3], [-0.9]])
        ratio = atoms(more, np.array([0.0, 1.0, y])) / atoms(less, np.array([0.0, 1.0]))
        assert np.abs(np.log(ratio)).max() <= float(made.epsilon)


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_weights_are_released_within_their_region(term):
    x = np.trunc(np.random.default_rng(0).normal(size=(50, 2)) * 2**15)
    for kind in (ObjectivePerturbation(Logistic(), 1, 2), GaussianObjective(Logistic(), 1, 1e-6, 2)):
        for _ in range(5):
            weights = kind.release([(x, np.ones(50))], 2, Bits(), None, term)
            assert term.nearest(weights, 0.0) == pytest.approx(weights, abs=1e-12)
