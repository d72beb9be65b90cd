import itertools

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import CrossMoments, Table
from dalenius.queries.moments import FULL

CHANGE = Unit.row(Relation.CHANGE_ONE)


def test_covariances_follow_from_the_parts():
    rng = np.random.default_rng(7)
    rows = rng.multivariate_normal([0, 5], [[1, 0.5], [0.5, 2]], 50_000)
    query = CrossMoments(["a", "b"], [(-3, 3), (0, 10)])
    assert query.columns == ("count", "a", "b", "a*a", "a*b", "b*b")
    parts = query.evaluate(Table.of(rows, names=["a", "b"])) * float(query.lattice.step)
    n, a, b, aa, ab, bb = parts
    held = np.clip(rows, [-3, 0], [3, 10])
    widths = np.outer([3, 5], [3, 5])
    found = widths * (np.array([[aa, ab], [ab, bb]]) / n - np.outer([a, b], [a, b]) / n**2)
    assert n == 50_000
    assert np.allclose(found, np.cov(held.T, ddof=0), rtol=1e-7)


@pytest.mark.theorem("A Def 3.4")
@pytest.mark.parametrize("d", [1, 2, 3])
def test_bounds_on_a_change_hold_on_a_grid_and_are_near(d):
    names = [f"c{i}" for i in range(d)]
    query = CrossMoments(names, [(-1, 1)] * d, missing="nearest")
    axis = np.linspace(-1, 1, {1: 65, 2: 13, 3: 5}[d])
    points = np.array([query.evaluate(Table.of(np.array([p]), names=names)) for p in itertools.product(axis, repeat=d)])
    gaps = abs(points[:, None, :] - points[None, :, :]) / FULL
    l1, l2 = gaps.sum(axis=2).max(), (gaps**2).sum(axis=2).max()
    assert l1 <= query.sensitivity(CHANGE).l1 / FULL <= 1.2 * l1
    assert l2 <= query.sensitivity(CHANGE, Metric.L2).square / FULL**2 <= 1.5 * l2
    norms = abs(points) / FULL
    assert norms.sum(axis=1).max() == query.sensitivity(Unit.row()).l1 / FULL
    assert (norms**2).sum(axis=1).max() == query.sensitivity(Unit.row(), Metric.L2).square / FULL**2


def test_a_row_that_lacks_a_number_is_dropped_whole():
    table = Table.of({"a": [1.0, None, 1.0], "b": [1.0, 1.0, "text"]})
    assert CrossMoments(["a", "b"], [(0, 2), (0, 2)]).evaluate(table)[0] == FULL
    assert CrossMoments(["a", "b"], [(0, 2), (0, 2)], missing=(1, "drop")).evaluate(table)[0] == 2 * FULL


@pytest.mark.parametrize(
    ("columns", "bounds"),
    [("ab", [(0, 1)] * 2), ([], []), (["a", "a"], [(0, 1)] * 2), (["a"], []), (["a"], None), (["a"], [(1, 1)])],
)
def test_what_has_no_products_is_refused(columns, bounds):
    with pytest.raises(InvalidParameter):
        CrossMoments(columns, bounds)
