import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.queries import Keys
from tests.inference.releases import generator, release_of

BY = Keys("g", ["a", "b", "c"])


def answer(rng, shift=0.0, n=600, epsilon=1, **more):
    g = rng.integers(0, 3, n)
    x = rng.beta(1, 3, n) + shift * (g == 2)
    data = {"x": x, "g": np.array(["a", "b", "c"])[g], "u": np.arange(n) // 2}
    return release_of(st.mean("x", (0, 1), epsilon=epsilon, by=BY, **more), data)


def test_equal_means_are_seldom_rejected_and_unequal_ones_often():
    rng = generator()
    rejected = sum(inference.test_means(answer(rng), draws=99).rejected() for _ in range(60))
    assert rejected <= 17  # a chance of 1e-9 at 5 %
    assert inference.test_means(answer(np.random.default_rng(3), 0.3)).rejected(0.01)


def test_two_releases_are_two_groups():
    plan = st.mean("x", (0, 1), epsilon=1)
    one, other = (release_of(plan, {"x": [k] * 300}, number=i) for i, k in ((2, 0.2), (3, 0.8)))
    assert inference.test_means(one, other).rejected(0.01)
    for releases in ((), (one,), (one, one)):
        with pytest.raises(InvalidParameter):
            inference.test_means(*releases)
    with pytest.raises(InvalidParameter, match="draws"):
        inference.test_means(one, other, draws=2)


def test_people_in_several_groups_are_refused():
    with pytest.raises(UnprovenClaim, match="contributions=1"):
        inference.test_means(answer(np.random.default_rng(1), unit="u", contributions=2))
