"""Formulas over exact parts are the statistics that they are named after."""

import math

import duckdb
import numpy as np
import pytest

from dalenius.errors import UnboundedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query

COLUMNS = {"who": "BIGINT", "x": "DOUBLE", "j": "INTEGER", "big": "DOUBLE"}
BOUNDS = {"x": (-3, 7.5), "j": (0, 100), "big": (1e20, 3e20)}
POLICY = Policy.declare("t", COLUMNS, unit="who", bounds=BOUNDS, contributions=1000)
RANDOM = np.random.default_rng(5)
ROWS = [(int(RANDOM.integers(5)), float(RANDOM.uniform(-3, 7.5)), int(RANDOM.integers(101)), 2e20) for _ in range(200)]
ROWS += [(1, None, None, None), (2, math.nan, 3, None)]
X = np.array([row[1] for row in ROWS[:200]])
J = np.array([row[2] for row in ROWS if row[2] is not None])


def answer(query, rows=ROWS, policy=POLICY, noise=0):
    """The columns of the answer from exact parts."""
    compiled = compile_query(query, policy)
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (who BIGINT, x DOUBLE, j INTEGER, big DOUBLE)')
        if rows:
            connection.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?)', rows)
        _, *found = connection.execute(compiled.scan).fetchone()
    steps = {name: float(group.lattice.step) for group in compiled.groups for name in group.parts}
    cells = {name: np.array([(value + noise) * steps[name]]) for name, value in zip(compiled.parts, found, strict=True)}
    return [float(column.of.value(cells)[0]) for column in compiled.output.columns]


@pytest.mark.parametrize(
    "beside", ["", ", COUNT(*)", ", AVG(x)", ", VARIANCE(x)", ", COUNT(*), STDDEV(x)", ", COUNT(x)"]
)
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        *(("COUNT(*)", 202), ("COUNT(x)", 200), ("SUM(x)", X.sum()), ("AVG(x)", X.mean()), ("VAR_POP(x)", X.var())),
        *(("VARIANCE(x)", X.var(ddof=1)), ("STDDEV(x)", X.std(ddof=1)), ("STDDEV_POP(x)", X.std())),
        *(("SUM(j)", J.sum()), ("AVG(j)", J.mean()), ("COUNT(DISTINCT who)", 5), ("SUM(big)", 200 * 2e20)),
    ],
)
def test_each_aggregate_is_what_it_is_called_whatever_stands_beside_it(asked, expected, beside):
    assert answer(
        f"SELECT {asked} AS a{''.join(f', {b} AS b{i}' for i, b in enumerate(beside.split(', ')[1:]))} FROM t"
    )[0] == pytest.approx(expected, rel=1e-6)


def test_whole_numbers_are_summed_exactly():
    assert answer("SELECT SUM(j), COUNT(*), COUNT(j) FROM t") == [J.sum(), 202, 201]


def test_values_out_of_bounds_count_as_the_nearest_bound():
    rows = [(1, 1e308, 1000, 0.0), (2, -math.inf, -5, 1e300)]
    assert answer("SELECT SUM(x), SUM(j), SUM(big) FROM t", rows) == pytest.approx([4.5, 100, 4e20])


def test_nothing_has_declared_means():
    assert answer("SELECT COUNT(*), AVG(x), VARIANCE(x), SUM(x) FROM t", []) == [0, 2.25, 10.5**2 / 8, 0]
    assert answer("SELECT AVG(x), STDDEV(x) FROM t", [], noise=-5) == [2.25, math.sqrt(10.5**2 / 8)]


def test_means_and_variances_are_held():
    assert answer("SELECT AVG(x) FROM t", [], noise=10**12)[0] == pytest.approx(2.25)
    assert 0 <= answer("SELECT VAR_POP(x) FROM t", [(1, 2.0, 1, 1.0)], noise=3)[0] <= 10.5**2 / 4


def test_what_nothing_bounds_is_refused_with_the_remedy():
    with pytest.raises(UnboundedQuery, match="CLAMP"):
        answer("SELECT SUM(who) FROM t")


def test_a_narrow_range_and_one_value_work():
    policy = Policy.declare("t", COLUMNS, unit="row", bounds={"x": (5, 5), "j": (0, 1), "big": (1e20, 1e20 + 1e5)})
    assert answer("SELECT AVG(x), SUM(CASE WHEN j > 50 THEN 1 ELSE 0 END) FROM t", policy=policy) == [5, (J > 50).sum()]
