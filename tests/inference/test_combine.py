import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.queries import Keys
from tests.inference.releases import release_of

MARGINS = np.vstack([np.eye(6), [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]])


def test_two_measurements_of_one_number_are_weighed_by_their_variances():
    found = inference.least_squares([103, 95], [2, 8])
    assert found.values == pytest.approx([101.4])
    assert found.variances == pytest.approx([1.6])


def test_cells_and_their_row_sums_agree():
    """Cells 10 22 31 | 5 14 2 (variance 4) and row sums 60, 25 (variance 1): thirteenths, worked by hand."""
    found = inference.least_squares([10, 22, 31, 5, 14, 2, 60, 25], [4] * 6 + [1] * 2, MARGINS)
    assert found.values * 13 == pytest.approx([118, 274, 391, 81, 198, 42])
    assert found.variances * 13 == pytest.approx([36] * 6)
    total, variance = found.total([1, 1, 1, 0, 0, 0])
    assert total * 13 == pytest.approx(783)
    assert variance * 13 == pytest.approx(12)
    low, high = found.interval()[0]
    assert high - low == pytest.approx(2 * 1.959964 * np.sqrt(36 / 13), rel=1e-6)


def test_numbers_are_projected_to_a_total():
    assert inference.project([12, -3, 5, 1, -7, 20], 25).tolist() == [8, 0, 1, 0, 0, 16]
    assert inference.project([3, -1]).tolist() == [3, 0]
    rng = np.random.default_rng(2)
    for _ in range(50):
        x, other = rng.normal(0, 5, 6), rng.dirichlet(np.ones(6)) * 7
        held = inference.project(x.tolist(), 7)
        assert held.min() >= 0
        assert held.sum() == pytest.approx(7)
        assert np.sum((held - x) ** 2) <= np.sum((other - x) ** 2) + 1e-9


def test_releases_of_a_table_and_of_its_margins_are_combined_by_their_keys():
    data = {"g": ["a"] * 30 + ["b"] * 20, "h": [0, 1] * 25}
    both = st.count(epsilon=1, by=Keys.product(Keys("g", ["a", "b"]), Keys("h", [0, 1])))
    one = st.count(epsilon=1, by=Keys("g", ["a", "b"]))
    plans = (both, one, st.count(epsilon=1))
    releases = [release_of(plan, data, number=i) for i, plan in enumerate(plans)]
    found = inference.combine(*releases)
    assert found.keys == (("a", 0), ("a", 1), ("b", 0), ("b", 1))
    assert found.values == pytest.approx([15, 15, 10, 10], abs=12)
    single = 2 * np.exp(-1) / (1 - np.exp(-1)) ** 2
    assert np.all(found.variances < single)
    with pytest.raises(InvalidParameter, match="one draw"):
        inference.combine(releases[0], releases[0])
    other = release_of(st.count(epsilon=1, by=Keys("k", [1, 2, 3])), data | {"k": [1] * 50}, number=9)
    with pytest.raises(UnprovenClaim, match="add up"):
        inference.combine(releases[0], other)


def test_what_does_not_fit_is_refused():
    for call in (
        lambda: inference.least_squares([1, 2], [1]),
        lambda: inference.least_squares([1, 2], [1, 0]),
        lambda: inference.least_squares([1], [1], [[1, 1]]),
        lambda: inference.least_squares([1], [1]).total([1, 2]),
        lambda: inference.project([]),
        lambda: inference.project([1], -1),
        lambda: inference.combine(),
    ):
        with pytest.raises(InvalidParameter):
            call()
