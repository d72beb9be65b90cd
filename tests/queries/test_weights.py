import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.queries import ONE, WEIGHTS, Contributions, Count, DistinctUnits, Keys, Moments, Sum, Table
from dalenius.queries.weights import shift


@pytest.mark.theorem("G complaints count")
@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 7))
def test_no_unit_weighs_more_than_its_contributions(units, most):
    codes = np.array(units, np.int64)
    weights = Contributions("u", most).weights(codes)
    for unit in set(units):
        mine = weights[codes == unit]
        assert mine.sum() <= most * ONE
        assert len(set(mine)) == 1
        assert mine[0] == min(ONE, most * ONE // len(mine))


def test_only_final_rows_share_a_units_weight():
    """Counted over all its rows, a unit would weigh less than it may: three rows of ten count in full here."""
    keys = ["a"] * 3 + ["undeclared"] * 7
    table = Table.of({"u": ["p"] * 10, "k": keys, "x": [1.0] * 3 + [float("nan")] * 7})
    three = Contributions("u", 3)
    assert Count(Keys("k", ["a"]), three).evaluate(table).tolist() == [3 * ONE]
    assert Sum("x", (0, 1), contributions=three).evaluate(table).tolist() == [3 * ONE]
    assert Count(contributions=three).evaluate(table).tolist() == [10 * (3 * ONE // 10)]
    by_group = DistinctUnits(Contributions("u", 1), Keys("k", ["a", "b"]))
    assert by_group.evaluate(table).tolist() == [ONE, 0]


def test_rows_that_count_as_missing_share_the_weight_too():
    table = Table.of({"u": [1, 1], "x": [1.0, None]})
    query = Moments("x", (0, 1), contributions=Contributions("u", 1), count_missing=True)
    zero, one, missing = (query.evaluate(table) * query.lattice.step).tolist()
    assert (zero, one, missing) == (0, 0.5, 0.5)


def test_rows_of_nobody_are_dropped():
    table = Table.of({"u": [None, float("nan"), 1, [2]], "x": [1, 1, 1, 1]})
    assert Count(contributions=Contributions("u", 9)).evaluate(table).tolist() == [ONE]


def test_a_weighted_row_fits_in_34_bits():
    for bits in (1, 14, 15, 31, 32):
        most = 2**bits - 1
        assert (most * ONE) >> shift(most) < 2**34
        assert shift(most) == 0 or most * ONE >= 2**34
    assert WEIGHTS.step * ONE == 1


def test_contributions_follow_the_unit():
    assert Contributions.of(Unit.row(), None) is None
    assert Contributions.of(Unit("u"), 4) == Contributions("u", np.int64(4))
    with pytest.raises(UnboundedQuery, match="how many"):
        Contributions.of(Unit("u"), None)
    with pytest.raises(InvalidParameter, match="leave it out"):
        Contributions.of(Unit.row(), 4)


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3", 2**30 + 1])
def test_a_bound_that_is_none_is_refused(most):
    with pytest.raises(InvalidParameter, match="contributions"):
        Contributions("u", most)
    with pytest.raises(InvalidParameter, match="column"):
        Contributions("", 3)
