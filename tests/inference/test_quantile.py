import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter
from tests.inference.releases import counts, generator, least_hits, release_of

PLAN = st.histogram("x", edges=np.linspace(0, 10, 101).tolist(), epsilon=1)


@pytest.mark.parametrize(("q", "truth"), [("0.5", 10 * (1 - 0.5 ** (1 / 3))), ("0.9", 10 * (1 - 0.1 ** (1 / 3)))])
def test_the_quantile_is_held_as_often_as_was_said(q, truth):
    rng, hits = generator(), 0
    for _ in range(60):
        found = inference.quantile(release_of(PLAN, {"x": 10 * rng.beta(1, 3, 800)}), q)
        hits += found.interval[0] <= truth <= found.interval[1]
        assert found.interval[0] <= found.estimate <= found.interval[1]
    assert hits >= least_hits(60, 0.94)
    assert found.width < 4


def test_without_people_everything_is_possible():
    found = inference.quantile(release_of(st.histogram("x", edges=[0, 1, 2], epsilon="0.1"), {"x": []}))
    assert found.limits == (0, 2)


def test_a_histogram_over_keys_has_no_quantiles():
    with pytest.raises(InvalidParameter, match="edges"):
        inference.quantile(counts(["a"], 1))
    with pytest.raises(InvalidParameter):
        inference.quantile(release_of(PLAN, {"x": [1.0]}), 1)
