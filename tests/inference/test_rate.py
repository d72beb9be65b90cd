import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.mechanisms import Geometric
from tests.inference.releases import generator, least_hits, release_of


@pytest.mark.parametrize(("y", "scale", "low", "high"), [(52, 2, 37.844174623, 69.279447343), (3, 1, 0, 9.720903303)])
def test_ends_are_the_printed_ones(y, scale, low, high):
    assert inference.rate(y, mechanism=Geometric(scale)).interval == pytest.approx((low, high), abs=2e-9)


def test_the_rate_is_held_as_often_as_was_said():
    rng, hits, a = generator(), 0, np.exp(-0.5)
    for _ in range(300):
        y = rng.poisson(6.0) + rng.geometric(1 - a) - rng.geometric(1 - a)
        low, high = inference.rate(int(y), 0.9, mechanism=Geometric(2)).interval
        hits += low <= 6.0 <= high
    assert hits >= least_hits(300, 0.9)


def test_a_release_of_one_count_is_a_rate():
    answer = release_of(st.count(epsilon=1), {"x": range(60)})
    found = inference.rate(answer)
    assert found.interval[0] < 60 < found.interval[1]
    assert found.coverage == "guaranteed"
