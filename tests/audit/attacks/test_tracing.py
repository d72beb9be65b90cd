import numpy as np
import pytest

from dalenius.audit.attacks import trace
from dalenius.errors import InvalidParameter

RNG = np.random.default_rng(2)


def population(people, attributes, chances):
    return (RNG.random((people, attributes)) < chances).astype(float)


def test_members_are_told_from_others_when_attributes_are_many():
    chances = RNG.uniform(0.1, 0.9, 2000)
    members, others, reference = (population(n, 2000, chances) for n in (50, 200, 400))
    means = members.mean(axis=0)
    assert trace(means, members, reference).members.mean() > 0.95
    # 200 others at level 0.05: 27 or more accused has probability below 1e-5
    assert trace(means, others, reference).members.sum() < 27


def test_noise_enough_for_privacy_hides_them():
    chances = RNG.uniform(0.1, 0.9, 2000)
    members, reference = population(50, 2000, chances), population(400, 2000, chances)
    means = members.mean(axis=0) + RNG.laplace(0, 2000 / 50, 2000)
    # at ε = 1 in all, the power exceeds the level by little: at most e·0.05
    assert trace(means, members, reference).members.mean() < 0.4


def test_bad_input_is_named():
    with pytest.raises(InvalidParameter, match="column"):
        trace([0.5], np.ones((2, 2)), np.ones((3, 1)))
    with pytest.raises(InvalidParameter, match="at least 99"):
        trace([0.5], np.ones((2, 1)), np.ones((3, 1)), level=0.01)
