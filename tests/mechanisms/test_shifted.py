import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.guarantees import GDP, PoissonSampling, PureDP, SubsetSampling, TradeOff
from dalenius.mechanisms.shifted import DiscreteGaussianLoss, GeometricLoss, LaplaceLoss, at_least
from dalenius.neighbors import Relation
from dalenius.noise import DiscreteLaplace

CLAIMS = [
    LaplaceLoss(Fraction(1)),
    GeometricLoss(Fraction(1, 2), 3),
    DiscreteGaussianLoss(Fraction(2), 1),
    DiscreteGaussianLoss(Fraction(5), 4),
]
EPSILONS = [0.0, 0.0625, 0.3125, 0.6875, 0.9375]  # exact in binary: a claim takes 0.95 as 95/100, the engine as a float


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_the_closed_form_lies_between_the_bounds_of_the_loss_engine(claim):
    for epsilon in EPSILONS:
        low, high = claim.loss().delta_interval(epsilon)
        mine = claim.delta_interval(epsilon)
        assert low <= mine[1]
        assert mine[0] <= high
        assert mine[1] - mine[0] <= 1e-15


@pytest.mark.theorem("A Lem 11", "A Rem 13.4", "A Thm 13.3")
@pytest.mark.parametrize("steps", [2, 3, 7])
def test_geometric_noise_steps_apart_is_the_chain_of_single_steps(steps):
    # randomized response is one step, and its chain is computed from its vertices, not from any noise
    chained = TradeOff.of_profile([(Fraction(1, 4), 0)]).group(steps)
    claim = GeometricLoss(Fraction(1, 4), steps)
    for epsilon in [0.0, 0.1, 0.3, 0.5, 1.0, 1.7]:
        assert claim.delta(epsilon) == pytest.approx(chained.delta(epsilon), abs=1e-15)


@pytest.mark.theorem("A Lem 11")
def test_thresholds_chain_for_laplace_and_for_the_discrete_gaussian():
    for one, three in ((LaplaceLoss(Fraction(1, 2)), LaplaceLoss(Fraction(3, 2))),):
        for alpha in (0.01, 0.1, 0.3, 0.6, 0.9):
            chained = one.beta(1 - one.beta(1 - one.beta(alpha)))
            assert chained == pytest.approx(three.beta(alpha), abs=1e-12)
    assert DiscreteGaussianLoss(Fraction(3), 2).group(3) == DiscreteGaussianLoss(Fraction(3), 6)


def test_a_vector_in_l1_shows_no_more_than_one_number_moving_as_far():
    # two coordinates move by 1 and 2; every event of the joint law against the claim for 3
    scale, reach = Fraction(3, 2), 40
    mass = np.exp([DiscreteLaplace(scale).log_mass(k) for k in range(-reach, reach + 1)])
    p = np.outer(mass, mass)
    q = np.outer(np.roll(mass, 1), np.roll(mass, -2))
    claim = GeometricLoss(1 / scale, 3)
    for epsilon in (0.0, 0.2, 0.5, 1.0, 1.9):
        assert np.maximum(0, p - math.exp(epsilon) * q)[5:-5, 5:-5].sum() <= claim.delta(epsilon) + 1e-9


def test_laplace_beta_is_its_trade_off_function():
    claim = LaplaceLoss(Fraction(1))
    for alpha in (0.05, 0.2, 0.4, 0.7):
        t = math.log(2 * alpha) if alpha < 0.5 else -math.log(2 * (1 - alpha))  # reject below t: level alpha
        t1 = t + 1
        miss = math.exp(-t1) / 2 if t1 > 0 else 1 - math.exp(t1) / 2  # the other law lies one scale lower
        assert claim.beta(alpha) == pytest.approx(miss, rel=1e-12)
    assert claim.beta(0) == 1
    assert claim.beta(1) == 0


@pytest.mark.parametrize("claim", CLAIMS[:2], ids=repr)
def test_bounded_losses_are_pure_for_every_filter_and_stay_so_composed(claim):
    pure = PureDP(claim.bound)
    assert claim.sum_form == pure.sum_form
    assert claim.concentrated_form == pure.concentrated_form
    assert claim.gaussian_form == pure.gaussian_form
    assert claim.epsilon(0) == pure.epsilon(0)
    assert claim.repeat(5).sum_form == (5 * claim.bound, 0)
    assert claim.compose(PureDP(2), claim).sum_form == (2 + 2 * claim.bound, 0)
    assert PureDP(2).compose(claim).sum_form == (2 + claim.bound, 0)
    assert claim.compose(GDP(1)).sum_form is None
    rho = pure.concentrated_form.rho
    assert claim.repeat(5).concentrated_form == (5 * rho, 0)
    assert claim.compose(GDP(1)).concentrated_form == (rho + Fraction(1, 2), 0)
    assert str(claim).startswith(str(PureDP(claim.bound)).split(" for")[0])


def test_sampling_lowers_the_bound_of_a_loss_as_it_does_a_pure_budget():
    for sampling, relation in (
        (PoissonSampling(0.1), Relation.ADD_REMOVE),
        (SubsetSampling(1, 10), Relation.CHANGE_ONE),
    ):
        sampled = LaplaceLoss(Fraction(1), relation).amplify(sampling)
        assert sampled.sum_form == PureDP(1, relation).amplify(sampling).sum_form
        assert sampled.delta(sampled.sum_form[0] + Fraction(1, 10**6)) == 0


def test_an_unbounded_loss_has_no_budget_to_add():
    claim = DiscreteGaussianLoss(Fraction(2), 1)
    assert claim.sum_form is None
    assert claim.gaussian_form is None
    assert claim.epsilon(0) == math.inf
    assert claim.concentrated_form.rho == Fraction(1, 8)
    assert claim.repeat(2).concentrated_form is None
    assert "1e-06" in str(claim)


@pytest.mark.parametrize("steps", [1500, 2**20 + 1])
def test_many_steps_are_taken_some_at_once_and_never_too_few(steps):
    claim = GeometricLoss(Fraction(1, steps), steps)
    loss = claim.loss()
    for epsilon in (0.0, 0.31, 0.83):
        assert claim.delta(epsilon) <= loss.delta(epsilon) <= claim.delta(epsilon) * 1.01 + 1e-6
    assert loss.sum_form == (1, 0)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_change_one_is_a_group_of_two(claim):
    assert claim.to(Relation.CHANGE_ONE) == claim.further(2)._under(Relation.CHANGE_ONE)
    assert claim.group(0) == PureDP(0)
    assert claim.renyi(2) == pytest.approx(claim.loss().renyi(2))


def test_upper_tails_on_both_sides_of_zero():
    law = DiscreteLaplace(1)
    assert float(at_least(law, 1).mid()) == pytest.approx(law.tail(0) / 2)
    assert float((at_least(law, 0) + at_least(law, 1)).mid()) == pytest.approx(1)
    assert float((at_least(law, -3) + at_least(law, 4)).mid()) == pytest.approx(1)
