import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Frequency, Mean, difference, mean_difference
from tests.noise.fit import FALSE_ALARM, binomial_p_value


def test_equal_groups_are_rarely_told_apart_and_different_ones_are():
    protocol = Frequency(4, 2)
    rng = np.random.default_rng()
    null, level = 0, 0.05
    for _ in range(2000):
        groups = [protocol.simulate(rng.choice(4, 2_000, p=[0.4, 0.3, 0.2, 0.1])) for _ in range(2)]
        null += difference(*groups).p_values[0] < level
    # 100 expected; errors told a quarter too small would reject 283 of 2000, a quarter too large 29
    assert binomial_p_value(null, 2000, level) > FALSE_ALARM
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
    rejected, runs = 0, 1000
    for _ in range(runs):
        one, two = (protocol.simulate(rng.uniform(2, 6, 400)) for _ in range(2))
        rejected += mean_difference(one, two).p_value < 0.05
    # the same population: 50 expected; errors told a quarter too small would reject 142
    assert binomial_p_value(rejected, runs, 0.05) > FALSE_ALARM
    apart = mean_difference(protocol.simulate(np.full(4_000, 7.0)), Mean(0, 20, 1).simulate(np.full(4_000, 3.0)))
    assert apart.p_value < 1e-6
    low, high = apart.interval(0.999999999)
    assert low <= 4 <= high
