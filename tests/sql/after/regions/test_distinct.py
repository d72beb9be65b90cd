from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.sql.after.regions.distinct import counted_distinct, distinct
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE, Presence, Row, RowRelation
from dalenius.sql.after.regions.values import Between, Exact, NoRule, Unknown
from tests.sql.after.regions.released import carried, exact, outside, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40, "e": 30}
REGION = JointRegion({}, Fraction(1, 2))
MAYBE = Presence(False, False, True, True)
NAMES = (("t", "g"), ("t", "x"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT n AS x FROM t",
        "SELECT DISTINCT k, n AS x FROM t",
        "SELECT DISTINCT k < 'c' AS g, n > 15 AS h FROM t",
        "SELECT k, n FROM t UNION SELECT k, n FROM t",
        "SELECT 'all' AS k, COUNT(DISTINCT n) AS x FROM t",
        "SELECT k < 'c' AS g, COUNT(DISTINCT n) AS x FROM t WHERE n > 15 GROUP BY 1",
    ],
)
def test_distinct_rows_are_those_of_duckdb(text):
    _, _, rows = carried(text, {"t": source(COUNTS, [0] * 5)})
    assert sorted(rows) == sorted(exact(text, {"t": COUNTS}))


def test_no_table_of_the_region_has_another_number_of_distinct_values():
    missed, seen = outside("SELECT 'all' AS k, COUNT(DISTINCT n) AS x FROM t", COUNTS, np.random.default_rng())
    assert (missed, seen) == ([], 72)


def test_the_number_of_distinct_values_is_that_of_all_points_of_a_grid():
    """By enumeration; both ends are reached."""
    ends = [(0, 2), (1, 3), (4, 4), (4, 6), (6, 7)]
    members = [(HERE, Between(a, b, a)) for a, b in ends[:-1]] + [(MAYBE, Between(*map(float, ends[-1]), 6))]
    known = counted_distinct(members, REGION)
    grids = [range(a, b + 1) for a, b in ends]
    seen = {len({*point[:4], *(point[4:] if there else ())}) for point in product(*grids) for there in (True, False)}
    assert (known.low, known.high) == (min(seen), max(seen))
    assert counted_distinct([(HERE, Exact(1)), (HERE, Exact(1)), (HERE, Exact(None))], REGION) == Exact(1)
    assert isinstance(counted_distinct([(MAYBE, Exact("a"))], REGION), Unknown)


def test_a_row_is_surely_kept_if_no_row_before_it_can_be_equal():
    """By enumeration: how often the rows of a grid are the first of their kind."""
    rows = [
        Row((Exact("p"), Between(0, 2, 1))),
        Row((Exact("p"), Between(2, 3, 3))),
        Row((Exact("q"), Between(0, 2, 1))),
        Row((Exact("p"), Between(7, 8, 7))),
    ]
    kept = distinct(RowRelation(NAMES, tuple(rows)), REGION).rows
    grids = [range(int(row.values[1].low), int(row.values[1].high) + 1) for row in rows]
    for point in product(*grids):
        tuples = [(row.values[0].point, x) for row, x in zip(rows, point, strict=True)]
        for place, row in enumerate(kept):
            is_first = tuples[place] not in tuples[:place]
            assert is_first or not row.presence.sure
            assert row.presence.possible or not is_first
    assert [row.presence.sure for row in kept] == [True, False, True, True]
    assert [row.presence.exact for row in kept] == [False, False, True, False]  # only public values say so


def test_too_many_rows_with_noise_have_no_rule():
    rows = tuple(Row((Exact("p"), Between(0, 2, 1))) for _ in range(1501))
    with pytest.raises(NoRule, match="more than"):
        distinct(RowRelation(NAMES, rows), REGION)
