import numpy as np
import pytest

from dalenius.synthesis.model.mixture import (
    Evidence,
    Mixture,
    MixtureSettings,
    Shape,
    _Adam,
    fitted,
    misfit,
    to_simplex,
)
from dalenius.synthesis.model.public_coins import PublicCoins

SHAPE = Shape((3, 4, 2), (False, True, False))


def random_mixture(seed, components=3, labels=2):
    rng = np.random.default_rng(seed)
    theta = np.concatenate([rng.dirichlet(np.ones(size), components) for size in SHAPE.sizes], axis=1)
    weights = rng.dirichlet(np.ones(components * labels)).reshape(components, labels)
    return Mixture(weights.astype(np.float32), theta.astype(np.float32))


def evidence_of(mixture):
    owner = SHAPE.owner
    apart = (owner[:, None] != owner[None, :]).astype(np.float32)
    return Evidence(mixture.pairs() * apart, apart * 1e4, mixture.ones(), np.full(SHAPE.total, 1e4, np.float32))


def test_all_pair_tables_are_those_of_the_joint_law():
    mixture = random_mixture(0)
    parts = np.split(mixture.theta, SHAPE.starts[1:], axis=1)
    joint = np.einsum("ky,ka,kb,kc->yabc", mixture.weights, *parts)
    assert mixture.pairs()[:, 0:3, 3:7] == pytest.approx(joint.sum(axis=3), rel=1e-5)
    assert mixture.ones()[:, 7:] == pytest.approx(joint.sum(axis=(1, 2)), rel=1e-5)


def test_gradients_are_those_of_the_misfit_and_the_priors():
    settings = MixtureSettings(3, 1, 1, pull=0.3, smooth=0.7)
    state = _Adam(evidence_of(random_mixture(1)), SHAPE, settings, PublicCoins("g"))
    state.logits, state.tilt = state.logits.astype(np.float64), state.tilt.astype(np.float64)

    def loss():
        weights, theta = state.laws()
        apart = state.logits - state.logits.mean(axis=0)
        jumps = apart[:, SHAPE.steps] - apart[:, SHAPE.steps - 1]
        fit = misfit(Mixture(weights, theta), state._evidence) / 2
        return fit + 0.15 * (apart**2).sum() + 0.35 * (jumps**2).sum()

    weights, theta = state.laws()
    by_theta, by_weight = state._gradients(weights, theta)
    inner = np.add.reduceat(by_theta * theta, SHAPE.starts, axis=1)
    slope = theta * (by_theta - np.repeat(inner, SHAPE.sizes, axis=1)) + state._prior()
    tilt = weights * (by_weight - np.sum(weights * by_weight))
    for values, gradient in ((state.logits, slope), (state.tilt, tilt)):
        for at in [(0, 0), (1, 1), (2, 0)]:
            values[at] += 1e-4
            above = loss()
            values[at] -= 2e-4
            below = loss()
            values[at] += 1e-4
            assert gradient[at] == pytest.approx((above - below) / 2e-4, rel=2e-3, abs=2e-2)


def test_a_fit_to_exact_tables_finds_them_and_one_without_steps_does_not():
    truth = random_mixture(2)
    evidence = evidence_of(truth)
    good = fitted(evidence, SHAPE, MixtureSettings(12, 2, 600, 1e-4, 1e-4, 0.1), PublicCoins("f"))
    poor = fitted(evidence, SHAPE, MixtureSettings(12, 2, 1, 1e-4, 1e-4, 0.1), PublicCoins("f"))
    assert misfit(good, evidence) < 1
    assert misfit(poor, evidence) > 20 * misfit(good, evidence)
    assert good.weights.sum() == pytest.approx(1, rel=1e-5)


def test_laws_nearest_to_noisy_numbers_are_laws():
    rng = np.random.default_rng(3)
    for _ in range(50):
        values = rng.normal(size=5)
        law = to_simplex(values)
        assert law.sum() == pytest.approx(1)
        assert law.min() >= 0
        for _ in range(20):
            assert ((rng.dirichlet(np.ones(5)) - values) ** 2).sum() >= ((law - values) ** 2).sum() - 1e-12
