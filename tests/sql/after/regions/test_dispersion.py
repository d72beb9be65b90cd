import math
import statistics
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.sql.after.regions.dispersion import (
    correlation_of,
    covariance_of,
    squares_between,
    variance_of,
    variance_of_some,
)
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.values import Between, Exact, MadeValue, Unknown
from tests.sql.after.regions.released import carried, exact, outside, source

REGION = JointRegion({}, Fraction(1, 2))
OF = {
    (False, False): statistics.pvariance,
    (True, False): statistics.variance,
    (False, True): statistics.pstdev,
    (True, True): statistics.stdev,
}


def boxes(rng, size):
    low = rng.integers(-20, 20, size).astype(float)
    return [Between(a, a + wide, a + wide / 2) for a, wide in zip(low, rng.integers(0, 15, size), strict=True)]


def points_of(box, rng):
    """Every corner, and some points inside."""
    yield from product(*((one.low, one.high) for one in box))
    for _ in range(200):
        yield [one.low + (one.high - one.low) * share for one, share in zip(box, rng.random(len(box)), strict=True)]


@pytest.mark.parametrize("kind", OF)
def test_no_point_of_a_box_has_a_variance_outside_of_the_ends(kind):
    rng = np.random.default_rng()
    for size in (2, 3, 6):
        for _ in range(6):
            box = boxes(rng, size)
            known = variance_of(box, REGION, *kind)
            values = [OF[kind](list(map(float, point))) for point in points_of(box, rng)]
            assert known.low <= min(values) + 1e-9
            assert max(values) <= known.high + 1e-9


@pytest.mark.parametrize("kind", OF)
def test_no_set_of_numbers_that_may_be_there_has_a_variance_outside_of_the_ends(kind):
    """All sets between those that are surely there and all, at every corner of their boxes and inside."""
    rng = np.random.default_rng()
    for sure, perhaps in ((0, 3), (1, 2), (2, 2), (3, 1), (2, 0)):
        box = boxes(rng, sure + perhaps)
        ends = [(one.low, one.high) for one in box]
        known = variance_of_some(ends[:sure], ends[sure:], None, *kind)
        assert known.nullable is (sure - kind[0] < 1)
        for chosen in product((False, True), repeat=perhaps):
            here = [*box[:sure], *(one for one, there in zip(box[sure:], chosen, strict=True) if there)]
            if len(here) - kind[0] < 1:
                continue
            values = [OF[kind](list(map(float, point))) for point in points_of(here, rng)]
            assert known.low <= min(values) + 1e-9
            assert max(values) <= known.high + 1e-9


def test_the_ends_of_a_variance_of_some_are_reached_or_nearly():
    """0 and 10 are there for sure, a third number at 10 may be: 25 at most, without it, and 22.2 with it."""
    known = variance_of_some([(0.0, 0.0), (10.0, 10.0)], [(10.0, 10.0)], 25.0, False, False)
    assert known.high == pytest.approx(25)
    assert known.low == pytest.approx(50 / 3)
    assert variance_of_some([], [(1.0, 2.0)], None, True, False).nullable
    assert variance_of_some([(0.0, 1.0)], [(0.0, math.inf)], 0.0, False, True).high == math.inf


def test_the_ends_of_a_variance_are_reached_or_nearly():
    """[0, 1]⁴: half at either end. Two boxes apart: the nearest points, and the farthest."""
    low, high = squares_between(np.zeros(4), np.ones(4))
    assert (low, high) == pytest.approx((0.0, 1.0))
    low, high = squares_between(np.array([0.0, 10.0]), np.array([1.0, 12.0]))
    assert (low, high) == pytest.approx((9**2 / 2, 12**2 / 2))
    many = np.array([0.0] * 50 + [10.0] * 50)
    low, high = squares_between(many - 1, many + 1)
    assert (low, high) == pytest.approx((100 * 16, 100 * 36))  # groups 8 and 12 apart
    assert squares_between(np.array([0.0, -math.inf]), np.array([1.0, 2.0])) == (0.0, math.inf)


@pytest.mark.parametrize("sample", [False, True])
def test_no_point_of_two_boxes_has_a_covariance_or_a_correlation_outside_of_the_ends(sample):
    rng = np.random.default_rng()
    for _ in range(12):
        x, y = boxes(rng, 4), boxes(rng, 4)
        y = [Between(one.low + 30 * place, one.high + 30 * place, one.point) for place, one in enumerate(y)]
        x = [Between(one.low + 30 * place, one.high + 30 * place, one.point) for place, one in enumerate(x)]
        known, ratio = covariance_of(x, y, REGION, sample), correlation_of(x, y, REGION)
        for point in points_of([*x, *y], rng):
            matrix = np.cov(point[:4], point[4:], ddof=int(sample))
            assert known.low - 1e-9 <= matrix[0, 1] <= known.high + 1e-9
            root = math.sqrt(matrix[0, 0] * matrix[1, 1])
            assert not root or ratio.low - 1e-9 <= matrix[0, 1] / root <= ratio.high + 1e-9
        assert ratio.low > 0  # the trend outweighs the boxes


def test_a_covariance_with_a_public_column_is_one_sum_of_released_numbers():
    counts = {"a": 10, "b": 30, "c": 20, "d": 40}
    text = "SELECT COVAR_POP(n, CASE WHEN k < 'c' THEN 1 ELSE 0 END) AS x FROM t"
    statement, _, rows = carried(text, {"t": source(counts, [0] * 4)})
    assert rows[0] == pytest.approx(exact(text, {"t": counts})[0])
    assert statement.needed == 0
    assert statement.every == 1


def test_few_rows_and_public_ones():
    assert variance_of([Between(0, 1, 0)], REGION, True, False) == Exact(None)
    assert variance_of([Between(0, 1, 0)], REGION, False, False).high == 0.0
    assert variance_of([Exact(1), Exact(3)], REGION, True, False) == Exact(2.0)
    assert covariance_of([Exact(1), Exact(3)], [Exact(2), Exact(6)], REGION, True) == Exact(4.0)
    assert correlation_of([Exact(1), Exact(3)], [Exact(2), Exact(6)], REGION).point == pytest.approx(1.0)
    assert isinstance(variance_of([Exact("a"), Exact("b")], REGION, True, False), Unknown)
    assert isinstance(correlation_of([Exact(1)], [Exact(2)], REGION), Unknown)
    assert correlation_of([Between(0, 3, 1), Exact(2)], [Exact(2), Exact(6)], REGION).nullable
    assert not isinstance(covariance_of([Exact(1)] * 2, [Between(0, 1, 0)] * 2, REGION, False), MadeValue)


@pytest.mark.parametrize(
    "aggregate",
    ["STDDEV(n)", "VAR_POP(n)", "COVAR_SAMP(n, n * n)", "CORR(n, n)", "QUANTILE_CONT(n, 0.3)", "QUANTILE_DISC(n, 0.7)"],
)
def test_no_table_of_the_region_gives_an_aggregate_outside_of_its_ends(aggregate):
    counts = {"a": 10, "b": 30, "c": 200, "d": 40, "e": 31}
    missed, seen = outside(f"SELECT 'all' AS k, {aggregate} AS x FROM t", counts, np.random.default_rng())
    assert missed == []
    assert seen == 72
