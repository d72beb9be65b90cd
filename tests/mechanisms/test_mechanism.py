from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits
from tests.noise.seeded import SeededBits

TOP, BOTTOM = np.iinfo(np.int64).max, np.iinfo(np.int64).min


def test_release_adds_the_noise_of_the_law():
    answer = np.array([10, -3, 0], np.int64)
    mechanism = Geometric(Fraction(4))
    noise = mechanism.noise.sample(SeededBits(1), 3)
    assert (mechanism.release(answer, SeededBits(1)) == answer + noise).all()


def test_a_sum_beyond_int64_is_held_at_its_end():
    released = Geometric(Fraction(100)).release(np.array([TOP, BOTTOM] * 500, np.int64), Bits())
    near = 10_000  # P[|Z| > 10000] < 1e-40 at scale 100
    assert (released[0::2] >= TOP - near).all()
    assert (released[1::2] <= BOTTOM + near).all()
    assert (released[0::2] == TOP).any()
    assert (released[1::2] == BOTTOM).any()


def test_holding_is_a_function_of_the_sum_alone():
    mechanism = Geometric(Fraction(3))
    noise = mechanism.noise.sample(SeededBits(5), 200)
    for answer in (TOP, TOP - 1, TOP - 2, BOTTOM, BOTTOM + 1):
        expected = [min(max(answer + int(z), BOTTOM), TOP) for z in noise]
        assert mechanism.release(np.full(200, answer, np.int64), SeededBits(5)).tolist() == expected


def test_smaller_integer_types_are_taken_as_they_are():
    assert Geometric(Fraction(1, 100)).release(np.array([7], np.int8), SeededBits(0)).dtype == np.int64


def test_an_empty_answer_is_released_empty():
    assert Geometric(Fraction(1)).release(np.array([], np.int64), Bits()).size == 0


def test_interval_is_the_released_value_plus_and_minus_the_accuracy():
    mechanism = Geometric(Fraction(10))
    radius = mechanism.accuracy(0.05)
    assert mechanism.interval(100, 0.95) == (100 - radius, 100 + radius)
    assert mechanism.interval(100, 0.95, dimension=50)[1] > 100 + radius


@pytest.mark.parametrize("dimension", [0, -1, 1.5, True])
def test_a_dimension_that_is_none_is_refused(dimension):
    with pytest.raises(InvalidParameter, match="dimension"):
        Geometric(Fraction(1)).accuracy(0.05, dimension)


@pytest.mark.parametrize("beta", [0, -0.1, 1.1, float("nan")])
def test_a_level_that_cannot_be_met_is_refused(beta):
    with pytest.raises(InvalidParameter, match="beta"):
        Geometric(Fraction(1)).accuracy(beta)
