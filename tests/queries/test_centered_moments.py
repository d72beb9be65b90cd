import itertools

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import CenteredMoments, Table
from dalenius.queries.moments import FULL

CHANGE = Unit.row(Relation.CHANGE_ONE)


def test_mean_and_variance_follow_where_the_number_of_rows_is_public():
    x = np.random.default_rng(6).normal(50, 20, 100_000)
    held = np.clip(x, 10, 110)
    query = CenteredMoments("x", (10, 110), 2)
    s, ss = query.evaluate(Table.of({"x": x})) * float(query.lattice.step) / len(x)
    assert 60 + 50 * s == pytest.approx(held.mean(), abs=1e-7)
    assert 50**2 * (ss - s**2) == pytest.approx(held.var(), rel=1e-8)
    assert CenteredMoments("x", (10, 110)).evaluate(Table.of({"x": x})) / FULL / len(x) == pytest.approx(s)


@pytest.mark.theorem("A Def 3.4")
def test_the_bounds_on_a_change_are_those_of_a_grid_of_all_pairs():
    grid = np.linspace(0, 1, 65)  # with ¼ and 1, where the ℓ1 distance is largest
    for degree, l1, l2 in ((1, 2, 4), (2, 9 / 4, 4)):
        query = CenteredMoments("x", (0, 1), degree)
        points = np.array([query.evaluate(Table({"x": np.array([t])})) for t in grid]) / FULL
        gaps = np.array([abs(a - b) for a, b in itertools.combinations(points, 2)])
        for metric, most in ((Metric.L1, l1), (Metric.L2, l2)):
            found = gaps.sum(axis=1) if metric is Metric.L1 else (gaps**2).sum(axis=1)
            assert found.max() == pytest.approx(most, rel=1e-8)
            claimed = query.sensitivity(CHANGE, metric)
            value = claimed.value if metric is Metric.L1 else claimed.square
            steps = FULL if metric is Metric.L1 else FULL**2
            assert found.max() <= value / steps <= most * (1 + 1e-8)


def test_a_row_cannot_be_dropped_where_the_number_of_rows_is_public():
    with pytest.raises(InvalidParameter, match="public"):
        CenteredMoments("x", (0, 1), missing="drop")
    with pytest.raises(InvalidParameter, match="degree"):
        CenteredMoments("x", (0, 1), 3)
