import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.queries import Bins, Contributions, Table

EDGES = [
    np.linspace(0, 100, 101),
    np.array([0.1 * i for i in range(11)]),
    np.array([-5.0, 0, 0.3, 7, 1e9]),
    np.array([0.0, 1.0]),
    np.linspace(1e15, 1e15 + 64, 17),
    np.array([5e-324, 1e-323, 3e-323]),
]


@pytest.mark.parametrize("edges", EDGES, ids=str)
def test_bins_are_those_of_numpy(edges):
    near = np.concatenate([np.nextafter(edges, -np.inf), edges, np.nextafter(edges, np.inf)])
    rng = np.random.default_rng(8)
    spread = rng.normal(edges.mean(), edges.std(), 20_000)
    values = np.concatenate([near, spread, [-np.inf, np.inf, 1e308, -1e308, 0.0, -0.0]])
    assert Bins("x", edges).evaluate(Table({"x": values})).tolist() == np.histogram(values, edges)[0].tolist()
    gaps = np.append(values, [np.nan] * 3)
    assert Bins("x", edges).evaluate(Table({"x": gaps})).tolist() == np.histogram(values, edges)[0].tolist()


@given(
    edges=st.lists(st.floats(-1e200, 1e200), min_size=2, max_size=6, unique=True),
    values=arrays(np.float64, st.integers(0, 20), elements=st.floats(width=64)),
)
def test_every_row_falls_in_the_bin_that_holds_it(edges, values):
    try:
        query = Bins("x", sorted(edges))
    except InvalidParameter:
        return
    ends = list(query.edges)
    expected = [int(((values >= low) & (values < high)).sum()) for low, high in itertools.pairwise(ends)]
    expected[-1] += int((values == ends[-1]).sum())
    assert query.evaluate(Table({"x": values})).tolist() == expected
    users = Contributions("u", 1)
    weighted = Bins("x", sorted(edges), users).evaluate(Table({"x": values, "u": np.arange(len(values))}))
    assert weighted.tolist() == [2**20 * count for count in expected]


def test_bins_have_names():
    assert Bins("age", [0, 10, 20.5]).keys.values == ("[0.0, 10.0)", "[10.0, 20.5]")


@pytest.mark.parametrize("edges", [[], [1], [1, 1], [2, 1], [0, float("nan")], [0, float("inf")], [0, 10**400]])
def test_edges_that_hold_nothing_are_refused(edges):
    with pytest.raises(InvalidParameter, match="edges"):
        Bins("x", edges)
    with pytest.raises(UnboundedQuery):
        Bins("x", None)
