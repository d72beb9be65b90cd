import math
from fractions import Fraction

import pytest

from dalenius.local.oracles import KAryResponse


@pytest.mark.theorem("A Thm 3.1", "A Ex 3.2")
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_two_values_are_the_randomized_response_of_the_notes(epsilon):
    oracle, e = KAryResponse(2, epsilon), math.exp(epsilon)
    coin = 2 / (1 + e)
    assert float(oracle.own) == pytest.approx(1 - coin / 2, rel=1e-15)
    assert math.log((2 - coin) / coin) == pytest.approx(math.log(oracle.odds), rel=1e-12)
    for share in (0, 0.3, 1):
        stated = (e / (e - 1) ** 2 + share * (1 - share)) / 100
        assert oracle.population_variance(100, share) == pytest.approx(stated, rel=1e-12)


def test_the_chance_of_the_truth_is_the_largest_that_keeps_epsilon():
    oracle = KAryResponse(10, Fraction(2))
    assert float(oracle.own) == pytest.approx(math.exp(2) / (math.exp(2) + 9), rel=1e-15)
    assert oracle.most_supported == 1
