from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.plans.whole_noise import moves, whole_gaussian, whole_knorm
from dalenius.neighbors import Metric, Relation, Sensitivity


@pytest.mark.parametrize("price", [Fraction(1, 7), Fraction(3), Fraction(1, 1000)])
def test_noise_costs_no_more_than_its_price(price):
    moved = Sensitivity(Fraction(10**8 + 1, 3), Metric.L2)
    assert whole_gaussian(moved, price).guarantee(moved).square <= price
    assert whole_knorm(moved, price).guarantee(moved).budget <= price
    assert whole_gaussian(moved, price).guarantee(moved).square > price * Fraction(99, 100)


def test_a_budget_without_exact_noise_is_refused():
    far = Sensitivity(2**60, Metric.L2)
    with pytest.raises(UnprovenClaim):
        whole_gaussian(far, Fraction(1))
    with pytest.raises(InvalidParameter):
        whole_knorm(far, Fraction(1))
    assert [moves(relation) for relation in (Relation.ADD_REMOVE, Relation.CHANGE_ONE)] == [1, 2]
