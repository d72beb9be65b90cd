import math
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import GDP, PoissonSampling, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.guarantees.notions.composition import Composition
from dalenius.ledger.charge import from_form, to_form
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import hockey_stick, number, renyi

ETAS = ["0.1", "1", "3"]


def two_points(eta, t):
    """The law with losses t and t − η: (P, Q)."""
    eta, t = number(eta), number(t)
    p = (1 - mp.e ** (t - eta)) / (1 - mp.e**-eta)
    return [p, 1 - p], [p * mp.e**-t, (1 - p) * mp.e ** (eta - t)]


@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("share", [0, "0.25", "0.5", "0.9"])
def test_delta_is_the_worst_over_all_intervals_and_attained(eta, share):
    epsilon = number(share) * number(eta)
    low, high = BoundedRange(eta).delta_interval(float(epsilon))
    told = [hockey_stick(*two_points(eta, number(eta) * k / 400), epsilon) for k in range(1, 400)]
    # the float that was asked about is not exactly ε: δ falls by less than the difference
    assert max(told) <= high + mp.mpf(10) ** -15
    assert max(told) >= low - mp.mpf("1e-5")
    assert hockey_stick(*two_points(eta, (epsilon + number(eta)) / 2), epsilon) >= low - mp.mpf(10) ** -15


@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("order", [2, "1.5", 30])
def test_renyi_divergence_is_never_below_a_member_and_within_the_concentrated_form(eta, order):
    claim = BoundedRange(eta)
    for k in range(1, 40):
        p, q = two_points(eta, number(eta) * k / 40)
        assert renyi(p, q, order) <= claim.renyi(order) * (1 + mp.mpf(10) ** -14)
    assert claim.renyi(order) <= float(claim.concentrated_form.rho * Fraction(order)) * (1 + 1e-12)


def test_a_range_costs_a_quarter_of_a_pure_mechanism_in_zcdp_and_never_more():
    assert BoundedRange(Fraction(1, 100)).concentrated_form.rho == Fraction(1, 80_000)
    for eta in (Fraction(1, 100), Fraction(1), Fraction(20)):
        assert BoundedRange(eta).concentrated_form.rho <= PureDP(eta).concentrated_form.rho


@pytest.mark.parametrize("eta", ETAS)
def test_it_is_never_weaker_than_pure_and_equal_at_delta_zero(eta):
    claim, pure = BoundedRange(eta), PureDP(eta)
    assert claim.epsilon(0) == pure.epsilon(0)
    for delta in (1e-9, 1e-3, 0.1):
        assert claim.epsilon(delta) <= pure.epsilon(delta) * (1 + 1e-6)
    for epsilon in (0, 0.05, 0.5, 2):
        assert claim.delta(epsilon) <= pure.delta(epsilon)


def test_many_releases_beat_pure_composition_and_adding_stays_a_range():
    many = BoundedRange(0.1).repeat(100)
    assert many.epsilon(1e-6) < 0.6 * PureDP(0.1).repeat(100).epsilon(1e-6)
    assert many == BoundedRange(0.1).compose(*[BoundedRange(0.1)] * 99)
    assert many.epsilon(0) == 10.0
    assert many.sum_form == (10, 0)
    assert many.delta_interval(1.0)[0] == 0.0
    assert BoundedRange(1).compose(BoundedRange(2)).ranges == ((Fraction(1), 1), (Fraction(2), 1))


def test_many_releases_are_not_understated():
    # three two-point laws with the same interval, all outcomes enumerated
    claim = BoundedRange(1).repeat(3)
    for t in ("0.4", "0.5", "0.6"):
        p, q = two_points(1, t)
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            products = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
            law = [[mp.fprod(side[i] for i in each) for each in products] for side in (p, q)]
            assert hockey_stick(*law, epsilon) <= claim.delta(epsilon)


def test_unlike_parts_count_it_as_pure():
    mixed = BoundedRange(1).compose(PureDP(1))
    assert isinstance(mixed, Composition)
    assert mixed == PureDP(1).compose(BoundedRange(1))
    assert BoundedRange(1).compose(GDP(1)).epsilon(1e-5) > 0
    assert BoundedRange(1).amplify(PoissonSampling(0.1)) == PureDP(1).amplify(PoissonSampling(0.1))
    assert BoundedRange(1).gaussian_form == PureDP(1).gaussian_form


@pytest.mark.theorem("A Prop 3.2")
def test_groups_add_lengths():
    assert BoundedRange(1).group(3) == BoundedRange(3)
    assert BoundedRange(1).to(Relation.CHANGE_ONE) == BoundedRange(2, Relation.CHANGE_ONE)
    with pytest.raises(MixedRelations):
        BoundedRange(1, Relation.CHANGE_ONE).to(Relation.ADD_REMOVE)


def test_nothing_costs_nothing():
    assert BoundedRange(0).delta(0) == 0.0
    assert BoundedRange(0) == BoundedRange(1).repeat(0)
    assert BoundedRange(0).parts == PureDP(0).parts


def test_the_ledger_keeps_its_ranges_exactly():
    for kept in (BoundedRange(0), BoundedRange(1), BoundedRange("1/3").repeat(4).compose(BoundedRange(2))):
        assert from_form(to_form(kept)) == kept


def test_it_prints_its_length():
    assert repr(BoundedRange(1)) == "BoundedRange(1)"
    assert repr(BoundedRange(1, Relation.CHANGE_ONE).repeat(2)) == "BoundedRange(2 × 1, Relation.CHANGE_ONE)"
    assert "range of its privacy loss" in str(BoundedRange(1))


@pytest.mark.parametrize("eta", [-1, math.nan, math.inf, "x"])
def test_a_length_that_is_none_is_refused(eta):
    with pytest.raises(InvalidParameter, match="eta"):
        BoundedRange(eta)
