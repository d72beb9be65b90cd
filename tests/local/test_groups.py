import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Frequency, Mean, difference, mean_difference


def test_equal_groups_are_rarely_told_apart_and_different_ones_are():
    protocol = Frequency(4, 2)
    rng = np.random.default_rng()
    null, level = 0, 0.05
    for _ in range(200):
        groups = [protocol.simulate(rng.choice(4, 2_000, p=[0.4, 0.3, 0.2, 0.1])) for _ in range(2)]
        null += difference(*groups).p_values[0] < level
    assert null <= 30  # 10 expected; 30 or more have probability below 1e-7
    assert null >= 1
    first = protocol.simulate(np.zeros(5_000, np.int64))
    second = protocol.simulate(np.arange(5_000) % 4)
    told = difference(first, second)
    assert told.p_value < 1e-6
    assert told.differences[0] > 0.5


def test_groups_need_one_domain():
    one = Frequency(2, 1).simulate([0, 1, 1])
    other = Frequency(3, 1).simulate([0, 1, 1])
    with pytest.raises(InvalidParameter, match="one domain"):
        difference(one, other)
    assert difference(one, one).p_value == 1.0


def test_means_of_two_groups_are_compared_with_the_noise_inside():
    protocol, rng = Mean(0, 10, 2), np.random.default_rng()
    rejected, runs = 0, 300
    for _ in range(runs):  # the same population: a level of 5 % rejects 15 of 300, standard deviation 3.8
        one, two = (protocol.simulate(rng.uniform(2, 6, 400)) for _ in range(2))
        rejected += mean_difference(one, two).p_value < 0.05
    assert rejected < 15 + 6 * 3.8
    apart = mean_difference(protocol.simulate(np.full(4_000, 7.0)), Mean(0, 20, 1).simulate(np.full(4_000, 3.0)))
    assert apart.p_value < 1e-6
    low, high = apart.interval(0.999999999)
    assert low <= 4 <= high
