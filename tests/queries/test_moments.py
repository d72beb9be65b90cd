import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import Contributions, Keys, Moments, Table
from dalenius.queries.moments import FULL, PlaceInBounds

FINITE = st.floats(allow_nan=False)


def statistics(query, cells):
    """Count, mean and variance by the formulas of the docstring."""
    parts = [Fraction(int(cell)) * query.lattice.step for cell in cells]
    low, width = query.bounds.lower, query.bounds.width
    n = sum(parts[: query.degree + 1])
    t = parts[1] if query.degree == 1 else parts[1] / 2 + parts[2]
    square = parts[2] if query.degree == 2 else 0
    return n, low + width * t / n, width**2 * (square / n - (t / n) ** 2)


@pytest.mark.parametrize("bounds", [(0, 100), (-3.5, 60.25), (1e-9, 80)])
def test_count_mean_and_variance_follow_from_the_parts(bounds):
    x = np.random.default_rng(5).normal(50, 20, 100_000)
    held = np.clip(x, *bounds)
    for degree in (1, 2):
        query = Moments("x", bounds, degree)
        n, mean, variance = statistics(query, query.evaluate(Table.of({"x": x})))
        assert n == len(x)
        assert abs(float(mean) - held.mean()) < 1e-9 * 100
    assert abs(float(variance) - held.var()) < 1e-8 * 100**2


def test_weights_change_nothing_where_each_unit_has_no_more_rows_than_count():
    x = np.random.default_rng(5).normal(50, 20, 3000)
    users, keys = np.repeat(np.arange(1000), 3), np.tile(["a", "b"], 1500)
    table = Table.of({"x": x, "u": users, "k": keys})
    query = Moments("x", (0, 100), 2, Keys("k", ["b", "a"]), Contributions("u", 3))
    cells = query.evaluate(table).reshape(3, 2)
    for column, key in enumerate(["b", "a"]):
        held = np.clip(x[keys == key], 0, 100)
        n, mean, variance = statistics(query, cells[:, column])
        assert float(n) == pytest.approx(1500, rel=1e-8)
        assert float(mean) == pytest.approx(held.mean(), rel=1e-7)
        assert float(variance) == pytest.approx(held.var(), rel=1e-6)


@given(x=FINITE | st.floats(0, 1), degree=st.sampled_from([1, 2]))
def test_one_row_has_no_negative_part_and_adds_exactly_one(x, degree):
    parts = Moments("x", (0, 1), degree).evaluate(Table({"x": np.array([x])}))
    assert (parts >= 0).all()
    assert parts.sum() == FULL


@given(low=st.floats(-1e270, 1e270), high=st.floats(-1e270, 1e270), x=FINITE)
def test_no_bounds_take_a_place_out_of_its_range(low, high, x):
    low, high = sorted((low, high))
    try:
        query = Moments("x", (low, high), 2)
    except InvalidParameter:
        return
    with np.errstate(all="ignore"):
        place = PlaceInBounds("x", query.bounds)
        (inside,) = place.first([np.array([x, low, high, math.inf, -math.inf])])
    assert ((inside >= 0) & (inside <= FULL)).all()
    assert inside[1] == inside[4] == 0
    assert inside[2] == inside[3] == FULL
    parts = query.evaluate(Table({"x": np.array([x])}))
    assert (parts >= 0).all()
    assert parts.sum() == FULL


def test_missing_rows_are_counted_in_a_part_of_their_own():
    table = Table.of({"x": [1.0, None, "text", math.nan, 3]})
    query = Moments("x", (0, 10), 2, count_missing=True)
    assert query.columns == ("b0", "b1", "b2", "missing")
    parts = query.evaluate(table)
    assert parts[:3].sum() == 2 * FULL
    assert parts[3] == 3 * FULL
    assert Moments("x", (0, 10), missing=10).evaluate(table).sum() == 5 * FULL


def test_ten_million_equal_values_and_the_largest_integers_have_an_answer():
    table = Table({"x": np.broadcast_to(np.float64(7), 10**7)})
    assert Moments("x", (0, 8), 2).evaluate(table).tolist() == [
        10**7 * FULL // 64,
        10**7 * FULL // 64 * 14,
        10**7 * FULL // 64 * 49,
    ]
    huge = Table.of({"x": [2**63 - 1, -(2**63)]})
    assert Moments("x", (-(2**63), 2**63)).evaluate(huge).tolist() == [FULL, FULL]


@pytest.mark.parametrize("relation", list(Relation))
def test_the_whole_vector_moves_no_further_than_a_count(relation):
    unit = Unit("u", relation)
    bound, factor = Contributions("u", 3), 1 if relation is Relation.ADD_REMOVE else 2
    query = Moments("x", (0, 10), 2, Keys("k", ["a", "b"]), bound)
    assert query.sensitivity(unit).l1 * query.lattice.step == 3 * factor
    assert query.sensitivity(unit, Metric.L2).square * query.lattice.step**2 == 9 * factor


@pytest.mark.parametrize(
    "arguments",
    [
        {"bounds": (1, 1)},
        {"bounds": (2, 1)},
        {"bounds": (1, 1 + Fraction(1, 10**30))},
        {"degree": 3},
        {"degree": True},
        {"missing": 11},
        {"missing": 5, "count_missing": True},
        {"missing": "skip"},
    ],
    ids=str,
)
def test_what_has_no_moments_is_refused(arguments):
    with pytest.raises(InvalidParameter):
        Moments("x", **({"bounds": (0, 10)} | arguments))
    with pytest.raises(UnboundedQuery):
        Moments("x", None)
