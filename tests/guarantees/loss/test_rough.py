"""A start for the search: near the truth, for a spike with a rare huge loss too."""

import math
from fractions import Fraction

import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.rough import near, rough_delta

KNOWN = [
    ("1/1000", "1", 1000, 1.0, 2.5409303946914686824e-13),  # tests/golden/accounting.toml
    ("1/10000", "1", 2, 0.0052744522346200319484, 1e-8),  # the same
]


def composition(rate, sigma, steps):
    return LossComposition.of([(pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate)), steps)])


@pytest.mark.parametrize(("rate", "sigma", "steps", "epsilon", "delta"), KNOWN)
def test_delta_is_told_to_a_factor_of_e(rate, sigma, steps, epsilon, delta):
    rough = rough_delta(composition(rate, sigma, steps), epsilon)
    assert abs(rough.log_delta - math.log(delta)) < 1
    assert rough.slope > 0


@pytest.mark.parametrize("start", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("rate", "sigma", "steps", "epsilon", "delta"), KNOWN)
def test_epsilon_is_found_from_any_start(rate, sigma, steps, epsilon, delta, start):
    assert near(composition(rate, sigma, steps), math.log(delta), start * epsilon) == pytest.approx(epsilon, rel=0.1)
