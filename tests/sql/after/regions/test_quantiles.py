from fractions import Fraction
from itertools import combinations, product

import duckdb
import numpy as np
import pytest

from dalenius.sql.after.regions.quantiles import quantile, quantile_between
from dalenius.sql.after.regions.values import Exact

PARTS = ["0", "0.1", "0.25", "0.5", "0.9", "1"]


@pytest.mark.parametrize("part", PARTS)
def test_a_quantile_is_that_of_duckdb(part):
    rng = np.random.default_rng(2)
    with duckdb.connect() as connection:
        for size in range(1, 12):
            numbers = rng.integers(0, 30, size).astype(float).tolist()
            rows = ", ".join(f"({number})" for number in numbers)
            asked = f"QUANTILE_CONT(x::DOUBLE, {part}), QUANTILE_DISC(x::DOUBLE, {part})"
            theirs = connection.execute(f"SELECT {asked} FROM (VALUES {rows}) AS t(x)").fetchone()
            mine = tuple(quantile(numbers, Fraction(part), discrete) for discrete in (False, True))
            assert mine == pytest.approx(theirs)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("discrete", [False, True])
def test_no_set_of_rows_and_no_corner_of_their_ends_has_a_quantile_outside_of_the_ends(part, discrete):
    """By enumeration of all sets of rows that may be there, with all corners; both ends are reached."""
    rng = np.random.default_rng()
    for _ in range(4):
        ends = [(float(a), float(a + wide)) for a, wide in zip(*rng.integers(0, 12, (2, 6)), strict=True)]
        sure, perhaps = ends[:3], ends[3:]
        known = quantile_between(sure, perhaps, None, Fraction(part), discrete)
        seen = [
            quantile(point, Fraction(part), discrete)
            for size in range(4)
            for some in combinations(perhaps, size)
            for point in product(*sure, *some)
        ]
        assert (known.low, known.high) == pytest.approx((min(seen), max(seen)))
        assert known.low <= min(seen)
        assert known.high >= max(seen)


def test_without_a_row_it_is_null_and_of_too_many_nothing_is_said():
    assert quantile_between([], [], None, Fraction(1, 2), False) == Exact(None)
    assert quantile_between([], [(0.0, 1.0)], None, Fraction(1, 2), False).nullable
    assert quantile_between([], [(0.0, 1.0)] * 2001, None, Fraction(1, 2), False) is None
